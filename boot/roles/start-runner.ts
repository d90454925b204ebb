import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Outage } from '../../concurrency/loops/outage.ts'
import { sleep } from '../../concurrency/loops/sleep.ts'
import { MOVING_MS } from '../../core/health.ts'
import type { Logger } from '../../core/logger.ts'
import { createGuardedAgent } from '../../egress/guarded-agent.ts'
import { createRunnerPolicy, type EgressPolicy, type RunnerPolicy } from '../../egress/policy.ts'
import { print } from '../../platform/print.ts'
import { bodySlots, ownCapacity } from '../../runners/capacity.ts'
import type { CheckSource } from '../../runners/check/check-source.ts'
import { checkByKind } from '../../runners/check/kinds/check-kind.ts'
import { CHECK_KINDS } from '../../runners/check/kinds/check-kinds.ts'
import type { ProxyPort } from '../../runners/check/last-resort.ts'
import { createHttpCheckSource, type HttpCheckSource } from '../../runners/client/http-check-source.ts'
import { RunnerApiError } from '../../runners/client/runner-api-error.ts'
import { keptToken } from '../../runners/client/token-renewal.ts'
import { createExtractor } from '../../runners/extract/pool/extractor.ts'
import { createPageReader } from '../../runners/fetch/paging/page-reader.ts'
import { createProxyLayer } from '../../runners/fetch/proxy/proxy-layer.ts'
import { type CheckLoop, createCheckLoop } from '../../runners/loop/check-loop.ts'
import { createCheckMetrics } from '../../runners/loop/check-metrics.ts'
import { browsersOf } from '../parts/browsers.ts'
import { policyOptions } from '../parts/egress.ts'
import { pageErrorsOf } from '../parts/page-errors.ts'
import { searchMeansOf } from '../parts/search-means.ts'
import { watchIdle } from '../process/idle-watch.ts'
import { keepToken } from '../process/keep-token.ts'
import { serveHealth } from '../process/serve-health.ts'
import { TokenRefusedError } from '../process/token-refused-error.ts'
import type { ProcessContext } from '../process/until-stopped.ts'
import { SettingsError, type Settings } from '../settings/read-config.ts'

/** The time that pages in flight have at a stop. Unfinished ones are released, and another runner claims them. */
const DRAIN_MS = 18_000
/** An idle runner does not ask more often: hundreds of runners ask one store. */
const IDLE_MS = 1_000
/** A runner hands over its results and ends this long before its token expires. */
const LAST_MS = 20_000

/**
 * Starts a runner: it renders checks that it claims over HTTP. It has a browser, and neither a store nor a key. The
 * stack stops it.
 */
export async function startRunner(
  settings: Settings,
  context: ProcessContext & {
    /** The file that the token was read from. Null: it was none. */
    readonly tokenFile: string | null
  },
): Promise<void> {
  const { log, stack, stopping, end, ready, tokenFile } = context
  const { url, token } = whereAndWho(settings)
  const egress = egressOf(settings, url)
  const http = createHttpCheckSource({
    url,
    token,
    log,
    // A process without a browser claims nothing that needs one.
    ...(settings.TIDEMARK_BROWSER_PAGES > 0 && { exit: settings.TIDEMARK_EXIT_NAME }),
    ...(tokenFile !== null && { reread: () => keptToken(tokenFile) }),
    onRefused: () => end(new TokenRefusedError()),
    onDenials: ({ database_ports: databasePorts = [], ...denials }) => egress.deny({ ...denials, databasePorts }),
  })
  stack.defer('the runner client', () => http.close())
  const leaseMs = await leaseLength(http, context)
  if (leaseMs === null) return
  await keepToken(http, context)
  const { source, idleMs } = watchIdle(http)
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'tidemark_' })
  const proxy = relayOf(http, { url, egress, log })
  const loop = startLoop(
    { settings, source, outage: http.outage, leaseMs, registry, egress, proxy, onSandbox: http.reportSandbox },
    context,
  )
  stack.defer('checks', () => loop.drain(DRAIN_MS))
  await serveMetrics(settings, { registry, loop }, context)
  watchEnd({ idleMs, idleSeconds: settings.TIDEMARK_RUNNER_IDLE_SECONDS, http }, context)
  if (stopping.aborted) return
  loop.start()
  print(process, `Tidemark is rendering for ${url}\n`)
  ready(`Rendering for ${url}`)
}

function whereAndWho(settings: Settings): { readonly url: string; readonly token: string } {
  const { TIDEMARK_RUNNER_API_URL: url, TIDEMARK_RUNNER_TOKEN: token } = settings
  if (url === undefined || token === undefined) throw new TypeError('the command has checked its settings')
  return { url, token }
}

/**
 * Returns how long leases last, as soon as a worker answers: the worker may start later than the runner. Returns null
 * when the process is to stop.
 */
