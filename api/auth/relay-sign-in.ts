import { createHash } from 'node:crypto'
import { signSessionToken } from '../../store/accounts/credentials/session-token.ts'
import {
  keepOnlySession,
  keepSession,
  passwordVersion,
  sessionAddresses,
} from '../../store/accounts/credentials/sessions.ts'
import type { Store } from '../../store/db/client.ts'
import { type ApiError, ApiError as Refusal, apiError } from '../http/api-error.ts'
import { redirect } from '../http/redirect.ts'
import type { Answer, Method, PublicCall } from '../http/route.ts'
import { tooMany } from './admit.ts'
import { knownDevice, newDeviceCookie, withoutDevice } from './known-device.ts'
import { OIDC } from './oidc.ts'
import { addressBlock } from './rate-limits.ts'
import { CLIENT_ADDRESS_HEADER, PASSWORD_HEADER } from './sign-in-options.ts'

/** Returns how the address of an account is confirmed: with the token of a mail, and the account's password. */
export const confirming = (token: string, password: string): SignInOperation => ({
  method: 'GET',
  path: `/auth/verify-email?token=${encodeURIComponent(token)}`,
  always: {},
  headers: { [PASSWORD_HEADER]: Buffer.from(password).toString('base64url') },
})

/** A call of a sign-in route. */
export type SignInCall = PublicCall<unknown, unknown, unknown>

export interface SignInOperation {
  readonly method: Method
  /** It may have a query. */
  readonly path: string
  /** Fields that are added to the body. */
  readonly always: object
  /** Fields of the body that are ours. */
  readonly without?: readonly string[]
  /** Headers of ours. */
  readonly headers?: Readonly<Record<string, string>>
  /** Attempts a minute for the account that the body names, from any address. */
  readonly perAccount?: number
  /** What follows for the session that the library has opened, by its stored token. */
  settle?(token: string): Promise<void>
}

/** The client's headers that the library may see. The address is not one of them: Tidemark sets it itself. */
const PASSED = [
  'authorization',
  'cookie',
  'origin',
  'referer',
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-dest',
  'user-agent',
] as const

const OF_BROWSERS = ['sec-fetch-mode', 'sec-fetch-dest'] as const

/**
 * Passes a validated request to the sign-in library, and returns its answer in the API's format. Refusals of the
 * library become API errors.
 */
export async function relaySignIn(call: SignInCall, operation: SignInOperation): Promise<Answer> {
  if (operation.perAccount !== undefined) await limitAccount(call, operation.perAccount)
  const response = await handle(call, operation)
  const text = await response.text()
  if (!response.ok) throw refusalOf(response.status, text)
  const cookies = response.headers.getSetCookie()
  if (operation.perAccount !== undefined) cookies.push(newDeviceCookie(call.services, accountOf(call)))
  const given: unknown = text === '' ? {} : JSON.parse(text)
  if (hasToken(given)) await operation.settle?.(given.token)
  const body = withSignedToken(given, call.services.sessionKey)
  return { status: 200, body, ...(cookies.length > 0 && { headers: { 'set-cookie': cookies } }) }
}

/**
 * Returns what follows a sign-in with a password. The library reads the password first and opens the session a moment
 * later, when the password may be another one.
 */
export async function signingIn(call: SignInCall): Promise<Pick<SignInOperation, 'settle'>> {
  const { store } = call.services
  const version = await passwordVersion(store, emailOf(call))
  return {
    async settle(token) {
      if (!(await keepSession(store, token, version))) throw refusalOf(401, '{}')
    },
  }
}

/** Returns what follows a change of the password: the new session acts for the team that the old one acted for. */
export async function changingPassword({ headers, services }: SignInCall): Promise<Pick<SignInOperation, 'settle'>> {
  const principal = await services.principals.find(headers)
  return principal === null ? {} : { settle: (token) => keepOnlySession(services.store, token, principal.teamId) }
}

/**
 * Passes a request that asks for a mail on, without waiting for it: how long an answer takes tells nobody whether the
 * address has an account.
 */
export function relayUnseen(call: SignInCall, operation: SignInOperation): Answer {
  const { signIn, log } = call.services
  signIn.unseen(
    relaySignIn(call, operation).catch((err: unknown) => {
      // The log does not show which mails are asked for without an account.
      if (!(err instanceof Refusal && err.status < 500)) log.warn({ err }, 'a mail that was asked for is not queued')
    }),
  )
  return { status: 200, body: {} }
}

/**
 * Begins a sign-in with the provider: returns its address, to which the browser goes, with the cookie that binds the
 * browser to the answer.
 */
export async function beginOidc(call: SignInCall, body: object): Promise<Answer> {
  const operation = { method: 'POST', path: '/auth/sign-in/social', always: { provider: OIDC, ...body } } as const
  const request = requestFor({ ...call, body: {} }, operation)
  // A person follows a link to get here. What the link starts is checked when the provider sends the browser back.
  for (const name of ['origin', 'referer', 'sec-fetch-site', ...OF_BROWSERS]) request.headers.delete(name)
  const response = await oidcOf(call)(request)
  const { url } = (await response.json()) as { readonly url?: string }
  if (!response.ok || url === undefined) throw apiError('UNAVAILABLE', 'The provider of the sign-in does not answer.')
  return redirect(url, response.headers.getSetCookie())
}

