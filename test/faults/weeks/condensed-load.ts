import { setTimeout as pause } from 'node:timers/promises'
import { createRunnerToken } from '../../../store/accounts/credentials/runner-tokens.ts'
import type { SmallWorld } from './small-world.ts'
import type { WeeksService } from './weeks-service.ts'

/** What people do with the service, day after day. */
interface CondensedLoad {
  /** One day of them: everything that can be made is made, changed and ended. */
  day(number: number): Promise<void>
}

interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

type Call = (method: string, path: string, body?: object, headers?: Readonly<Record<string, string>>) => Promise<Answer>

const CSS = { method: 'css', fields: { value: '.value' } }
const TWICE_A_DAY = 12 * 3600

/** Creates the monitors that stay. Each is due twice a day. */
export async function openCondensedLoad(service: WeeksService, world: SmallWorld): Promise<CondensedLoad> {
  const call: Call = (method, path, body, headers) =>
    send(service.base, service.owner.key, { method, path, body, headers })
  /** As the owner's session, for what no key may do. */
  const callSigned: Call = (method, path, body) => send(service.base, session, { method, path, body })
  const made = async (path: string, body: object): Promise<string> => {
    const answer = await call('POST', path, body)
    if (answer.status !== 201) throw new Error(`POST ${path}: ${JSON.stringify(answer)}`)
    return String(answer.body['id'])
  }
  const monitor = (name: string, page: string, more: object = {}) => ({
    name,
    url: `${world.base}/${page}`,
    schedule_interval_seconds: TWICE_A_DAY,
    extract_config: CSS,
    diff_predicate: { type: 'any_field_changes' },
    deliveries: [hook('takes')],
    ...more,
  })
  const hook = (path: string) => ({ type: 'webhook', url: `${world.base}/hook/${path}` })

  const steady = [
    ...Array.from({ length: 30 }, (_, n) => monitor(`Changes ${n}`, `changes/${n}`)),
    ...Array.from({ length: 10 }, (_, n) => monitor(`Stays ${n}`, `stays/${n}`)),
    ...Array.from({ length: 4 }, (_, n) =>
      monitor(`Text ${n}`, `text/${n}`, { extract_config: { method: 'full_page' } }),
    ),
    ...Array.from({ length: 3 }, (_, n) => monitor(`Refused ${n}`, `changes/r${n}`, { deliveries: [hook('refuses')] })),
    monitor('Gone', 'changes/gone', { deliveries: [hook('gone')] }),
    monitor('Flaky', 'flaky', { notify_on: ['failing', 'recovered'] }),
    monitor('Prompt', 'prompt', { extract_config: { method: 'prompt', prompt: 'What does the kettle cost?' } }),
    monitor('Picture', 'picture', {
      schedule_interval_seconds: 2 * TWICE_A_DAY,
      extract_config: { method: 'css', fields: { value: 'h1' } },
      visual_config: { enabled: true, thresholdPct: 0.5, regions: [{ selector: 'h1', label: 'Day' }] },
    }),
  ]
  const ids: string[] = []
  for (const body of steady) ids.push(await made('/v1/monitors', body))
  const [first = ''] = ids
  const refused = ids[steady.findIndex(({ name }) => name.startsWith('Refused'))]
  const passing: string[] = []
  let oldKey: string | null = null
  let session: string | null = null

  return {
    async day(number) {
      await Promise.all([configure(number), administer(number)])
    },
  }

  /** Monitors are made on one day, edited on the next, and deleted on the third. */
  async function configure(number: number): Promise<void> {
    for (const id of passing.slice(-6, -3)) await expected(204, call('DELETE', `/v1/monitors/${id}`))
    for (const id of passing.slice(-3))
      await expected(200, call('PATCH', `/v1/monitors/${id}`, { deliveries: [hook(`edited-${number}`)] }))
    for (let n = 0; n < 3; n++) passing.push(await made('/v1/monitors', monitor(`Of day ${number}`, `changes/p${n}`)))
    // A destination that takes nothing, at another address each day.
    const dead = { deliveries: [{ type: 'webhook', url: `${world.base}/hook/gone?day=${number}` }] }
    await expected(200, call('PATCH', `/v1/monitors/${refused}`, dead))
    await expected(200, call('POST', `/v1/monitors/${first}/run`))
    await expected(200, call('POST', `/v1/monitors/${first}/signing-secret/rotate`, { grace_hours: 24 }))
    await expected(200, call('POST', '/v1/monitors/preview', { url: `${world.base}/stays/0`, extract_config: CSS }))
    const always = { diff_predicate: { type: 'any_field_changes' } }
    await expected(200, call('POST', `/v1/monitors/${first}/backtest`, always))
    for (const path of ['monitors', `monitors/${first}/runs`, 'deliveries', 'team/audit', 'usage'])
      await expected(200, call('GET', `/v1/${path}`))

    const twice = { 'idempotency-key': `day-${number}` }
    const kept = monitor(`Asked twice on day ${number}`, 'stays/twice', { external_key: `twice-${number}` })
    const answers = [
      await expected(201, call('POST', '/v1/monitors', kept, twice)),
      await expected(201, call('POST', '/v1/monitors', kept, twice)),
    ]
    await expected(204, call('DELETE', `/v1/monitors/${String(answers[1]?.body['id'])}`))
  }

  async function administer(number: number): Promise<void> {
    await signInAndOut(number)
    await Promise.all([
      rotateKeys(number),
      invite(number),
      createRunnerToken(service.store, { job: `Job of day ${number}`, ttlSeconds: 3600 }),
    ])
  }

  /** A key is made and replaced by another one; that of the day before is revoked. */
  async function rotateKeys(number: number): Promise<void> {
    const scopes = ['read', 'write']
    const idOf = ({ body }: Answer) => String((body['apiKey'] as { readonly id: string }).id)
    const issued = await expected(201, callSigned('POST', '/v1/keys', { name: `Key of day ${number}`, scopes }))
    const rotated = await expected(
      201,
      callSigned('POST', `/v1/keys/${idOf(issued)}/rotate`, { grace_period_hours: 24 }),
    )
    if (oldKey !== null) await expected(204, callSigned('DELETE', `/v1/keys/${oldKey}`))
    oldKey = idOf(rotated)
  }

  /** Of two sessions, one ends, and nobody comes back to the other. Somebody makes an account and deletes it. */
  async function signInAndOut(number: number): Promise<void> {
    const { email, password } = service.owner
    const signIn = async () => {
      const { body } = await expected(
        200,
        send(service.base, null, { method: 'POST', path: '/auth/sign-in/email', body: { email, password } }),
      )
      return String(body['token'])
    }
    if (session !== null) await expected(200, send(service.base, session, { method: 'POST', path: '/auth/sign-out' }))
    session = await signIn()
    await signIn()
    const wrong = { email, password: `not on day ${number}` }
    await expected(401, send(service.base, null, { method: 'POST', path: '/auth/sign-in/email', body: wrong }))
    const somebody = { name: 'Somebody', email: `somebody-${number}@example.com`, password: 'correct horse battery' }
    const { body } = await expected(
      200,
      send(service.base, null, { method: 'POST', path: '/auth/sign-up/email', body: somebody }),
    )
    const theirs = String(body['token'])
    await expected(
      201,
      send(service.base, theirs, { method: 'POST', path: '/v1/monitors', body: monitor('Theirs', 'changes/theirs') }),
    )
    await expected(
      204,
      send(service.base, theirs, { method: 'DELETE', path: '/v1/account', body: { email: somebody.email } }),
    )
  }

  /** Of two invitations, one is revoked, and one is never taken. */
  async function invite(number: number): Promise<void> {
    const invited = (email: string) => expected(201, callSigned('POST', '/v1/team/members/invite', { email }))
    await invited(`unanswered-${number}@example.com`)
    const { body } = await invited(`revoked-${number}@example.com`)
    await expected(204, callSigned('DELETE', `/v1/team/invitations/${String(body['id'])}`))
  }
}

interface Sent {
  readonly method: string
  readonly path: string
  readonly body?: object | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** A busy machine may make the service shed a request. Clients ask again then. */
const TRIES = 5

async function send(base: string, credential: string | null, sent: Sent): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await sendOnce(base, credential, sent)
    if (answer.status !== 503 || tries === TRIES) return answer
    await pause(1000)
  }
}

async function sendOnce(
  base: string,
  credential: string | null,
  { method, path, body, headers }: Sent,
): Promise<Answer> {
  const answer = await fetch(`${base}${path}`, {
    method,
    headers: {
      ...(credential !== null && { authorization: `Bearer ${credential}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text) }
}

async function expected(status: number, sent: Promise<Answer>): Promise<Answer> {
  const answer = await sent
  if (answer.status !== status) throw new Error(`expected ${status}: ${JSON.stringify(answer).slice(0, 1000)}`)
  return answer
}
