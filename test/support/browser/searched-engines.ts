import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import type { DeliveryPayload } from '../../../schema/run/delivery.ts'
import type { Run } from '../../../schema/run/run.ts'
import type { SerpEngine } from '../../../schema/serp/serp-search.ts'
import type { NewMail } from '../../../store/accounts/mail-queue.ts'
import { createFolderStore } from '../../../store/objects/folder-store.ts'
import type { ObjectStore } from '../../../store/objects/object-store.ts'
import { toRun } from '../../../store/runs/run-record.ts'
import { findRun } from '../../../store/runs/runs.ts'
import type { SearchProvider } from '../../../worker/searches/search-provider.ts'
import { openQueueDatabase, type QueueDatabase } from '../database/queue-database.ts'
import { addSearch } from '../database/stored-searches.ts'
import { openSite, type Site, status } from '../network/site.ts'
import { eventually } from '../run/eventually.ts'
import { startWorker, type RunningWorker, type WorkerOptions } from '../worker/check-worker.ts'
import { testBrowsers } from './test-browsers.ts'

interface WorkOptions extends Pick<WorkerOptions, 'around'> {
  readonly provider?: SearchProvider
  readonly country?: string
  /** Of the store. Default: the database itself. */
  readonly url?: string
  readonly leaseMs?: number
}

/** What a test's engine answers to a search. */
interface Answer {
  readonly status?: number
  readonly html: string
}

/** Workers with a browser, and a server that is every search engine. */
export interface SearchedEngines extends AsyncDisposable {
  readonly database: QueueDatabase
  readonly registry: Registry
  readonly objects: ObjectStore
  readonly mails: NewMail[]
  /** The addresses of searches that were asked. */
  readonly asked: URL[]
  /** Sets what the engine answers from now on. */
  answer(by: (query: URLSearchParams) => string | Answer): void
  /** Inserts a monitor; returns its number. */
  add(team: string, options?: Parameters<typeof addSearch>[2]): Promise<number>
  work(options?: WorkOptions): Promise<RunningWorker>
  /** Makes the monitor's check due, and returns the run that it makes. */
  check(no: number): Promise<Run>
  runs(no: number): Promise<readonly Run[]>
  payloads(no: number): Promise<readonly DeliveryPayload[]>
  /** Ends what a test leaves: nothing is due, no engine is left alone, and the clock is true again. */
  reset(): Promise<void>
}

export async function openSearchedEngines(): Promise<SearchedEngines> {
  const database = await openQueueDatabase()
  const site: Site = await openSite({ otherwise: status(404) })
  const browsers: Browsers = testBrowsers()
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-serp-'))
  const objects = createFolderStore(folder)
  const registry = new Registry()
  const asked: URL[] = []
  const mails: NewMail[] = []
  const workers: RunningWorker[] = []
  let answerTo: (query: URLSearchParams) => string | Answer = () => ''
  for (const path of ['/search', '/', '/search/'])
    site.page(path, (response, request) => {
      const url = new URL(request.url ?? '', site.origin)
      asked.push(url)
      const given = answerTo(url.searchParams)
      const { status: code = 200, html } = typeof given === 'string' ? { html: given } : given
      response.writeHead(code, { 'content-type': 'text/html; charset=utf-8' }).end(html)
    })
  const endpoints: Partial<Record<SerpEngine, string>> = {}
  for (const engine of ['google', 'bing', 'yahoo', 'duckduckgo', 'yandex'] as const) endpoints[engine] = site.origin

  async function runs(no: number): Promise<readonly Run[]> {
    const stored = await database.runs(no)
    const [owner] = await database.query<{ team_id: string }>('select team_id from monitors where no = $1', [no])
    const found = await Promise.all(stored.map(({ id }) => findRun(database.store, owner?.team_id ?? '', id)))
    return found.map((run) => {
      if (!run) throw new Error('a run is gone')
      return toRun(run)
    })
  }

  return {
    database,
    registry,
    objects,
    mails,
    asked,
    runs,
    answer: (by) => void (answerTo = by),
    add: (team, options) => addSearch(database, team, { dueSeconds: -3600, ...options }),
    async work({ provider, country, url = database.url, leaseMs, around } = {}) {
      const worker = await startWorker({
        url,
        ...(leaseMs !== undefined && { leaseMs }),
        ...(around && { around }),
        secrets: database.secrets,
        browsers,
        objects,
        rendersPages: true,
        concurrency: 2,
        search: {
          means: { browsers, endpoints, between: [0, 1], country: country ?? null },
          registry: workers.length === 0 ? registry : new Registry(),
          mails: { add: async (_, mail) => mails.push(mail) > 0 },
          ...(provider && { provider }),
        },
      })
      workers.push(worker)
      return worker
    },
    async check(no) {
      const before = (await database.runs(no)).length
      await database.query('update checks set next_run_at = clock(), due_at = clock() where no = $1', [no])
      for (const { loop } of workers) loop.wake()
      await eventually(
        () => database.runs(no),
        (seen) => seen.length > before,
      )
      const last = (await runs(no)).at(-1)
      if (!last) throw new Error('no run')
      return last
    },
    async payloads(no) {
      const sent = await database.query<{ payload: string }>(
        'select payload from deliveries where monitor_no = $1 order by created_at, id',
        [no],
      )
      return sent.map(({ payload }) => JSON.parse(payload) as DeliveryPayload)
    },
    async reset() {
      await database.query('update checks set due_at = null, next_run_at = null')
      await database.query('delete from serp_engines')
      await database.query('delete from serp_exits')
      await database.setClock('0')
      asked.length = 0
    },
    async [Symbol.asyncDispose]() {
      for (const worker of workers) await worker[Symbol.asyncDispose]()
      await browsers.close()
      await objects.close()
      await site[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A destination of monitors whose deliveries are read in the outbox, and not sent. */
export const HOOK = { type: 'webhook', url: 'http://127.0.0.1:1/hook' } as const

/** Addresses of results, each at a site of its own: site-1.example, site-2.example, … */
export const resultUrls = (count: number, from = 1): string[] =>
  Array.from({ length: count }, (_, at) => `https://site-${from + at}.example/page`)

/** One result of a test's page. */
interface Listed {
  readonly url: string
  readonly title?: string
  readonly description?: string | null
}

/** A page of Google as it is built in 2026. */
export function googlePage(results: readonly (string | Listed)[], next: string | null = null): string {
  const items = results.map((one) => {
    const { url, title = `About ${url}`, description = 'A snippet.' } = typeof one === 'string' ? { url: one } : one
    const snippet = description === null ? '' : `<div data-sncf="1"><div class="VwiC3b">${description}</div></div>`
    return `<div class="MjjYud"><div class="tF2Cxc"><a href="${url}"><h3>${title}</h3></a>${snippet}</div></div>`
  })
  const link = next === null ? '' : `<a id="pnnext" href="${next}">Next</a>`
  return `<!doctype html><title>x</title><body><div id="rso">${items.join('')}</div>${link}`
}

/** The page with which Google refuses. */
export const REFUSAL = {
  status: 429,
  html: '<!doctype html><title>Sorry</title><body><form id="captcha-form" action="index"></form>',
}
