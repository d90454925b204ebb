import type { Browser } from 'playwright-core'
import { withTimeout } from '../../../concurrency/loops/retry.ts'
import { type EgressProxy, startEgressProxy } from '../../../egress/egress-proxy.ts'
import type { EgressPolicy } from '../../../egress/policy.ts'
import { throwaway } from '../../../egress/throwaway-certificate.ts'
import { unprivilegedUser } from '../../../platform/unprivileged-user.ts'
import { BrowserError } from '../browser-error.ts'
import { type ChromiumProcess, startChromium } from './chromium-process.ts'
import { chromiumProgram } from './chromium-program.ts'
import { launchChromium } from './launched-chromium.ts'
import { createPipeTransport } from './pipe-transport.ts'
import type { ProcessUsage } from './process-usage.ts'

export interface BrowserSetup {
  readonly egress: EgressPolicy
  /** `CHROMIUM_PATH`, or null. */
  readonly path: string | null
  readonly dataDir: string
  /** The socket of a launcher that starts browsers in another container. Null: they are children of this process. */
  readonly socket: string | null
  /** Megabytes that one process of the browser may use; above it the process is killed. */
  readonly processMb: number
  /** What the scripts of one page may use; above it the process is killed. */
  readonly work: WorkLimits
}

export interface WorkLimits {
  /** Seconds of processor time, of all threads and processes of the page. */
  readonly cpuSeconds: number
  /** Threads of one process. A page has about eight, and one more for each web worker. */
  readonly threads: number
}

/** A running Chromium with its own egress proxy. */
export interface OneBrowser {
  readonly pid: number
  readonly playwright: Browser
  readonly proxy: EgressProxy
  readonly startedAt: number
  /** True once it has ended or is being ended. */
  readonly isGone: boolean
  /** `performance.now()` when one of its processes was last killed for its memory; -Infinity: never. */
  readonly memoryKillAt: number
  /** The same for a page that filled its script heap and was ended by the browser. */
  readonly heapFullAt: number
  /** The same for a page that used more processor time or threads than a page may. */
  readonly workKillAt: number
  /** Megabytes of all its processes, as last measured. */
  readonly megabytes: number
  readonly ended: Promise<void>
  /** Tells how many pages it shows now: all of them together may use as much processor time as each may. */
  showsNow(pages: number): void
  /** Ends the browser at once, with all its pages. */
  kill(): void
}

/** Returns the megabytes that a page's scripts may fill, out of the process's limit. */
export const heapOf = (processMb: number): number => Math.ceil(processMb / 2)

const START_MS = 20_000
const WATCH_MS = 200
/** A process that used less than this part of a page's processor time is not looked at closely. */
const MAX_PROCESSES = 100

/** The kernel, or the seccomp profile of the container, allows no sandbox. */
export class NoSandboxError extends BrowserError {}

/**
 * Starts a browser and waits until it responds. Throws a `BrowserError` that says what to do; a `NoSandboxError` when
 * it was to have a sandbox and there is none.
 */
export async function startBrowser(setup: BrowserSetup, isSandboxed: boolean): Promise<OneBrowser> {
  const proxy = await startEgressProxy(setup.egress)
  let child: ChromiumProcess | undefined
  try {
    const spki = setup.egress.trust.isPlain ? null : throwaway().spki
    const how = { proxyServer: proxy.server, heapMb: heapOf(setup.processMb), spki, isSandboxed }
    child = await (setup.socket === null ? startLocal(setup, how) : launchChromium(setup.socket, how))
    const playwright = await connected(child)
    return running(child, playwright, proxy, setup)
  } catch (error) {
    child?.kill()
    await Promise.all([child?.ended, proxy.close()])
    throw error
  }
}

async function startLocal(
  setup: BrowserSetup,
  how: Pick<Parameters<typeof startChromium>[0], 'proxyServer' | 'heapMb' | 'spki' | 'isSandboxed'>,
): Promise<ChromiumProcess> {
  const user = await unprivilegedUser(['nobody']).catch((error: Error) => {
    throw new BrowserError(`The browser does not run as root, and ${error.message}.`)
  })
  const program = await chromiumProgram({ path: setup.path, dataDir: setup.dataDir, user })
  return startChromium({ ...how, program, user })
}

