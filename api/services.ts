import type { FastifyBaseLogger } from 'fastify'
import { type BillingProvider, MANUAL_BILLING } from '../accounts/billing/provider.ts'
import type { Health, MetricsToken } from '../core/health.ts'
import type { Tracer } from '../core/tracer.ts'
import type { Channels } from '../deliveries/channels/channel.ts'
import type { EgressPolicy } from '../egress/policy.ts'
import { OpenedLooks } from '../monitors/looks/opened-looks.ts'
import type { OnRefused } from '../platform/connection-guard.ts'
import type { PatternMatcher } from '../runners/pattern/pattern-matcher.ts'
import type { TextDiffer } from '../runners/text-diff/text-differ.ts'
import type { Tier } from '../schema/account/plan.ts'
import type { Template } from '../schema/monitor/template.ts'
import { createMailQueue, type MailQueue } from '../store/accounts/mail-queue.ts'
import type { ReachedBound } from '../store/accounts/team/invitation-mails.ts'
import type { Store } from '../store/db/client.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'
import type { Previews } from '../worker/previews/previews.ts'
import { createAccountMails } from './auth/account-mails.ts'
import { createImageLinks, type ImageLinks } from './auth/image-links.ts'
import type { OidcProvider } from './auth/oidc.ts'
import { createOwnLimits } from './auth/own-limits.ts'
import { createPrincipals, type Principals } from './auth/principals.ts'
import { createRateLimits, type RateLimits } from './auth/rate-limits.ts'
import { sessionCookieName } from './auth/sign-in-options.ts'
import { createSignIn, type SignIn, type SignInWaits } from './auth/sign-in.ts'
import { type EventBounds, EventStreams } from './events/event-streams.ts'
import { LongLists } from './http/long-lists.ts'
import { RequestBounds } from './http/request-bounds.ts'
import { createWorkSlots, type WorkSlots } from './http/work-slots.ts'
import { createMailBoundLog } from './mail-bound-log.ts'
import { type StatusBounds, StatusPages } from './status/status-pages.ts'

/** What the command that serves knows, and hands in. */
export interface ServicesOptions {
  readonly store: Store
  readonly databaseUrl: string
  /** Signs addresses of pictures. */
  readonly encryptionKey: string
  /** Signs sessions: the key of `ensureSessionKey`. */
  readonly sessionKey: string
  readonly secrets: SecretBox
  readonly egress: EgressPolicy
  /** Address under which people reach the API, without a slash at its end. */
  readonly baseUrl: string
  /** Address that messages link to; its pages may use the API with a person's cookie. Null: there is no dashboard. */
  readonly dashboardUrl: string | null
  readonly signUp: 'invite' | 'open'
  readonly signUpPlan: Tier
  /** Null or absent: people sign in with passwords only. */
  readonly oidc?: OidcProvider | null
  /** Requests a minute for each key or session; 0: no limit on these, nor on calls without credentials. */
  readonly rateLimit: number
  /** Invitation mails an hour of all teams together; 0: any number. */
  readonly invitationMailsPerHour: number
  /** Networks whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[]
  /** Open connections of one client address; 0: any number. */
  readonly connectionsPerAddress: number
  readonly onRefused?: OnRefused | undefined
  readonly health: Health
  /** Whether /metrics is served here; false when it has its own port. */
  readonly metricsHere: boolean
  /** What a request for /metrics must send; undefined: nothing. */
  readonly metricsToken?: MetricsToken
  readonly log: FastifyBaseLogger
  readonly tracer?: Tracer | undefined
  /** Tells the workers of this process that a check is due now. */
  wake(): void
  /** Checks for those who wait for the answer; without it they are refused with 503. */
  readonly previews?: Previews
  /** For backtests; without it they are refused with 503. */
  readonly patterns?: PatternMatcher
  /** Compares texts of runs; without it they are refused with 503. */
  readonly differ?: TextDiffer
  /** Send tests of destinations; without them these are refused with 503. */
  readonly channels?: Channels
  /** Where pictures are stored; without it they are refused with 503. */
  readonly objects?: ObjectStore
  /** This installation has a mail server: mail to accounts is queued, and the workers send it. Absent: it has none. */
  readonly hasMail?: boolean
  /** Absent: plans and credits are given by commands. */
  readonly billing?: BillingProvider
  /** Milliseconds between two searches at one engine and exit. Default 30,000. */
  readonly serpSpacingMs?: number
  /** Slots of routes that do work. Default: those of `WORK`. */
  readonly work?: WorkSlots
  /** Bounds of all other requests. Default: `REQUEST_LIMITS`. */
  readonly requests?: RequestBounds
  /** Bounds of streams of events that differ from `EVENT_LIMITS`. */
  readonly eventBounds?: EventBounds
  /** Bounds of public status pages that differ from `STATUS_LIMITS`. */
  readonly statusBounds?: StatusBounds
  /** For how long sign-ins wait for the store. Default: so long that a client has its response within 5 s. */
  readonly signInWaits?: SignInWaits
  /** Instead of the fifteen of core/templates. */
  readonly templates?: readonly Template[]
}

