import type { Route } from '../../../api/http/route.ts'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { keepLook } from '../../../store/looks/looks.ts'
import { createMonitor, MONITOR } from '../../support/api/monitor-requests.ts'
import { accountOf, acceptAs, invite, tokenFor, personOf } from '../../support/api/people.ts'
import { seedDelivery, seedRun } from '../../support/api/seeded-runs.ts'
import { type ServedApi } from '../../support/api/served-api.ts'

/** What a request to an operation holds. */
interface Example {
  readonly path: string
  readonly body?: unknown
}

/** Destinations and headers with secrets in each place that may hold one. */
export const SECRETS = ['s3cret-request', 's3cret-path', 's3cret-query', 's3cret-header', 's3cret-slack', 's3cret-chat']
const WITH_SECRETS = {
  request_headers: { 'X-Key': 's3cret-request' },
  deliveries: [
    {
      type: 'webhook',
      url: 'https://hooks.example.com/s3cret-path?token=s3cret-query',
      headers: { Authorization: 'Bearer s3cret-header' },
    },
    { type: 'slack', webhookUrl: 'https://hooks.slack.example/services/s3cret-slack' },
    { type: 'discord', webhookUrl: 'https://discord.example/api/webhooks/s3cret-chat' },
    { type: 'email', to: 'ops@example.com' },
  ],
} as const

const SEARCH = {
  name: 'Kettle',
  keyword: 'kettle',
  schedule_interval_seconds: 600,
  target_domain: 'example.com',
} as const

const STATUS_PAGE = { title: 'Shop', shows: { by: 'label', label: 'audience=public' } }

