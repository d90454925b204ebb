import { Slots } from '../../concurrency/gates/slots.ts'
import type { Logger } from '../../core/logger.ts'
import type { EgressProxy } from '../../egress/egress-proxy.ts'
import { parseTargetUrl } from '../../egress/target-url.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import { exchangeFault, unusableUrl } from '../fetch/fetch-faults.ts'
import type { FetchFailed } from '../fetch/fetched.ts'
import { BrowserError } from './browser-error.ts'
import { BROWSER_DIED, pageFault } from './browser-faults.ts'
import { createBrowserPool, type BrowserPool, type BrowserPoolOptions } from './chromium/browser-pool.ts'
import type { OneBrowser, WorkLimits } from './chromium/one-browser.ts'
import type { Device } from './page/device.ts'
import { watchNavigation, type Navigation } from './page/navigation.ts'
import { openPage, type OpenPage } from './page/open-page.ts'
import { watchTraffic } from './page/page-rest.ts'
import { createPageSession, type PageSession } from './page/page-session.ts'
import { ended, whatEnds } from './page/render-ends.ts'
import { failed, renderPage } from './page/render-page.ts'
import { RENDER_DEADLINE_MS, type Rendered, type RenderPorts, type RenderRequest } from './page/rendered.ts'
import { type Viewport, viewportOf } from './page/viewport.ts'

export interface BrowsersOptions extends Omit<BrowserPoolOptions, 'processMb' | 'work'> {
  readonly log: Logger
  /** The most pages at the same time. */
  readonly pages: number
  /** Megabytes that one process of the browser may use. Default 1,024. */
  readonly processMb?: number
  /** What the scripts of one page may use. Default: 30 s of processor time, and 64 threads of one process. */
  readonly work?: WorkLimits
}

/**
 * Renders pages, each in its own context. The browser starts when it is first needed and is replaced from time to time.
 */
export interface Browsers {
  /** Waits for a free slot first. Never rejects because of a page's behaviour. */
  render(request: RenderRequest, ports: RenderPorts): Promise<Rendered>
  /**
   * Opens a page as a device shows it, for several navigations, and returns what `use` returns; the fault where the
   * page or the browser ended it. It may begin anew, with another browser.
   */
  visit<T>(
    request: VisitRequest,
    ports: RenderPorts,
    use: (session: PageSession) => Promise<T>,
  ): Promise<T | FetchFailed>
  /** Returns the browser for new pages, for code that monitors it; null: none runs. */
  current(): OneBrowser | null
  /** Ends everything, including running renders. */
  close(): Promise<void>
}

/** What a visit begins with. */
interface VisitRequest {
  /** The first address; it is not opened by itself. */
  readonly url: string
  readonly device: Device
  /** As of a render. */
  readonly team?: string | undefined
}

/** A page that is open, with what happens on it. */
interface Open {
  readonly opened: OpenPage
  readonly navigation: Navigation
  readonly egress: EgressProxy
}

/** One page to work on, with its deadline and its signal. */
interface Job<T> {
  readonly url: URL
  readonly team: string | undefined
  readonly seen: Viewport | Device
  /** As of a render. */
  readonly unrendered?: RenderRequest['unrendered']
  readonly work: (open: Open, times: { readonly startedAt: number; readonly until: number }) => Promise<T>
  /** By the monotonic clock. */
  readonly startedAt: number
  readonly until: number
  readonly signal: AbortSignal
  readonly egress: EgressProxy | undefined
  readonly processMb: number
  readonly limits: WorkLimits
  readonly log: Logger
}

/** Megabytes that one process of the browser may use, unless something else is asked for. */
export const PROCESS_MB = 1_024
/** What the scripts of one page may use, unless something else is asked for. */
export const PAGE_WORK: WorkLimits = { cpuSeconds: 30, threads: 64 }

/** A page gets a second browser when another page ended the first. */
const TRIES = 2

