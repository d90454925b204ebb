import type { FastifyBaseLogger } from 'fastify'
import type { IncomingHttpHeaders } from 'node:http'
import type { Static, TSchema } from 'typebox'
import type { Actor } from '../../schema/account/audit.ts'
import type { ErrorCode } from '../../schema/error.ts'
import { Closed, Uuid } from '../../schema/shape/shape.ts'
import type { Issue } from '../../schema/validation/issue.ts'
import type { WorkKind } from '../../schema/work.ts'
import type { Queryable } from '../../store/db/client.ts'
import type { PolicyName } from '../auth/policies.ts'
import type { Principal } from '../auth/principals.ts'
import type { GiveEvents } from '../events/event-streams.ts'
import type { Services } from '../services.ts'

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const
export type Method = (typeof METHODS)[number]

/** A successful answer; of a page, also one that shows why something was refused. */
export interface Answer {
  readonly status: 200 | 201 | 204 | 302 | 303 | 304 | PageRefusal
  readonly body?: unknown
  /** Replaces a JSON body. */
  readonly text?: { readonly type: string; readonly content: string }
  readonly bytes?: { readonly type: string; readonly content: Uint8Array }
  /** Read when there is room for its bytes among those of all pictures under way, of the team that has it. */
  readonly picture?: Picture
  /** Written as it is read: nothing waits for the whole of it. */
  readonly stream?: { readonly type: string; readonly content: AsyncIterable<string> }
  /** Sent as they come, until the client leaves or may not have them any more. */
  readonly events?: GiveEvents
  readonly headers?: Readonly<Record<string, string | string[]>>
}
/** A picture that is still to be read. */
export interface Picture {
  readonly type: string
  readonly teamId: string
  readonly bytes: number
  /** Throws an `ApiError` where it is gone. */
  read(): Promise<Uint8Array>
}
/** Statuses with which a page shows a refusal. All other routes throw an `ApiError`. */
type PageRefusal = 403 | 404 | 409 | 422 | 429
export const ok = (body: unknown): Answer => ({ status: 200, body })
export const okText = (type: string, content: string): Answer => ({ status: 200, text: { type, content } })
/** The content is whole JSON, in parts. */
export const okParts = (content: AsyncIterable<string>): Answer => ({
  status: 200,
  stream: { type: 'application/json', content },
})
export const created = (body: unknown): Answer => ({ status: 201, body })
export const noContent = (): Answer => ({ status: 204 })

/** What a route works with that may run within a transaction: then that is the store. */
export interface KeyedServices extends Omit<Services, 'store'> {
  readonly store: Queryable
}

/** A request whose parts are validated. */
export interface PublicCall<P, Q, B, S = Services> {
  readonly params: P
  readonly query: Q
  readonly body: B
  readonly services: S
  readonly headers: IncomingHttpHeaders
  /** The client's address, as far as TIDEMARK_TRUSTED_PROXIES allows it to be known. */
  readonly address: string | null
  readonly requestId: string
  /** Fires when the client has left, or when the time for an answer is over. */
  readonly left: AbortSignal
  readonly log: FastifyBaseLogger
}

/** A request of a caller who is allowed to make it. */
export interface Call<P, Q, B, S = Services> extends PublicCall<P, Q, B, S> {
  readonly principal: Principal
  /** The principal for `recordAudit`. */
  readonly actor: Actor
  /** Fires when the client has closed the request. Present where the route's work ends then (`WORK`). */
  readonly signal?: AbortSignal | undefined
}

/**
 * The content of an answer. `alsoAs`: another content type of the same shape, which is used unless the client asks for
 * JSON. `only`: bytes of this content type, and no JSON. `events`: what the events of a stream have, by their names.
 */
interface AnswerShape {
  readonly description: string
  readonly schema?: TSchema
  readonly alsoAs?: string
  readonly only?: string
  readonly events?: Readonly<Record<string, TSchema>>
}