/** Ends a sign-in with the provider: returns a redirect to a page of ours, and the session's cookie. */
export async function endOidc(call: SignInCall, query: Readonly<Record<string, string>>): Promise<Answer> {
  const path = `/auth/callback/${OIDC}?${new URLSearchParams(query).toString()}`
  const response = await oidcOf(call)(requestFor(call, { method: 'GET', path, always: {} }))
  const location = response.headers.get('location')
  if (location === null) throw new Error(`the sign-in library answered ${response.status} to a callback`)
  return redirect(location, response.headers.getSetCookie())
}

function oidcOf({ services }: SignInCall) {
  if (!services.signIn.handleOidc) throw apiError('NOT_FOUND', 'There is no provider to sign in with.')
  return services.signIn.handleOidc
}

async function handle(call: SignInCall, operation: SignInOperation): Promise<Response> {
  try {
    return await call.services.signIn.handle(requestFor(call, operation))
  } catch (error) {
    throw isLibraryError(error) ? refusalOf(error.statusCode, JSON.stringify(error.body ?? {})) : error
  }
}

function requestFor(
  { headers, address, body, services }: SignInCall,
  { method, path, always, without = [], headers: added = {} }: SignInOperation,
): Request {
  const passed = new Headers({ [CLIENT_ADDRESS_HEADER]: address ?? '' })
  for (const name of PASSED) if (headers[name] !== undefined) passed.set(name, String(headers[name]))
  // A browser that sends one of the Sec-Fetch headers sends this one. Node's fetch sends another one alone, and the
  // library would take it for a browser that hides its Origin. Browsers that send none of them send an Origin.
  if (headers['sec-fetch-site'] === undefined) for (const name of OF_BROWSERS) passed.delete(name)
  const cookies = withoutDevice(headers.cookie, services)
  if (cookies === '') passed.delete('cookie')
  else passed.set('cookie', cookies)
  for (const [name, value] of Object.entries(added)) passed.set(name, value)
  if (method === 'GET') return new Request(services.baseUrl + path, { headers: passed })
  passed.set('content-type', 'application/json')
  const fields = Object.entries<unknown>({ ...(body as object), ...always }).filter(([name]) => !without.includes(name))
  return new Request(services.baseUrl + path, {
    method,
    headers: passed,
    body: JSON.stringify(Object.fromEntries(fields)),
  })
}

/**
 * The library returns the stored token, which is useless without its signature. A client without cookies needs both.
 */
const withSignedToken = (body: unknown, key: string): unknown =>
  hasToken(body) ? { ...body, token: signSessionToken(body.token, key) } : body

const hasToken = (body: unknown): body is { readonly token: string } =>
  body !== null && typeof body === 'object' && 'token' in body && typeof body.token === 'string'

const emailOf = ({ body }: Pick<SignInCall, 'body'>) => String((body as { email?: unknown }).email).toLowerCase()
const accountOf = (call: Pick<SignInCall, 'body'>) => createHash('sha256').update(emailOf(call)).digest('base64url')

/**
 * Limits the attempts for an account. All unknown devices count together. A device or an address from which the
 * account was signed in to before counts by itself, so that others do not lock it out.
 */
async function limitAccount(call: SignInCall, perMinute: number): Promise<void> {
  const { services, headers, address } = call
  const account = accountOf(call)
  const device = knownDevice(headers.cookie, services, account)
  const whose = device === null ? await knownBlock(services.store, emailOf(call), address) : `device:${device}`
  const subject = whose === null ? `account:${account}` : `account:${account}:${whose}`
  const { passed, resetSeconds } = await services.limits.take({ subject, perMinute, exact: true })
  if (!passed) throw tooMany(resetSeconds)
}

async function knownBlock(store: Store, email: string, address: string | null): Promise<string | null> {
  if (address === null) return null
  const block = addressBlock(address)
  const known = await sessionAddresses(store, email)
  return known.some((other) => addressBlock(other) === block) ? `from:${block}` : null
}

const NOT_VERIFIED = 'The address is not confirmed yet. Open the link in the mail that was sent to it.'

function refusalOf(status: number, text: string): ApiError {
  const message = messageOf(text)
  switch (status) {
    case 401:
      return new Refusal('UNAUTHORIZED', message ?? 'The credentials are missing or not valid.', {
        headers: { 'www-authenticate': 'Bearer' },
      })
    case 403:
      return apiError(
        'FORBIDDEN',
        text.includes('EMAIL_NOT_VERIFIED') ? NOT_VERIFIED : (message ?? 'This is not allowed.'),
      )
    case 404:
      return apiError('NOT_FOUND', 'There is nothing at this address.')
    case 400:
    case 422:
      return apiError('VALIDATION_ERROR', message ?? 'The request is not valid.', [
        { path: '', message: message ?? 'is not valid' },
      ])
    default:
      throw new Error(`the sign-in library answered ${status}`)
  }
}

function messageOf(text: string): string | null {
  try {
    const body: unknown = JSON.parse(text)
    return body !== null && typeof body === 'object' && 'message' in body && typeof body.message === 'string'
      ? body.message
      : null
  } catch {
    return null
  }
}

function isLibraryError(error: unknown): error is { readonly statusCode: number; readonly body?: unknown } {
  return (
    error instanceof Error &&
    error.name === 'APIError' &&
    'statusCode' in error &&
    typeof error.statusCode === 'number' &&
    error.statusCode < 500
  )
}
