import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EventBounds } from '../../../api/events/event-streams.ts'
import type { StatusBounds } from '../../../api/status/status-pages.ts'
import type { ModelSettings } from '../../../boot/parts/model.ts'
import { createPolicy } from '../../../egress/policy.ts'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import type { PatternMatcher } from '../../../runners/pattern/pattern-matcher.ts'
import { createTextDiffer } from '../../../runners/text-diff/text-differ.ts'
import type { Tier } from '../../../schema/account/plan.ts'
import { createFolderStore } from '../../../store/objects/folder-store.ts'
import { renewPeriods } from '../../../store/quota/pool.ts'
import { eventually } from '../run/eventually.ts'
import { type RunningWorker, startWorker } from '../worker/check-worker.ts'
import { startDelivering } from '../worker/delivering.ts'
import { createMonitor } from './monitor-requests.ts'
import { type Client, type ServedApi, serveApi } from './served-api.ts'

const LOOPBACK = { allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] }

/** A run as the API answers it: the keys that tests read. */
interface SeenRun {
  readonly id: string
  readonly status: string
  readonly started_at: string
  readonly extracted: object
  readonly diff: object
  readonly fired: boolean | null
  readonly delivery_triggered: boolean
  readonly error_message: string | null
}

/** A page that a test writes. A text is HTML, bytes are a file, all else JSON, unless a type is given. */
interface Page {
  readonly url: string
  /** Headers of each request for it. */
  readonly requests: readonly IncomingHttpHeaders[]
  set(answer: unknown, type?: string, status?: number): void
}

/** A page with the monitor that watches it. */
export interface Watched extends Page {
  readonly id: string
  /** Its first run, ended. */
  readonly baseline: SeenRun
  /** Runs it now; answers the run when it has ended. */
  run(): Promise<SeenRun>
}

/**
 * The whole service over sockets of loopback: the API, a worker, deliveries where they are asked for, and a site to
 * watch.
 */
export interface Watching {
  readonly served: ServedApi
  page(first: unknown): Page
  /** Creates a monitor of a new page, once a day unless said otherwise, and waits for its first run. */
  watch(first: unknown, more?: object, client?: Client): Promise<Watched>
  /** Moves the store's clock to this many seconds ahead of the wall's. */
  setClock(seconds: number): Promise<void>
  close(): Promise<void>
}

interface WatchingOptions {
  readonly plan?: Tier
  /** Sends what is due. Without it deliveries stay pending. */
  readonly deliver?: boolean
  /** The API has a mail server. */
  readonly hasMail?: boolean
  /** Settings of the model that prompts are read by. */
  readonly model?: Partial<ModelSettings>
  /** Renders pages; without it there is no browser. */
  readonly browsers?: Browsers
  /** Keeps pictures, in a folder that goes with it. */
  readonly pictures?: boolean
  readonly eventBounds?: EventBounds
  /** Tries the patterns of trials and backtests. */
  readonly patterns?: PatternMatcher
  /** How long public status pages are kept. */
  readonly statusBounds?: StatusBounds
}

/** Starts it all. `close` it in `afterAll`. */
export async function startWatching({
  plan = 'scale',
  deliver = false,
  hasMail = false,
  model = {},
  browsers,
  pictures = false,
  eventBounds = {},
  patterns,
  statusBounds = {},
}: WatchingOptions = {}): Promise<Watching> {
  const site = await openPages()
  const folder = pictures ? await mkdtemp(join(tmpdir(), 'tidemark-pictures-')) : null
  const objects = folder === null ? undefined : createFolderStore(folder)
  const differ = createTextDiffer()
  let worker: RunningWorker | undefined
  const wake = () => worker?.loop.wake()
  const served = await serveApi(plan, {
    egress: createPolicy(LOOPBACK),
    differ,
    wake,
    hasMail,
    eventBounds,
    statusBounds,
    ...(objects && { objects }),
    ...(patterns && { patterns }),
  })
  worker = await startWorker({
    url: served.api.databaseUrl,
    secrets: served.api.services.secrets,
    model,
    browsers,
    objects,
  })
  const stopDelivering = deliver ? startDelivering(served.api.services) : async () => {}
  const database = new URL(served.api.databaseUrl).pathname.slice(1)
  return {
    served,
    page: site.page,
    async watch(first, more = {}, client = served.me) {
      const page = site.page(first)
      const monitor = { url: page.url, extract_config: VALUE, schedule_interval_seconds: 86_400, ...more }
      const { id } = await createMonitor(client, monitor)
      return { ...page, id, baseline: await firstRun(client, id), run: () => runNow(client, id) }
    },
    async setClock(seconds) {
      await served.api.sql(`alter database "${database}" set tidemark.clock_offset = '${seconds} seconds'`)
      // As a process does once a second.
      await renewPeriods(served.api.services.store)
    },
    async close() {
      await worker?.stop(5_000)
      await stopDelivering()
      await served.close()
      await differ.close()
      await site.close()
      if (folder !== null) await rm(folder, { recursive: true, force: true })
    },
  }
}

/** What `watch` extracts unless said otherwise. */
export const VALUE = { method: 'json_path', fields: { value: '$.value', other: '$.other' } } as const

/** Runs a monitor now; answers the run when it has ended. */
export async function runNow(client: Client, id: string): Promise<SeenRun> {
  const { body } = await client.post(`/v1/monitors/${id}/run`)
  return eventually(
    async () => (await client.get(`/v1/runs/${body.run_id}`)).body as never as SeenRun,
    (run) => run.status !== 'running',
  )
}

/** A monitor's runs, newest first, once there are so many and none of them is under way. */
export async function endedRuns(client: Client, id: string, count: number): Promise<readonly SeenRun[]> {
  return eventually(
    async () => (await client.get(`/v1/monitors/${id}/runs`)).body.data as never as readonly SeenRun[],
    (runs) => runs.length >= count && runs.every((run) => run.status !== 'running'),
  )
}

async function firstRun(client: Client, id: string): Promise<SeenRun> {
  const [run] = await endedRuns(client, id, 1)
  if (!run) throw new Error('the first run is missing')
  return run
}

async function openPages() {
  const pages = new Map<
    string,
    { body: string | Uint8Array; type: string; status: number; requests: IncomingHttpHeaders[] }
  >()
  const server = createServer((request, response) => {
    const page = pages.get(request.url ?? '')
    page?.requests.push(request.headers)
    response.writeHead(page?.status ?? 404, { 'content-type': page?.type ?? 'text/plain' }).end(page?.body ?? 'none')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    page(first: unknown): Page {
      const path = `/${pages.size + 1}`
      const requests: IncomingHttpHeaders[] = []
      const set: Page['set'] = (answer, type, status = 200) => {
        const isSent = typeof answer === 'string' || answer instanceof Uint8Array
        const byKind = typeof answer === 'string' ? HTML : isSent ? FILE_TYPE : JSON_TYPE
        pages.set(path, { body: isSent ? answer : JSON.stringify(answer), type: type ?? byKind, status, requests })
      }
      set(first)
      return { url: origin + path, requests, set }
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const HTML = 'text/html'
const FILE_TYPE = 'application/octet-stream'
const JSON_TYPE = 'application/json'
