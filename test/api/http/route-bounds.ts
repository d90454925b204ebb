import { BODY_LIMITS, bodyLimitOf } from '../../../api/http/body-limits.ts'
import type { Route } from '../../../api/http/route.ts'
import { MAX_API_KEYS_ROTATED } from '../../../schema/account/api-key.ts'
import { LIST_LIMITS } from '../../../schema/list-limits.ts'
import { DESTINATION_LIMITS } from '../../../schema/run/delivery-list.ts'
import { MAX_SHOWN_MONITORS, MAX_STATUS_PAGES } from '../../../schema/status/status-page.ts'
import { WORK } from '../../../schema/work.ts'
import { FORM, largestBody, PLAIN } from './largest-body.ts'

/** The most bytes of a request line and its headers together: Node refuses more with 431. */
export const HEAD_BYTES = 16 * 1024

/**
 * What bounds an answer that neither its schema, a slot nor the budget of lists bounds, and the most bytes that it has
 * then. A test stores the most, and reads it.
 */
export const RECORDS = {
  /** As it was sent, and once more what the service adds: its state and the values of defaults. */
  configuration: BODY_LIMITS.configuration + BODY_LIMITS.default,
  /** Regions of a monitor, each with three addresses. */
  pictures: 256 * 1024,
  /** Keys that work: `MAX_API_KEYS`, and those in their grace period. */
  keys: MAX_API_KEYS_ROTATED * 1024,
  /** So many pages, each with as many monitors as it may have, with the longest public names. */
  statusPages: MAX_STATUS_PAGES * MAX_SHOWN_MONITORS * 1024,
  /** So many destinations, each with an address, an answer and the names of some monitors. */
  destinations: DESTINATION_LIMITS.destinations * 16 * 1024,
  /** A page of `limit`. */
  events: LIST_LIMITS.pageBytes,
  /** A page of `limit`: each row may have all its labels, and the longest texts. */
  overview: 1024 * 1024,
  /** Who invited them, or seats that somebody pays for. */
  people: LIST_LIMITS.pageBytes,
  /** The account, the team or the session of the caller; of its sessions the library reads 100. */
  own: BODY_LIMITS.default,
  /** A part of the program: it is the same for everybody, and is made once. */
  program: 2 * 1024 * 1024,
} as const
type RecordKind = keyof typeof RECORDS

/** Routes whose answers neither a slot, nor the budget of lists, nor their schema bounds. */
export const RECORD_OF: Readonly<Record<string, RecordKind>> = {
  'POST /v1/monitors': 'configuration',
  'GET /v1/monitors/:id': 'configuration',
  'PATCH /v1/monitors/:id': 'configuration',
  'POST /v1/monitors/:id/pause': 'configuration',
  'POST /v1/monitors/:id/resume': 'configuration',
  'POST /v1/monitors/:id/mute': 'configuration',
  'POST /v1/monitors/:id/unmute': 'configuration',
  'POST /v1/serp-monitors': 'configuration',
  'GET /v1/serp-monitors/:id': 'configuration',
  'PATCH /v1/serp-monitors/:id': 'configuration',
  'POST /v1/serp-monitors/:id/pause': 'configuration',
  'POST /v1/serp-monitors/:id/resume': 'configuration',
  'POST /v1/serp-monitors/:id/mute': 'configuration',
  'POST /v1/serp-monitors/:id/unmute': 'configuration',
  'GET /v1/monitors/:id/manifest': 'configuration',
  'GET /v1/serp-monitors/:id/manifest': 'configuration',
  'POST /v1/monitors/from-template/:slug': 'configuration',
  'POST /v1/manifests': 'configuration',
  'GET /v1/monitors/:id/signing-secret': 'own',
  'POST /v1/monitors/:id/signing-secret/rotate': 'own',
  'GET /v1/serp-monitors/:id/signing-secret': 'own',
  'POST /v1/serp-monitors/:id/signing-secret/rotate': 'own',
  'GET /v1/templates': 'program',
  'GET /v1/deliveries/destinations': 'destinations',
  'GET /v1/overview': 'overview',
  'GET /v1/overview/counts': 'overview',
  'GET /v1/run-images/:id': 'pictures',
  'GET /v1/keys': 'keys',
  'POST /v1/keys': 'own',
  'GET /v1/status-pages': 'statusPages',
  'POST /v1/keys/:id/rotate': 'own',
  'GET /v1/account/sessions': 'own',
  'GET /v1/me': 'people',
  'GET /v1/team/list': 'people',
  'GET /v1/team/members': 'people',
  'GET /v1/team/audit': 'events',
  'GET /v1/billing': 'own',
  'POST /v1/billing/cancel': 'own',
  'POST /v1/billing/resume': 'own',
  'POST /auth/sign-up/email': 'own',
  'POST /auth/sign-in/email': 'own',
  'POST /auth/sign-out': 'own',
  'GET /auth/get-session': 'own',
  'GET /auth/list-sessions': 'own',
  'POST /auth/revoke-session': 'own',
  'POST /auth/revoke-other-sessions': 'own',
  'POST /auth/change-password': 'own',
  'POST /auth/reset-password': 'own',
  'POST /auth/request-password-reset': 'own',
  'POST /auth/send-verification-email': 'own',
  'POST /auth/verify-email': 'own',
  'POST /auth/update-user': 'own',
}