/** What the routes work with. */
export interface Services extends Omit<ServicesOptions, 'encryptionKey' | 'databaseUrl' | 'hasMail'> {
  readonly serpSpacingMs: number
  /** Slots of routes that do work. */
  readonly work: WorkSlots
  /** Bounds of all other requests. */
  readonly requests: RequestBounds
  readonly events: EventStreams
  /** Public status pages, as they were read last. */
  readonly statusPages: StatusPages
  /** Mail to accounts. */
  readonly mail: MailQueue
  readonly billing: BillingProvider
  readonly principals: Principals
  readonly limits: RateLimits
  /** Limits that this process counts alone, without the store. */
  readonly ownLimits: RateLimits
  readonly lists: LongLists
  readonly signIn: SignIn
  /** Looks whose documents are decrypted. */
  readonly openedLooks: OpenedLooks
  /** Logs that a bound of several teams refused an invitation. */
  onSharedBound(reached: ReachedBound): void
  /** Signs addresses of pictures. */
  readonly imageLinks: ImageLinks
  /** Origins of our own pages. */
  readonly trustedOrigins: readonly string[]
  /** Closes what was opened here; the store stays open. */
  close(): Promise<void>
}

/** Opens what the API needs beside the store. */
export function createServices({ encryptionKey, databaseUrl, hasMail = false, ...options }: ServicesOptions): Services {
  const { store, log, baseUrl, sessionKey } = options
  const trustedOrigins = [...new Set([baseUrl, options.dashboardUrl ?? baseUrl].flatMap(originsOf))]
  const { signUp, signUpPlan: plan } = options
  const limits = createRateLimits(store, log)
  const mail = createMailQueue(options.secrets, hasMail)
  const signIn = createSignIn({
    store,
    databaseUrl,
    sessionKey,
    baseUrl,
    trustedOrigins,
    plan,
    signUp,
    oidc: options.oidc ?? null,
    log,
    waits: options.signInWaits,
    mails: createAccountMails({ store, mail, limits, baseUrl, plan, log }),
  })
  const statusPages = new StatusPages({ store, log, baseUrl, bounds: options.statusBounds ?? {} })
  return {
    ...options,
    serpSpacingMs: options.serpSpacingMs ?? 30_000,
    work: options.work ?? createWorkSlots(),
    requests: options.requests ?? new RequestBounds(),
    events: new EventStreams({ store, log, bounds: options.eventBounds ?? {} }),
    statusPages,
    mail,
    billing: options.billing ?? MANUAL_BILLING,
    principals: createPrincipals(store, { key: sessionKey, cookieName: sessionCookieName(baseUrl) }),
    limits,
    ownLimits: createOwnLimits(),
    onSharedBound: createMailBoundLog(log),
    lists: new LongLists(log),
    signIn,
    openedLooks: new OpenedLooks(),
    imageLinks: createImageLinks(encryptionKey, baseUrl),
    trustedOrigins,
    async close() {
      statusPages.close()
      await signIn.close()
    },
  }
}

/** On one's own machine the same pages have three names. */
function originsOf(address: string): string[] {
  const { protocol, hostname, port, origin } = new URL(address)
  const names = ['127.0.0.1', 'localhost', '[::1]']
  return names.includes(hostname) ? names.map((name) => new URL(`${protocol}//${name}:${port}`).origin) : [origin]
}