/** Makes requests to operations on things of a team that are made for each of them. */
export function examplesOf(served: ServedApi, owner: CreatedOwner) {
  const boss = personOf(served, owner)
  const me = served.as(owner.api_key)
  const { services } = served.api
  const monitor = async () => (await createMonitor(me, WITH_SECRETS)).id
  /** A filter that leaves one new monitor. */
  const matching = async () => {
    const name = crypto.randomUUID()
    await createMonitor(me, { ...WITH_SECRETS, name })
    return { filter: { q: name }, expected: 1 }
  }
  const search = async () =>
    (await me.post('/v1/serp-monitors', { ...SEARCH, deliveries: WITH_SECRETS.deliveries })).body.id
  const run = async () => seedRun(services, await monitor())
  const delivery = (runId: string) =>
    seedDelivery(services, runId, { config: WITH_SECRETS.deliveries[0], status: 'failed' })
  async function runWithDelivery() {
    const id = await run()
    await delivery(id)
    return id
  }
  const key = async () =>
    ((await boss.client.post('/v1/keys', { name: 'k' })).body['apiKey'] as { readonly id: string }).id
  async function look() {
    const id = crypto.randomUUID()
    const teamId = owner.team_id
    const answer = services.secrets.seal({ teamId, column: 'looks.answer', rowId: id }, { elements: [] })
    const kept = { id, teamId, image: null, seconds: 900, answer, fetched: null, rendered: null }
    await keepLook(services.store, kept)
    return id
  }
  const invitation = async () => (await invite(boss, `${crypto.randomUUID()}@example.com`)).body.id
  async function member() {
    const person = await accountOf(served)
    await acceptAs(person, await tokenFor(served, boss, person))
    return person.account.user_id
  }
  const statusPage = async () => {
    // A team has a few at most.
    const { body } = await boss.client.get('/v1/status-pages')
    for (const { id } of body.data) await boss.client.delete(`/v1/status-pages/${id}`)
    return (await me.post('/v1/status-pages', STATUS_PAGE)).body.id
  }
  const ids: readonly [prefix: string, make: () => Promise<string>][] = [
    ['/v1/monitors/:id', monitor],
    ['/v1/serp-monitors/:id', search],
    ['/v1/runs/:id', runWithDelivery],
    ['/v1/run-images/:id', run],
    ['/v1/deliveries/:id', async () => delivery(await run())],
    ['/v1/looks/:id', look],
    ['/v1/keys/:id', key],
    ['/v1/team/members/:userId', member],
    ['/v1/team/invitations/:id', invitation],
    ['/v1/status-pages/:id', statusPage],
    // Of nobody: a session belongs to a person, and not to a team.
    ['/v1/account/sessions/:id', async () => crypto.randomUUID()],
  ]
  const bodies: Readonly<Record<string, () => Promise<unknown>>> = {
    'POST /v1/monitors': async () => MONITOR,
    'POST /v1/monitors/preview': async () => MONITOR,
    'POST /v1/looks': async () => ({ url: MONITOR.url }),
    'POST /v1/looks/:id/candidates': async () => ({ element: 0 }),
    'POST /v1/looks/:id/extract': async () => ({ extract_config: MONITOR.extract_config }),
    'POST /v1/monitors/bulk': async () => ({ action: 'pause', ids: [await monitor()] }),
    'POST /v1/serp-monitors/bulk': async () => ({ action: 'pause', ids: [await search()] }),
    'POST /v1/monitors/:id/mute': async () => ({ until: null }),
    'POST /v1/serp-monitors/:id/mute': async () => ({ until: null }),
    'POST /v1/monitors/:id/backtest': async () => ({ diff_predicate: { type: 'any_field_changes' } }),
    'POST /v1/predicates/try': async () => ({ diff_predicate: { type: 'any_field_changes' }, before: null, after: {} }),
    'POST /v1/manifests': async () => ({ kind: 'Monitor', as: 'manifest', spec: MONITOR }),
    'POST /v1/monitors/from-template/:slug': async () => ({ url: 'https://example.com/' }),
    'POST /v1/serp-monitors': async () => SEARCH,
    'POST /v1/serp-monitors/preview': async () => SEARCH,
    'POST /v1/overview/mute': async () => ({ ...(await matching()), until: null }),
    'POST /v1/overview/unmute': matching,
    'POST /v1/overview/seen': async () => ({ ...(await matching()), until: await run() }),
    'POST /v1/overview/unseen': matching,
    'POST /v1/changes/seen': async () => ({ until: await run() }),
    'POST /v1/changes/unseen': async () => ({ run_id: await run() }),
    'POST /v1/deliveries/test': async () => ({ delivery: { type: 'email', to: owner.email } }),
    'POST /v1/deliveries/replay': async () => ({ ids: [await delivery(await run())] }),
    'POST /v1/deliveries/release': async () => ({ ids: [await delivery(await run())], action: 'send' }),
    'POST /v1/keys': async () => ({ name: 'k' }),
    'POST /v1/status-pages': async () => STATUS_PAGE,
    'POST /v1/keys/:id/rotate': async () => ({ grace_period_hours: 0 }),
    'PATCH /v1/team': async () => ({ name: 'Team' }),
    'POST /v1/team/switch': async () => ({ team_id: owner.team_id }),
    'PATCH /v1/team/members/:userId': async () => ({ role: 'viewer' }),
    'POST /v1/team/members/invite': async () => ({ email: `${crypto.randomUUID()}@example.com` }),
    'POST /v1/team/accept': async () => ({ token: 'inv_unknown' }),
    'POST /v1/billing/checkout': async () => ({ plan: 'pro' }),
    'POST /v1/billing/credits': async () => ({ runs: 1000 }),
  }
  return async ({ method, path }: Route): Promise<Example> => {
    const made = ids.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))
    const id = await made?.[1]()
    if (made && id === undefined) throw new Error(`nothing was made for ${path}`)
    const filled = id !== undefined ? path.replace(/:\w+/, id) : path.replace(':slug', 'generic-full-page')
    const body = await bodies[`${method} ${path}`]?.()
    const needsBody = method === 'POST' || method === 'PATCH'
    return { path: filled, ...(body !== undefined ? { body } : needsBody && { body: {} }) }
  }
}
