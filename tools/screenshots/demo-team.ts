import { setTimeout as pause } from 'node:timers/promises'
import { request } from 'undici'
import type { Database } from '../../bench/support/database.ts'
import { moveClock } from '../../bench/support/monitors.ts'
import { STEPS, type startDemoSite } from './demo-site.ts'

const MONITORS = [
  { name: 'Kettle', path: 'kettle', field: 'price', labels: { team: 'shop' }, hours: 6 },
  { name: 'Coffee grinder', path: 'grinder', field: 'price', labels: { team: 'shop' }, hours: 6 },
  { name: 'Kitchen scales', path: 'scales', field: 'price', labels: { team: 'shop' }, hours: 6 },
  { name: 'Release of Node', path: 'release', field: 'version', labels: { team: 'platform' }, hours: 12 },
  { name: 'Status of the mail service', path: 'status', field: 'status', labels: { team: 'platform' }, hours: 1 },
  { name: 'Seats of the concert', path: 'seats', field: 'seats', labels: { team: 'events' }, hours: 24 },
  { name: 'Terms of the bank', path: 'terms', field: null, labels: { team: 'legal' }, hours: 24 },
] as const

interface Changed {
  readonly monitor: string
  /** The last run of it that found a change. */
  readonly run: string
}

/** What the pictures of single screens show. */
interface DemoTeam extends Changed {
  /** A monitor of a whole page. */
  readonly text: Changed
  /** A delivery that was given up. */
  readonly delivery: string
}

interface DemoParts {
  readonly base: string
  readonly key: string
  readonly database: Database
  readonly site: Awaited<ReturnType<typeof startDemoSite>>
}

const STEP_HOURS = 47

const CHAT = (base: string) => ({
  type: 'webhook',
  service: 'telegram',
  url: `${base}/bot1/sendMessage`,
  options: { chat_id: '-1001234' },
})

/** Makes monitors and lets them see their pages change, one step after the other, until now. */
export async function makeDemoTeam({ base, key, database, site }: DemoParts): Promise<DemoTeam> {
  const ask = async (method: 'GET' | 'POST', path: string, sent?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = sent === undefined ? null : JSON.stringify(sent)
    const answer = await request(base + path, { method, headers, body })
    const read = (await answer.body.json()) as Readonly<Record<string, unknown>>
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(read)}`)
    return read
  }
  async function check(id: string): Promise<string> {
    const { run_id: run } = await ask('POST', `/v1/monitors/${id}/run`)
    for (;;) {
      const { status } = await ask('GET', `/v1/runs/${String(run)}`)
      if (status !== 'running') return String(run)
      await pause(50)
    }
  }
  await moveClock(database, -STEP_HOURS * (STEPS - 1))
  const ids: string[] = []
  for (const { name, path, field, labels, hours } of MONITORS) {
    const extract_config =
      field === null ? { method: 'full_page', ignore: {} } : { method: 'css', fields: { [field]: '.value' } }
    const { id } = await ask('POST', '/v1/monitors', {
      name,
      url: `${site.base}/${path}`,
      schedule_interval_seconds: hours * 3_600,
      extract_config,
      diff_predicate: { type: 'any_field_changes' },
      labels,
      deliveries: [
        { type: 'webhook', url: `${site.base}/hook` },
        ...(labels.team === 'shop' ? [CHAT(site.base), { type: 'webhook', url: `${site.base}/gone` }] : []),
      ],
    })
    ids.push(String(id))
  }
  for (site.step = 0; site.step < STEPS; site.step += 1) {
    await moveClock(database, -STEP_HOURS * (STEPS - 1 - site.step))
    for (const id of ids) await check(id)
  }
  const [monitor = ''] = ids
  async function givenUp(): Promise<string> {
    for (;;) {
      const { data } = (await ask('GET', '/v1/deliveries?given_up=true&limit=1')) as {
        readonly data: readonly { readonly id: string }[]
      }
      if (data[0]) return data[0].id
      await pause(50)
    }
  }
  const changed = async (id: string): Promise<Changed> => {
    const { data } = (await ask('GET', `/v1/monitors/${id}/runs?changed=true&limit=1`)) as {
      readonly data: readonly { readonly id: string }[]
    }
    return { monitor: id, run: data[0]?.id ?? '' }
  }
  return { ...(await changed(monitor)), text: await changed(ids.at(-1) ?? ''), delivery: await givenUp() }
}
