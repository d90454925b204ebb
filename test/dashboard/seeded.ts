import { createPolicy } from '../../egress/policy.ts'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { SMALLEST } from '../support/api/monitor-body.ts'
import { seedRanks } from '../support/api/seeded-ranks.ts'
import { seedDelivery } from '../support/api/seeded-runs.ts'
import { openSite, pageOf } from '../support/network/site.ts'
import { eventually } from '../support/run/eventually.ts'
import { startWorker } from '../support/worker/check-worker.ts'
import { type Dashboard, type StartOptions, startDashboard } from './open-dashboard.ts'
import { seedStatusPages } from './seeded-status.ts'

/** A dashboard with a few monitors that changed, fail and are paused. */
interface Seeded extends AsyncDisposable {
  readonly dashboard: Dashboard
  readonly owner: CreatedOwner
  /** A monitor that changed. */
  readonly monitor: string
  /** The run that found it. */
  readonly run: string
  /** The address of a page to look at, where looks are made. */
  readonly look?: string
  /** A delivery of that run that was given up. */
  readonly delivery: string
  /** A search that was checked, and a run of it. */
  readonly search: { readonly monitor: string; readonly run: string }
}

/** Serves a dashboard whose monitors were checked on a page that changed. */
export async function startSeeded(options: StartOptions = {}): Promise<Seeded> {
  const dashboard = await startDashboard({
    ...options,
    egress: createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] }),
  })
  const site = await openSite()
  const worker = await startWorker({ url: dashboard.api.databaseUrl, secrets: dashboard.api.services.secrets })
  const owner = await dashboard.api.owner({ plan: 'unlimited' })
  const call = (method: 'GET' | 'POST', path: string, body?: object) =>
    dashboard.api.call(owner.api_key, method, path, body)
  const create = async (name: string, body: object = {}) =>
    String(
      (await call('POST', '/v1/monitors?paused=true', { ...SMALLEST, name, labels: { team: 'shop' }, ...body })).body[
        'id'
      ],
    )
  async function check(id: string): Promise<string> {
    const { body } = await call('POST', `/v1/monitors/${id}/run`)
    await eventually(
      async () => (await call('GET', `/v1/runs/${body['run_id']}`)).body['status'],
      (status) => status === 'success' || status === 'error',
    )
    return String(body['run_id'])
  }
  const price = { method: 'css', fields: { price: '.price' } }
  const monitor = await create('Kettle', { url: site.url, extract_config: price })
  const runs: string[] = []
  for (const shown of ['$20.00', '$15.00', '$18.00']) {
    site.price(shown)
    runs.push(await check(monitor))
  }
  const failing = await create('Lamp', { url: site.url, extract_config: price })
  site.answer((response) => void response.writeHead(404).end())
  await check(failing)
  await create('Toaster')
  const run = runs.at(-1) ?? ''
  const { services } = dashboard.api
  const gone = { type: 'webhook', url: 'https://gone.example.com/hook' } as const
  const answer = { responseStatus: 410, responseBody: 'Gone' }
  const delivery = await seedDelivery(services, run, { config: gone, status: 'dead', isFailing: true, ...answer })
  await seedDelivery(services, run, { config: { type: 'email', to: 'ops@example.com' }, held: 'muted' })
  await seedDelivery(services, run, { status: 'success', responseStatus: 204 })
  const search = await seedSearch(dashboard, owner)
  await seedStatusPages(async (method, path, body) => {
    return (await dashboard.api.call(owner.session_token, method, path, body)).body
  })
  return {
    dashboard,
    owner,
    monitor,
    run,
    delivery,
    search,
    ...(options.previews && { look: site.page('/look', pageOf('$20.00')) }),
    async [Symbol.asyncDispose]() {
      await worker.stop(5_000)
      await site[Symbol.asyncDispose]()
      await dashboard[Symbol.asyncDispose]()
    },
  }
}

/** A search of which a site left the results and came back, and whose engine showed an AI overview. */
async function seedSearch({ api }: Dashboard, { api_key: key }: CreatedOwner): Promise<Seeded['search']> {
  const search = { name: 'Rank', schedule_interval_seconds: 3600, target_domain: 'shop.example' }
  const made = await api.call(key, 'POST', '/v1/serp-monitors?paused=true', { ...search, keyword: 'coffee grinder' })
  const monitor = String(made.body['id'])
  const ranks = [
    [70, 3],
    [50, null],
    [30, 'blocked'],
    [20, 2],
    [3, 4],
  ] as const
  const run = await seedRanks(api.services, monitor, { domain: 'shop.example', ranks, overviewSince: 20, results: 5 })
  return { monitor, run }
}