/** Routes for everybody that no limit by address bounds, and why their cost has a bound. */
export const UNCOUNTED: Readonly<Record<string, string>> = {
  'GET /assets/:build/:file': 'a file that is read and compressed once',
  'GET /billing/done': 'a text that is made once',
  'GET /billing/left': 'a text that is made once',
  'GET /docs': 'a file that is rendered and compressed once',
  'GET /docs/:page': 'a file that is rendered and compressed once',
  'GET /docs/:folder/:page': 'a file that is rendered and compressed once',
  'POST /webhooks/stripe': 'the signature of at most 1 MiB is verified before anything is read',
}

export const titleOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => `${method} ${path}`

/** What bounds how often a route is called, and what a request and its answer may have. Null: nothing does. */
interface RouteBounds {
  readonly calls: string | null
  readonly request: string | null
  readonly answer: string | null
}

/** Returns the bounds of a route, as it declares them; what it cannot declare is in the tables above. */
export function boundsOf(route: Route): RouteBounds {
  return { calls: callsOf(route), request: requestOf(route), answer: answerOf(route) }
}

function callsOf(route: Route): string | null {
  if (route.policy !== 'public') return 'the limit of a key or a session'
  if (route.perAddress !== undefined) return `${route.perAddress} a minute by address`
  return route.path.startsWith('/v1/') ? 'the limit of calls without credentials' : (UNCOUNTED[titleOf(route)] ?? null)
}

/** A query without a bound of its own has that of the head. */
function requestOf(route: Route): string | null {
  const { params, query } = route
  if (params && largestBody(params, FORM) > HEAD_BYTES) return null
  const head = largestBody(query ?? {}, FORM) <= HEAD_BYTES ? 'its query' : 'a head'
  return route.method === 'GET' ? head : `${head} and a body of ${bodyLimitOf(route)} bytes`
}

function answerOf(route: Route): string | null {
  if ('work' in route && route.work) return `a slot of ${route.work}: ${WORK[route.work].total} in all`
  if (route.streams) return 'the budget of lists'
  if (isBoundBySchema(route)) return 'its schema'
  return RECORD_OF[titleOf(route)] ?? null
}

/** A page, a picture or a redirect is made of what its request has, and of text of the program. */
export function isBoundBySchema({ answers }: Route): boolean {
  return Object.values(answers).every(
    (answer) => answer?.schema === undefined || largestBody(answer.schema, PLAIN) <= BODY_LIMITS.configuration,
  )
}