export function createBrowsers(options: BrowsersOptions): Browsers {
  const { pages, processMb = PROCESS_MB, work = PAGE_WORK, log } = options
  const slots = new Slots({ total: pages })
  const pool = createBrowserPool({ ...options, processMb, work })
  let isClosed = false

  async function run<T>(
    address: string,
    { signal, deadlineMs = RENDER_DEADLINE_MS, egress }: RenderPorts,
    how: Pick<Job<T>, 'team' | 'seen' | 'unrendered'> & { readonly work: (url: URL) => Job<T>['work'] },
  ): Promise<T | FetchFailed> {
    const leave = await slots.take('', { signal })
    const startedAt = performance.now()
    const until = startedAt + deadlineMs
    const target = parseTargetUrl(address)
    try {
      if (typeof leave !== 'function' || isClosed) return failed({ startedAt }, STOPPED, null)
      if (!target.ok) return failed({ startedAt }, unusableUrl(target.message), null)
      const { url } = target
      const job = { ...how, url, work: how.work(url), startedAt, until, signal, egress, processMb, limits: work, log }
      return await withBrowsers(pool, job)
    } finally {
      if (typeof leave === 'function') leave()
    }
  }

  return {
    render: (request, ports) =>
      run<Rendered>(request.url, ports, {
        team: request.team,
        unrendered: request.unrendered,
        seen: viewportOf(request.visual),
        work: (url) => (open, times) => renderPage({ request, url, ...open, ...times }),
      }),
    visit: ({ url, device, team }, ports, use) =>
      run(url, ports, {
        team,
        seen: device,
        work: () => (open) => use(createPageSession({ ...open, traffic: watchTraffic(open.opened.page) })),
      }),
    current: () => pool.current(),
    async close() {
      isClosed = true
      await pool.close()
    },
  }
}

const STOPPED: RunFault = exchangeFault({ kind: 'aborted' }, { host: '' }, 0)

async function withBrowsers<T>(pool: BrowserPool, job: Job<T>): Promise<T | FetchFailed> {
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      const result = await attempt(pool, job)
      if (result !== 'died') return result
    }
    return failed(job, BROWSER_DIED, null)
  } catch (error) {
    if (!(error instanceof BrowserError)) throw error
    return failed(job, { code: 'not_available', message: error.message.slice(0, 1_000) }, null)
  }
}

async function attempt<T>(pool: BrowserPool, job: Job<T>): Promise<T | FetchFailed | 'died'> {
  const { url, startedAt, until, signal, egress, log } = job
  const one = await pool.take()
  const ends = whatEnds(one.browser, until, signal)
  let opened: OpenPage | undefined
  let navigation: Navigation | undefined
  async function workOnce(): Promise<{ readonly result: T }> {
    const server = await serverOf(job, one.browser.proxy)
    opened = await openPage(one.browser, job.seen, server)
    ends.watch(opened)
    navigation = await watchNavigation(opened)
    const open = { egress: egress ?? one.browser.proxy, opened, navigation }
    return { result: await job.work(open, { startedAt, until }) }
  }
  try {
    const first = await Promise.race([workOnce().catch((error: unknown) => ends.afterError(error)), ends.reason])
    if (first === 'died') return first
    if (typeof first === 'string')
      return ended(first, { ...job, unrendered: job.unrendered, work: job.limits, navigation })
    if ('result' in first) return first.result
    log.warn({ err: first.broke, host: url.host }, 'a page could not be rendered')
    return failed(job, pageFault(first.broke, url.host), navigation?.answer?.status() ?? null)
  } finally {
    ends.stop()
    await pool.leave(one, opened)
  }
}

/** Returns the address of the egress proxy for a page; null: the one that the browser was started with. */
async function serverOf<T>({ egress, team = '' }: Job<T>, own: EgressProxy): Promise<string | null> {
  return egress || team !== '' ? (egress ?? own).serverFor(team) : null
}
