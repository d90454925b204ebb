import type { Json } from '../../schema/shape/json.ts'
import { seedDelivery, seedRun } from '../support/api/seeded-runs.ts'
import { createClient, type Client, type Received, type Sent } from './client.ts'
import { curlLine } from './curl.ts'
import type { FuzzedService } from './fuzzed-service.ts'
import { judge } from './judge.ts'
import { plan } from './plan.ts'
import type { Planned } from './planned.ts'
import { createShelf, type Shelf } from './shelf.ts'
import type { Chain, Step } from './steps.ts'
import type { Tally } from './tally.ts'
import { createTeam, type Team } from './team.ts'

/** One team and one connection, over which chains run one after the other. */
interface CheckSource {
  /** Runs a chain. Throws an error that shows its requests as lines of curl, when an answer is not as it must be. */
  run(chain: Chain): Promise<void>
  close(): void
}

/** So long a team stays: its fingerprint costs more the more it has. */
const REQUESTS_A_TEAM = 1_500
const SLOW_MS = 2_000
const SLOW_TRIES = 8
const SEED = {
  name: 'The seed',
  url: 'https://example.com/',
  schedule_interval_seconds: 3600,
  extract_config: { method: 'css', fields: { price: '.price' } },
  diff_predicate: { type: 'any_field_changes' },
}

export function createSource(service: FuzzedService, tally: Tally): CheckSource {
  const client = createClient(service.origin)
  let team: Team | null = null
  let left = 0
  return {
    async run(chain) {
      if (!team || left <= 0) {
        team = await createTeam(service.api)
        left = REQUESTS_A_TEAM
      }
      left -= chain.steps.length
      await runChain({ service, client, team, tally }, chain)
    },
    close: () => client.close(),
  }
}

interface Setting {
  readonly service: FuzzedService
  readonly client: Client
  readonly team: Team
  readonly tally: Tally
}
interface Trail {
  readonly shelf: Shelf
  readonly lines: string[]
  /** The store as it is known to be; null when something may have changed it. */
  print: string | null
}

async function runChain(setting: Setting, chain: Chain): Promise<void> {
  const trail: Trail = { shelf: createShelf(), lines: [], print: null }
  if (chain.seeded) await seed(setting, trail.shelf)
  for (const group of groups(chain.steps)) {
    const [only] = group
    if (group.length === 1 && only) await runAlone(setting, trail, only)
    else await runTogether(setting, trail, group)
  }
}

function groups(steps: readonly Step[]): Step[][] {
  const made: Step[][] = []
  for (const step of steps) {
    const last = made.at(-1)
    if (step.together && last) last.push(step)
    else made.push([step])
  }
  return made
}

async function runTogether(setting: Setting, trail: Trail, group: readonly Step[]): Promise<void> {
  const outcomes = await Promise.allSettled(group.map((step) => runStep(setting, trail, step, true)))
  // All of them have ended: what failed does not disturb the next chain.
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

/** A refused request leaves the store as it was. */
async function runAlone(setting: Setting, trail: Trail, step: Step): Promise<void> {
  trail.print ??= await setting.team.fingerprint()
  const { status, method } = await runStep(setting, trail, step, false)
  if (status < 400) {
    if (method !== 'GET' && method !== 'HEAD') trail.print = null
    return
  }
  const after = await setting.team.fingerprint()
  if (after !== trail.print)
    fail(trail, [`it was refused (${status}), and still changed what is stored: ${trail.print} → ${after}`])
}

interface Outcome {
  readonly status: number
  readonly method: string
}

async function runStep(setting: Setting, trail: Trail, step: Step, raced: boolean): Promise<Outcome> {
  const { service, client, team, tally } = setting
  if (raced) trail.print = null
  if (step.caller === 'leaver') await team.returns()
  const planned = plan({ service, team, shelf: trail.shelf, nth: tally.next(), raced }, step)
  trail.lines.push(`${planned.what}\n  ${curlLine(service.origin, planned.sent, step.caller)}`)
  const answer = await send(client, trail, planned)
  trail.lines.push(`  ${answer.status}${raced ? ' (at the same time as others)' : ''} ${answer.text.slice(0, 600)}`)
  tally.count(planned, answer)
  const faults = judge(service.document, planned.expected, answer)
  if (faults.length > 0) fail(trail, faults)
  trail.shelf.learn(planned, answer)
  return { status: answer.status, method: planned.sent.method }
}

async function send(client: Client, trail: Trail, { sent }: Planned): Promise<Received> {
  const first = await sendOnce(client, trail, sent)
  let { ms } = first
  // A busy neighbour on the machine is not the service's fault: slow is what is slow each time.
  for (let tries = 1; ms > SLOW_MS && tries < SLOW_TRIES; tries += 1)
    ms = Math.min(ms, (await sendOnce(client, trail, sent)).ms)
  return { ...first, ms }
}

async function sendOnce(client: Client, trail: Trail, sent: Sent): Promise<Received> {
  try {
    return await client.send(sent)
  } catch (error) {
    return fail(trail, [`no answer came: ${String(error)}`])
  }
}

function fail(trail: Trail, faults: readonly string[]): never {
  throw new Error(`${faults.join('\n')}\n\n${trail.lines.join('\n')}`)
}

async function seed({ service: { api }, team }: Setting, shelf: Shelf): Promise<void> {
  const { authorization = '' } = team.headers('key', 0)
  const made = await api.call(authorization.replace('Bearer ', ''), 'POST', '/v1/monitors', SEED as Json)
  const monitor = String(made.body['id'])
  const run = await seedRun(api.services, monitor, { extracted: { price: 12 }, triggered: true })
  const delivery = await seedDelivery(api.services, run, { status: 'dead', attempts: 6 })
  shelf.add('monitor', monitor)
  shelf.add('run', run)
  shelf.add('delivery', delivery)
}
