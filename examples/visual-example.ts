import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

/** The addresses of a Tidemark and of the example page that it watches, without a slash at the end. */
export interface RunningExample {
  readonly tidemark: string
  readonly key: string
  readonly page: string
}

/** The used fields of a run. */
interface Run {
  readonly id: string
  readonly status: string
  readonly visual_change_pct: number
  readonly delivery_triggered: boolean
  readonly error_message: string | null
}

/** The results of following the visual monitor of docs/visual.md. */
export interface Followed {
  readonly monitorId: string
  readonly baseline: Run
  readonly changed: Run
  readonly region: { readonly label: string; readonly changedPct: number; readonly hasChanges: boolean }
  /** PNG files as the service stores them. */
  readonly pictures: Readonly<Record<Picture, Uint8Array>>
}

/** The pictures in the order in which the page shows them. */
export const PICTURES = ['before', 'after', 'diff'] as const
export type Picture = (typeof PICTURES)[number]

const PAGE = new URL('../docs/visual.md', import.meta.url)
const PATIENCE_MS = 60_000
const LOOK_EVERY_MS = 100

/**
 * Follows the example of docs/visual.md, from a page that has just been started. The price has changed once before, the
 * monitor takes its baseline, and the price changes again. Throws when a run does not succeed.
 */
export async function followVisualExample(context: RunningExample): Promise<Followed> {
  await post(`${context.page}/change`)
  const { id: monitorId } = await ask<{ id: string }>(context, '/v1/monitors', await monitorOfReadme(context))
  const { secret } = await ask<{ secret: string }>(context, `/v1/monitors/${monitorId}/signing-secret`)
  await post(`${context.page}/secret`, secret)
  const [first] = await eventually(
    async () => (await ask<{ data: Run[] }>(context, `/v1/monitors/${monitorId}/runs`)).data,
    ([run]) => run !== undefined && run.status !== 'running',
  )
  const baseline = succeeded(first)
  await post(`${context.page}/change`)
  const changed = await runNow(context, monitorId)
  const images = await ask<{ regions: Region[] }>(context, `/v1/run-images/${changed.id}`)
  const [region] = images.regions
  if (!region) throw new Error('the run has no pictures')
  const [before, after, diff] = await Promise.all(
    PICTURES.map((picture) => download(region[`${picture}Url`], context.tidemark)),
  )
  if (!before || !after || !diff) throw new Error('the run saw no change')
  return { monitorId, baseline, changed, region, pictures: { before, after, diff } }
}

type Region = Followed['region'] & Readonly<Record<`${Picture}Url`, string | null>>

/** Starts a run of a monitor and waits for its end. */
export async function runNow(context: RunningExample, monitorId: string): Promise<Run> {
  const { run_id } = await ask<{ run_id: string }>(context, `/v1/monitors/${monitorId}/run`, '{}')
  const run = await eventually(
    () => ask<Run>(context, `/v1/runs/${run_id}`),
    ({ status }) => status !== 'running',
  )
  return succeeded(run)
}

/**
 * Returns the body of the page's call that has a `visual_config`, so that the example of the page is what is
 * tested.
 */
async function monitorOfReadme({ page }: RunningExample): Promise<string> {
  const bodies = (await readFile(PAGE, 'utf8')).matchAll(/-d '(\{.*?\n\})'/gs)
  const [body] = Array.from(bodies, ([, text = '']) => text).filter((text) => text.includes('"visual_config"'))
  if (body === undefined) throw new Error('docs/visual.md has no visual monitor')
  return body.replaceAll('http://127.0.0.1:8181', page)
}

async function ask<T>({ tidemark, key }: RunningExample, path: string, body?: string): Promise<T> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(tidemark + path, { headers, ...(body !== undefined && { method: 'POST', body }) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`)
  return JSON.parse(text) as T
}

async function post(url: string, body = ''): Promise<void> {
  const answer = await fetch(url, { method: 'POST', body })
  await answer.bytes()
}

/** Downloads a picture. A signed address names the host under which people reach the service. */
async function download(url: string | null, tidemark: string): Promise<Uint8Array | null> {
  if (url === null) return null
  const answer = await fetch(new URL(new URL(url).pathname, tidemark))
  if (!answer.ok) throw new Error(`a picture answered ${answer.status}`)
  return answer.bytes()
}

function succeeded(run: Run | undefined): Run {
  if (run?.status !== 'success') throw new Error(`the run did not succeed: ${run?.error_message}`)
  return run
}

async function eventually<T>(look: () => Promise<T>, isSo: (seen: T) => boolean): Promise<T> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const seen = await look()
    if (isSo(seen)) return seen
    if (performance.now() > until) throw new Error(`the condition did not hold in time: ${JSON.stringify(seen)}`)
    await pause(LOOK_EVERY_MS)
  }
}
