import type { Logger } from '../../core/logger.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { EgressProxy } from '../../egress/egress-proxy.ts'
import { exchangeFault, unusableUrl } from '../fetch/fetch-faults.ts'
import { parseTargetUrl } from '../../egress/target-url.ts'
import { createSlotQueue } from '../../concurrency/slot-queue.ts'
import { BROWSER_DIED, pageFault } from './browser-faults.ts'
import { BrowserError } from './browser-error.ts'
import { createBrowserPool, type BrowserPool, type BrowserPoolOptions } from './chromium/browser-pool.ts'
import type { OneBrowser, WorkLimits } from './chromium/one-browser.ts'
import { watchNavigation, type Navigation } from './page/navigation.ts'
import { openPage, type OpenPage } from './page/open-page.ts'
import { ended, whatEnds } from './page/render-ends.ts'
import { failed, renderPage } from './page/render-page.ts'
import { RENDER_DEADLINE_MS, type Rendered, type RenderPorts, type RenderRequest } from './page/rendered.ts'
import { viewportOf } from './page/viewport.ts'

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
  /** Returns the browser for new pages, for code that monitors it; null: none runs. */
  current(): OneBrowser | null
  /** Ends everything, including running renders. */
  close(): Promise<void>
}

/** One page to render, with its deadline and its signal. */
interface Job {
  readonly request: RenderRequest
  readonly url: URL
  /** By the monotonic clock. */
  readonly startedAt: number
  readonly until: number
  readonly signal: AbortSignal
  readonly egress: EgressProxy | undefined
  readonly processMb: number
  readonly work: WorkLimits
  readonly log: Logger
}

const WORK: WorkLimits = { cpuSeconds: 30, threads: 64 }

/** A page gets a second browser when another page ended the first. */
const TRIES = 2

export function createBrowsers(options: BrowsersOptions): Browsers {
  const { pages, processMb = 1_024, work = WORK, log } = options
  const slots = createSlotQueue({ total: pages })
  const pool = createBrowserPool({ ...options, processMb, work })
  let isClosed = false

  return {
    async render(request, { signal, deadlineMs = RENDER_DEADLINE_MS, egress }) {
      const leave = await slots.enter('', signal)
      const startedAt = performance.now()
      const until = startedAt + deadlineMs
      const target = parseTargetUrl(request.url)
      try {
        if (typeof leave !== 'function' || isClosed) return failed({ startedAt }, STOPPED, null)
        if (!target.ok) return failed({ startedAt }, unusableUrl(target.message), null)
        return await render(pool, { request, url: target.url, startedAt, until, signal, egress, processMb, work, log })
      } finally {
        if (typeof leave === 'function') leave()
      }
    },
    current: () => pool.current(),
    async close() {
      isClosed = true
      await pool.close()
    },
  }
}

const STOPPED: RunFault = exchangeFault({ kind: 'aborted' }, { host: '' }, 0)

async function render(pool: BrowserPool, job: Job): Promise<Rendered> {
  try {
    for (let tries = 0; tries < TRIES; tries++) {
      const rendered = await attempt(pool, job)
      if (rendered !== 'died') return rendered
    }
    return failed(job, BROWSER_DIED, null)
  } catch (error) {
    if (!(error instanceof BrowserError)) throw error
    return failed(job, { code: 'not_available', message: error.message.slice(0, 1_000) }, null)
  }
}

async function attempt(pool: BrowserPool, job: Job): Promise<Rendered | 'died'> {
  const { request, url, startedAt, until, signal, egress, log } = job
  const one = await pool.take()
  const ends = whatEnds(one.browser, until, signal)
  let opened: OpenPage | undefined
  let navigation: Navigation | undefined
  async function renderOnce(): Promise<Rendered> {
    const server = await serverOf(job, one.browser.proxy)
    opened = await openPage(one.browser, viewportOf(request.visual), server)
    ends.watch(opened)
    navigation = await watchNavigation(opened)
    return renderPage({ request, url, egress: egress ?? one.browser.proxy, opened, navigation, startedAt, until })
  }
  try {
    const first = await Promise.race([renderOnce().catch((error: unknown) => ends.afterError(error)), ends.reason])
    if (first === 'died') return first
    if (typeof first === 'string') return ended(first, { ...job, navigation })
    if (!('broke' in first)) return first
    log.warn({ err: first.broke, host: url.host }, 'a page could not be rendered')
    return failed(job, pageFault(first.broke, url.host), null)
  } finally {
    ends.stop()
    await pool.leave(one, opened)
  }
}

/** Returns the address of the egress proxy for a page; null: the one that the browser was started with. */
async function serverOf({ egress, request: { team = '' } }: Job, own: EgressProxy): Promise<string | null> {
  return egress || team !== '' ? (egress ?? own).serverFor(team) : null
}