/** What a route accepts and answers. Its validation, its policy and its operation in OpenAPI are derived from it. */
interface Shape<P extends TSchema, Q extends TSchema, B extends TSchema> {
  readonly method: Method
  /** With parameters as Fastify writes them: `/v1/monitors/:id`. */
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly tag: string
  /** A parameter of another shape leads to 404: there is no such resource. */
  readonly params?: P
  /** Numbers and booleans are converted by their declared type; defaults are filled in. */
  readonly query?: Q
  /** Without it, an empty body and `{}` are accepted. */
  readonly body?: B
  /** Empty, missing and `{}` are the same. */
  readonly bodyOptional?: boolean
  /** The header Idempotency-Key makes a repeated request give the first answer again (`keyedRoute`). */
  readonly takesKey?: boolean
  /** Its answer has the entity tag of what it shows, as far as a PATCH can change it. */
  readonly sendsTag?: boolean
  /** The header If-Match names the entity tag that it is meant for. */
  readonly takesTag?: boolean
  /** Fill the defaults of the schema into the body. */
  readonly defaults?: boolean
  /**
   * Further issues of the body, which its schema cannot express. They are answered together with those of the schema
   * (`known`). A key that `known` reports must not be inspected.
   */
  readonly review?: (body: unknown, known: readonly Issue[], services: Services) => readonly Issue[]
  readonly answers: Partial<Record<Answer['status'], AnswerShape>>
  /** Its answer may be a stream. That may take longer than other answers, as long as the client takes its parts. */
  readonly streams?: boolean
  /** Errors that cannot be derived from the rest of the route. */
  readonly refusals?: readonly ErrorCode[]
  /** Not part of the contract. */
  readonly beyond?: boolean
}

/** A route for callers whose credentials and policy are checked before the body is read. */
interface AdmittedShape<P extends TSchema, Q extends TSchema, B extends TSchema> extends Shape<P, Q, B> {
  readonly policy: PolicyName
  /** The size of the body: `BODY_LIMITS`. Default: `default`. */
  readonly bodyLimit?: 'bulk' | 'statusPage' | 'configuration'
}

interface RouteDef<P extends TSchema, Q extends TSchema, B extends TSchema> extends AdmittedShape<P, Q, B> {
  /** It does work of this kind, within its bound. */
  readonly work?: WorkKind
  readonly takesKey?: false
  handle(call: Call<Static<P>, Static<Q>, Static<B>>): Promise<Answer>
}

interface KeyedRouteDef<P extends TSchema, Q extends TSchema, B extends TSchema> extends AdmittedShape<P, Q, B> {
  readonly takesKey: true
  handle(call: Call<Static<P>, Static<Q>, Static<B>, KeyedServices>): Promise<Answer>
}

interface PublicRouteDef<P extends TSchema, Q extends TSchema, B extends TSchema> extends Shape<P, Q, B> {
  readonly policy: 'public'
  /**
   * Requests a minute for each address, counted exactly; always applied. Default: the limit of calls without
   * credentials.
   */
  readonly perAddress?: number
  /** `perAddress` is counted by each process for itself, and never in the store: for what many look at. */
  readonly isCountedHere?: boolean
  /** Routes of one name share the count of `perAddress`. Default: the route has its own. */
  readonly countedAs?: string
  /** The body is a form that a browser posts, and not JSON. */
  readonly isForm?: boolean
  /** The sender has signed the body. The route gets its bytes, and no check of a shape comes before its own. */
  readonly isSigned?: boolean
  handle(call: PublicCall<Static<P>, Static<Q>, Static<B>>): Promise<Answer>
}

/** A route without its type parameters: an item of the route table. */
export type KeyedRoute = KeyedRouteDef<TSchema, TSchema, TSchema>
export type PrivateRoute = RouteDef<TSchema, TSchema, TSchema> | KeyedRoute
export type PublicRoute = PublicRouteDef<TSchema, TSchema, TSchema>
export type Route = PrivateRoute | PublicRoute

/**
 * Declares a route for the callers that its policy allows. The types of params, query and body come from their schemas.
 */
export const route = <P extends TSchema, Q extends TSchema, B extends TSchema>(def: RouteDef<P, Q, B>): Route => def

/**
 * Declares a route whose request may be sent again with the same Idempotency-Key. Its use cases run within a
 * transaction, and it answers JSON without a secret that is shown once.
 */
export const keyedRoute = <P extends TSchema, Q extends TSchema, B extends TSchema>(
  def: KeyedRouteDef<P, Q, B>,
): Route => def

/** Declares a route for everybody. */
export const publicRoute = <P extends TSchema, Q extends TSchema, B extends TSchema>(
  def: PublicRouteDef<P, Q, B>,
): Route => def

/** Parameters of the routes of one resource. An id of another shape is a 404. */
export const ById = Closed({ id: Uuid() })