async function connected(child: ChromiumProcess): Promise<Browser> {
  // Seven megabytes of code: a process that renders no page never loads it.
  const { chromium } = await loadPlaywright()
  // Without this each screenshot waits for the fonts again, without a limit; three seconds are enough (capture.ts).
  // Playwright reads it before every screenshot.
  // oxlint-disable-next-line node/no-process-env -- there is no option for it
  process.env['PW_TEST_SCREENSHOT_NO_FONTS_READY'] = '1'
  const connecting = chromium.connectOverCDP(createPipeTransport(child.toBrowser, child.fromBrowser), { timeout: 0 })
  // Playwright's own timer would outlive a browser that ends at once. The result is ignored when the race is lost, so
  // the rejection is handled here: an unhandled one would end the process.
  connecting.catch(() => undefined)
  try {
    const first = await withTimeout(Promise.race([connecting, child.ended.then(() => null)]), START_MS, () => null)
    if (first === null) throw startFailure(child.output())
    return first
  } catch (error) {
    if (error instanceof BrowserError) throw error
    throw startFailure(child.output())
  }
}

/** Returns an error that helps, from Chromium's standard error. */
function startFailure(output: string): BrowserError {
  if (/No usable sandbox|setuid sandbox|Failed to move to new namespace/i.test(output))
    return new NoSandboxError(
      'The browser has no sandbox on this machine, and does not run without one: unprivileged user namespaces are ' +
        'refused. Allow them ' +
        '(in a container by the option --security-opt seccomp=chromium.json, see docs/docker.md; elsewhere by ' +
        'sysctl kernel.unprivileged_userns_clone=1 or kernel.apparmor_restrict_unprivileged_userns=0, ' +
        'user.max_user_namespaces above 0), or set CHROMIUM_PATH to a Chromium with its setuid sandbox.',
    )
  const library = /error while loading shared libraries: (\S+?):/.exec(output)?.[1]
  if (library !== undefined)
    return new BrowserError(
      `The browser does not start: the library ${library} is missing. Install it, or set CHROMIUM_PATH to another ` +
        `Chromium.`,
    )
  const last = output.trim().split('\n').at(-1)?.slice(0, 300) ?? ''
  return new BrowserError(
    `The browser does not start${last === '' ? '' : `: ${last}`}. See docs/browser.md, or set CHROMIUM_PATH to ` +
      `another Chromium.`,
  )
}

function running(child: ChromiumProcess, playwright: Browser, proxy: EgressProxy, setup: BrowserSetup): OneBrowser {
  const state = { isGone: false, memoryKillAt: -Infinity, workKillAt: -Infinity, megabytes: 0, pages: 1 }
  const watch = setInterval(() => void checkUsage(), WATCH_MS)
  watch.unref()

  async function checkUsage(): Promise<void> {
    const processes = await child.usage()
    state.megabytes = processes.reduce((sum, one) => sum + one.megabytes, 0)
    for (const { pid, megabytes } of processes) {
      if (megabytes <= setup.processMb || state.isGone) continue
      state.memoryKillAt = performance.now()
      child.killOne(pid)
    }
    await checkWork(processes)
  }

  /** The processes of a page end with it, so what those that run have used belongs to the pages that are shown now. */
  async function checkWork(processes: readonly ProcessUsage[]): Promise<void> {
    const { cpuSeconds, threads } = setup.work
    const busy = processes.filter((one) => one.threads > threads || one.cpuSeconds > cpuSeconds / MAX_PROCESSES)
    const shown: ProcessUsage[] = []
    for (const one of busy) if (await child.showsPages(one.pid)) shown.push(one)
    if (state.isGone) return
    for (const one of shown) {
      if (one.threads <= threads && one.cpuSeconds <= cpuSeconds) continue
      state.workKillAt = performance.now()
      child.killOne(one.pid)
    }
    const all = shown.reduce((sum, one) => sum + one.cpuSeconds, 0)
    if (all <= cpuSeconds * Math.max(1, state.pages)) return
    // Whose processes they are is known only for a page that is alone. Several get another browser, each once.
    if (state.pages === 1) state.workKillAt = performance.now()
    state.isGone = true
    child.kill()
  }

  // Its transport has closed. A browser that still runs is of no use, and would run on with all its pages.
  playwright.on('disconnected', () => {
    if (!state.isGone) child.kill()
    state.isGone = true
  })
  const ended = child.ended.then(async () => {
    state.isGone = true
    clearInterval(watch)
    await proxy.close()
  })
  return {
    pid: child.pid,
    playwright,
    proxy,
    startedAt: performance.now(),
    get isGone() {
      return state.isGone
    },
    get memoryKillAt() {
      return state.memoryKillAt
    },
    get workKillAt() {
      return state.workKillAt
    },
    get heapFullAt() {
      return child.heapFullAt()
    },
    get megabytes() {
      return state.megabytes
    },
    ended,
    showsNow(pages) {
      state.pages = pages
    },
    kill() {
      state.isGone = true
      child.kill()
    },
  }
}

/**
 * Loads the code that drives a browser: half a second in which a process does nothing else, and 50 MB. A process that
 * may be at rest loads it with its first page, and a worker at its start, so that no check is late because of it.
 */
export const loadPlaywright = () => import('playwright-core')
