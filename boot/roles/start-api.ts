import { Counter, type Registry } from 'prom-client'
import { dashboardRoutes } from '../../api/dashboard/dashboard-routes.ts'
import { measureEvents } from '../../api/events/event-metrics.ts'
import { buildApp } from '../../api/http/app.ts'
import { measureWork } from '../../api/http/work-metrics.ts'
import { welcomePage } from '../../api/pages/welcome-page.ts'
import { servedRoutesOf } from '../../api/routes.ts'
import { createServices, type Services } from '../../api/services.ts'
import type { Health } from '../../core/health.ts'
import type { Logger } from '../../core/logger.ts'
import type { Tracer } from '../../core/tracer.ts'
import type { Channels } from '../../deliveries/channels/channel.ts'
import { createChannels } from '../../deliveries/channels/channels.ts'
import { createGuardedAgent } from '../../egress/guarded-agent.ts'
import type { EgressPolicy } from '../../egress/policy.ts'
import type { Browsers } from '../../runners/browser/browsers.ts'
import { createPatternMatcher } from '../../runners/pattern/pattern-matcher.ts'
import { createTextDiffer } from '../../runners/text-diff/text-differ.ts'
import { noteBaseUrl } from '../../store/accounts/base-url.ts'
import { ensureSessionKey } from '../../store/accounts/credentials/session-key.ts'
import { createAnswerSignals } from '../../store/asked/answer-signals.ts'
import type { Store } from '../../store/db/client.ts'
import { noteEncryptionKey } from '../../store/secrets/encryption-key-check.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { createRunnerAnswers, type RunnerAnswers } from '../../worker/asked/runner-answers.ts'
import { createPreviews, type Previews } from '../../worker/previews/previews.ts'
import type { InstalledKind } from '../kinds.ts'
import { openApiStore } from '../parts/api-store.ts'
import { billingOf } from '../parts/billing.ts'
import { dashboardUrlOf } from '../parts/dashboard-url.ts'
import { startDiskWatch } from '../parts/disk.ts'
import { hasMailServer, mailerOf } from '../parts/mail.ts'
import { promptsOf } from '../parts/model.ts'
import { objectsOf } from '../parts/objects.ts'
import { pageErrorsOf } from '../parts/page-errors.ts'
import { messagePicturesOf } from '../parts/picture-parts.ts'
import { proxyHold, proxyLayerOf } from '../parts/proxy.ts'
import { searchPreviewsOf } from '../parts/search-parts.ts'
import { createHealth } from '../process/health.ts'
import { showLongLists } from '../process/long-list-metrics.ts'
import { holdPort } from '../process/ports.ts'
import { countRefused } from '../process/refused-connections.ts'
import { serveHealth } from '../process/serve-health.ts'
import type { Stack } from '../process/stack.ts'
import type { Settings } from '../settings/read-config.ts'

/** The context of a process that serves the API. */
interface ApiContext {
  readonly kinds: readonly InstalledKind[]
  readonly settings: Settings
  readonly databaseUrl: string
  /** The folder of the embedded database; null when there is none. */
  readonly databaseFolder: string | null
  readonly encryptionKey: string
  readonly secrets: SecretBox
  readonly egress: EgressPolicy
  readonly browsers: Browsers | null
  readonly registry: Registry
  readonly log: Logger
  /** Undefined: nothing is traced. */
  readonly tracer: Tracer | undefined
  readonly stack: Stack
  readonly stopping: AbortSignal
  readonly wake: () => void
  /** Milliseconds since the scheduler of this process last made progress; null when it has none. */
  readonly sinceProgress: (() => number) | null
}

/** A listening API. */
interface ListeningApi {
  readonly address: string
  readonly services: Services
}

/** Listens for requests. The stack closes the API: it accepts no new connections, and completes requests under way. */
export async function startApi(context: ApiContext): Promise<ListeningApi> {
  const { settings, stack, registry } = context
  const held = settings.PORT === 0 ? await holdPort(settings.HOST) : null
  if (held) stack.defer('the port that was held', () => held.release())
  const port = held?.port ?? settings.PORT
  const store = await openApiStore(context.databaseUrl, context.log)
  stack.defer('the store of the API', () => store.end())
  await noteEncryptionKey(store, context.secrets)
  const sessionKey = await ensureSessionKey(store, context.secrets, context.encryptionKey)
  const health = createHealth({ ...context, store, registry })
  const prompts = promptsOf(settings, { store, log: context.log, isWaitedFor: true })
  stack.defer('questions to the model', () => prompts?.close())
  const layer = proxyLayerOf(context)
  const previews = createPreviews({
    disk: await startDiskWatch({ ...context, store, notifies: false }),
    egress: context.egress,
    browser: context.browsers ?? undefined,
    runners: context.browsers === null ? runnersOf(context, store) : undefined,
    prompts,
    search: searchPreviewsOf(context),
    onInternalError: pageErrorsOf(context),
    proxy: layer ? { layer, holdFor: (teamId) => proxyHold(store, { teamId }, context.log) } : undefined,
  })
  if (context.browsers === null) countPreviews(registry, previews)
  const objects = objectsOf(settings)
  stack.defer('the object store of the API', () => objects.close())
  const services = createServices({
    ...servicesOptions(context, baseUrlOf(settings, port)),
    store,
    sessionKey,
    health,
    previews,
    ...threadsOf(stack),
    objects,
    channels: testChannels(context, store, baseUrlOf(settings, port)),
  })
  measureWork(registry, services.work)
  measureEvents(registry, services.events)
  showLongLists(registry, services.lists)
  stack.defer('sign-in', () => services.close())
  const home = settings.TIDEMARK_DASHBOARD === 'on' ? dashboardRoutes() : [welcomePage]
  const app = buildApp(
    services,
    servedRoutesOf(
      context.kinds.map(({ served }) => served),
      home,
    ),
  )
  stack.defer('the API', () => app.close())
  // Closed before the API, which waits for the requests under way.
  stack.defer('previews', () => previews.close())
  await held?.release()
  const address = await app.listen({ host: settings.HOST, port })
  await noteBaseUrl(store, services.baseUrl)
  await startMetrics(health, context)
  return { address, services }
}