async function leaseLength(source: HttpCheckSource, { log, stopping }: ProcessContext): Promise<number | null> {
  while (!stopping.aborted) {
    try {
      return (await source.greet()).leaseMs
    } catch (error) {
      if (error instanceof RunnerApiError && error.isToken) throw new TokenRefusedError()
      if (error instanceof RunnerApiError && !error.isPassing)
        throw new SettingsError([
          {
            path: 'TIDEMARK_RUNNER_API_URL',
            message: `leads to no runner API that this runner can use: ${error.message}`,
          },
        ])
      if (!source.outage.covers(error, 'greetings'))
        log.warn({ err: error }, 'no worker answers; trying again in a second')
      await sleep(1_000, stopping)
    }
  }
  return null
}

/**
 * Returns the proxy of a runner: the relay of the runner API. The worker behind it has the credentials of the proxy and
 * the allowance of the team.
 */
function relayOf(source: HttpCheckSource, { url, egress, log }: Relayed): ProxyPort {
  const { hostname: host, port, protocol } = new URL(url)
  const isSecure = protocol === 'https:'
  const address = {
    host,
    port: Number(port || (isSecure ? 443 : 80)),
    isSecure,
    // The token may be renewed.
    get authorization() {
      return source.authorization()
    },
  }
  const layer = createProxyLayer({ proxy: address, policy: egress, log, forwards: false })
  return { layer, holdFor: (task) => source.holdFor(task) }
}

interface Relayed {
  readonly url: string
  readonly egress: EgressPolicy
  readonly log: Logger
}

/** Returns the egress policy. It also denies the runner API: no page may reach it. A worker tells what else to deny. */
function egressOf(settings: Settings, runnerApiUrl: string): RunnerPolicy {
  const { hostname: host, port, protocol } = new URL(runnerApiUrl)
  const source = { host, port: Number(port || (protocol === 'https:' ? 443 : 80)) }
  const options = policyOptions(settings)
  return createRunnerPolicy({ ...options, neverAllow: [...options.neverAllow, source] })
}

interface LoopContext {
  readonly settings: Settings
  readonly source: CheckSource
  readonly outage: Outage
  readonly leaseMs: number
  readonly registry: Registry
  readonly egress: EgressPolicy
  readonly proxy: ProxyPort
  readonly onSandbox: (isSandboxed: boolean) => void
}

function startLoop(
  { settings, source, outage, leaseMs, registry, egress, proxy, onSandbox }: LoopContext,
  { log, stack }: ProcessContext,
): CheckLoop {
  const browser = browsersOf({ settings, egress, log, registry, onSandbox }) ?? undefined
  stack.defer('the browser', () => browser?.close())
  const onInternalError = pageErrorsOf({ registry, log })
  const { extractThreads, largeBodies } = ownCapacity()
  const bodies = bodySlots(largeBodies)
  const extractor = createExtractor({ threads: extractThreads, onInternalError })
  stack.defer('extraction', () => extractor.close())
  const pages = createPageReader({ onInternalError })
  stack.defer('the page reader', () => pages.close())
  const agent = createGuardedAgent(egress)
  stack.defer('the fetch connections', () => agent.destroy())
  const search = searchMeansOf({ settings, browsers: browser ?? null })
  const concurrency = settings.TIDEMARK_BROWSER_PAGES
  return createCheckLoop({
    source,
    check: (task, signal) =>
      checkByKind(CHECK_KINDS, task, { agent, bodies, extractor, pages, browser, proxy, search, signal }),
    log,
    outage,
    metrics: createCheckMetrics(registry),
    leaseMs,
    concurrency,
    perHost: Math.min(settings.TIDEMARK_HOST_CONCURRENCY, Math.ceil(concurrency / 2)),
    claimsAhead: false,
    idleMs: IDLE_MS,
  })
}

async function serveMetrics(
  settings: Settings,
  { registry, loop }: { readonly registry: Registry; readonly loop: CheckLoop },
  { stack, log }: ProcessContext,
): Promise<void> {
  const health = {
    async ready() {
      const ok = loop.sinceProgress() < MOVING_MS
      return { ok, checks: { runner_api: ok ? 'ok' : 'does not answer' } }
    },
    metrics: () => registry.metrics(),
  }
  const server = await serveHealth(health, { settings, registry, log })
  stack.defer('metrics', () => server?.close())
}

interface EndContext {
  idleMs(): number
  /** 0: the runner never ends because it is idle. */
  readonly idleSeconds: number
  readonly http: HttpCheckSource
}

/** Ends the runner when it has been idle for long, and before its token expires. */
function watchEnd({ idleMs, idleSeconds, http }: EndContext, { stack, end }: ProcessContext): void {
  const lastMs = Math.min(LAST_MS, http.tokenMs() / 4)
  const timer = setInterval(() => {
    if (idleSeconds > 0 && idleMs() > idleSeconds * 1000) end('nothing to do')
    // One that is renewed and could not be is refused at its end: a person has to know.
    else if (http.renewInMs() === null && http.tokenMs() < lastMs) end('the token is about to expire')
    else if (http.claimsLeft() === 0 && idleMs() > 0) end('its token allows no more checks')
  }, 250)
  stack.defer('the watch', () => clearInterval(timer))
}