function threadsOf(stack: Stack): Required<Pick<Services, 'patterns' | 'differ'>> {
  const patterns = createPatternMatcher()
  stack.defer('the pattern matcher of the API', () => patterns.close())
  const differ = createTextDiffer()
  stack.defer('the comparison of texts of the API', () => differ.close())
  return { patterns, differ }
}

/** Returns the channels that send tests of destinations. Deliveries themselves are sent by workers. */
function testChannels(context: ApiContext, store: Store, baseUrl: string): Channels {
  const { settings, stack, egress } = context
  const agent = createGuardedAgent(egress)
  stack.defer('the connections of tests', () => agent.destroy())
  const mailer = mailerOf(settings)
  stack.defer('the mail connections of tests', () => mailer?.close())
  const dashboardUrl = dashboardUrlOf(settings, baseUrl)
  return createChannels({ agent, mailer, dashboardUrl, pictures: messagePicturesOf({ ...context, store }) })
}

/** Returns how runners do the asked work of a process without a browser. */
function runnersOf({ databaseUrl, secrets, stack }: ApiContext, store: Store): RunnerAnswers {
  const signals = createAnswerSignals(databaseUrl)
  stack.defer('the signals of answers', () => signals.close())
  return createRunnerAnswers({ store, secrets, signals })
}

function countPreviews(registry: Registry, previews: Previews): void {
  new Counter({
    name: 'tidemark_previews_by_runners_total',
    help: 'Previews that waited for a runner, by how they ended: answered, or unanswered in time.',
    labelNames: ['result'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [result, count] of Object.entries(previews.counts)) this.inc({ result }, count)
    },
  })
}

function servicesOptions(context: ApiContext, baseUrl: string) {
  const { settings } = context
  const billing = billingOf(settings)
  return {
    ...(billing && { billing }),
    databaseUrl: context.databaseUrl,
    encryptionKey: context.encryptionKey,
    secrets: context.secrets,
    egress: context.egress,
    baseUrl,
    dashboardUrl: dashboardUrlOf(settings, baseUrl),
    hasMail: hasMailServer(settings),
    signUp: settings.TIDEMARK_SIGNUP,
    signUpPlan: settings.TIDEMARK_SIGNUP_PLAN,
    oidc: oidcOf(settings),
    rateLimit: settings.TIDEMARK_RATE_LIMIT,
    invitationMailsPerHour: settings.TIDEMARK_INVITATION_MAILS,
    serpSpacingMs: settings.TIDEMARK_SERP_SPACING_MS,
    trustedProxies: settings.trustedProxies,
    connectionsPerAddress: settings.TIDEMARK_CONNECTIONS_PER_ADDRESS,
    onRefused: countRefused(context, 'api'),
    metricsHere: settings.TIDEMARK_METRICS_PORT === undefined && !isMetricsClosed(settings),
    metricsToken: () => settings.TIDEMARK_METRICS_TOKEN,
    log: context.log,
    tracer: context.tracer,
    wake: context.wake,
  }
}

function oidcOf(settings: Settings) {
  const { TIDEMARK_OIDC_ISSUER: issuer, TIDEMARK_OIDC_CLIENT_ID: clientId } = settings
  const { TIDEMARK_OIDC_CLIENT_SECRET: clientSecret } = settings
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return null
  return { issuer, clientId, clientSecret }
}

/** Metrics on the port that everybody reaches need a token. */
const isMetricsClosed = ({ HOST, TIDEMARK_METRICS_TOKEN }: Settings): boolean =>
  TIDEMARK_METRICS_TOKEN === undefined && !/^(localhost|127(\.\d+){3}|::1)$/i.test(HOST)

async function startMetrics(health: Health, context: ApiContext): Promise<void> {
  const { settings, stack, log } = context
  const metrics = await serveHealth(health, context)
  if (metrics !== undefined) stack.defer('metrics', () => metrics.close())
  else if (isMetricsClosed(settings))
    log.info('/metrics is not served: HOST is not loopback. Set TIDEMARK_METRICS_PORT or TIDEMARK_METRICS_TOKEN')
}

/** Returns the address that people use: the setting, or the address of the listening socket. */
function baseUrlOf(settings: Settings, port: number): string {
  const host = settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST
  return (
    settings.TIDEMARK_BASE_URL ?? `http://${host === '0.0.0.0' || host === '[::]' ? 'localhost' : host}:${port}`
  ).replace(/\/+$/, '')
}
