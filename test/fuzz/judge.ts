import { parse as parseYaml } from 'yaml'
import type { Json } from '../../schema/shape/json.ts'
import type { Received } from './client.ts'
import type { ApiDocument, Operation, Schema } from './document.ts'

/** What must hold of an answer, beyond what must hold of every one. */
export interface Expected {
  /** null: the document does not have this request. */
  readonly operation: Operation | null
  readonly method: string
  /** The only status that may come. */
  readonly status: number | null
  /** It must not succeed. */
  readonly wrong: boolean
  /** Nothing is wrong with it: it has to succeed, or meet a limit or another request. */
  readonly good: boolean
  /** What a 422 has to name: the key of the body at which it starts; null where that is not known. */
  readonly fault: string | null
  /** What a success has to answer again. */
  readonly echo: Json | null
  /** The path cannot be read as an address at all, so it need not be found. */
  readonly odd: boolean
}

const MAX_MS = 2_000
const STACK = /\n\s*at |\bat (?:async )?\S+ \(|\bat \/|\.ts:\d|\.js:\d|node_modules|node:internal/
const STORE = /\b(?:SQLSTATE|slonik|postgres|pg_catalog|duplicate key|violates|relation ")/i
const MAY_MEET = [409, 429]
/** Their bodies name runs and monitors that may have been deleted meanwhile. */
const NAME_IN_BODY = ['postChangesSeen', 'postChangesUnseen', 'postOverviewSeen']
const mayMeet = (operation: Operation | null) =>
  NAME_IN_BODY.includes(operation?.id ?? '') ? [...MAY_MEET, 404] : MAY_MEET

/** What is wrong with an answer; nothing when all is well. */
export function judge(document: ApiDocument, expected: Expected, answer: Received): string[] {
  const { status, ms } = answer
  const body = parsed(answer)
  if (isRefusingPage(expected, answer)) return headerFaults(answer)
  return [
    ...(status >= 500 ? [`the status is ${status}`] : []),
    ...(ms > MAX_MS ? [`the answer took ${Math.round(ms)} ms`] : []),
    ...headerFaults(answer),
    ...statusFaults(expected, status),
    ...bodyFaults(document, expected, answer, body),
    ...(status >= 400 && expected.method !== 'HEAD' ? errorFaults(expected, answer, body) : []),
    ...(status < 300 && expected.echo !== null && isBag(body) ? echoFaults(expected.echo, body) : []),
  ]
}

/** A browser that asks for a page is refused by one. */
const isRefusingPage = ({ operation }: Expected, { status, headers }: Received): boolean =>
  status >= 400 &&
  status < 500 &&
  operation?.only === 'text/html' &&
  String(headers['content-type']).startsWith(operation.only)

export const isBag = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

const isYaml = ({ headers }: Received) => /^application\/yaml(;|$)/.test(String(headers['content-type']))

function parsed(answer: Received): unknown {
  try {
    return isYaml(answer) ? parseYaml(answer.text) : JSON.parse(answer.text)
  } catch {
    return undefined
  }
}

function headerFaults({ status, headers }: Received): string[] {
  const needed = ['service-version', 'x-request-id', 'cache-control']
  if (status === 401) needed.push('www-authenticate')
  if (status === 405) needed.push('allow')
  return needed.filter((name) => headers[name] === undefined).map((name) => `the header ${name} is missing`)
}

function statusFaults({ operation, method, status: only, wrong, good, odd }: Expected, status: number): string[] {
  if (only !== null && status !== only) return [`the status is ${status}, not ${only}`]
  const documented = operation
    ? [...operation.answers.keys()]
    : method === 'HEAD'
      ? [200, 401, 403, 404, 405, 422]
      : [404, 405]
  if (!documented.includes(status) && !(odd && [404, 405].includes(status)))
    return [`the status ${status} is not in the document`]
  if (wrong && status < 400) return [`it was taken (${status}), though it is wrong`]
  if (good && status >= 400 && !mayMeet(operation).includes(status))
    return [`it was refused (${status}), though it is right`]
  return []
}

function bodyFaults(document: ApiDocument, { operation, method }: Expected, answer: Received, body: unknown): string[] {
  const { status, headers, text } = answer
  if (method === 'HEAD' || status === 204 || status === 304)
    return text === '' ? [] : ['there is a body where none may be']
  const type = String(headers['content-type'])
  if (status === 200 && operation?.only) return type.startsWith(operation.only) ? [] : [`the content type is ${type}`]
  const mayBeYaml = operation?.yaml === true && status === 200
  if (!/^application\/json(;|$)/.test(type) && !(mayBeYaml && isYaml(answer))) return [`the content type is ${type}`]
  return schemaFaults(document, operation?.answers.get(status), status, body)
}

function schemaFaults(document: ApiDocument, schema: Schema | null | undefined, status: number, body: unknown) {
  if (body === undefined) return ['the body cannot be read']
  if (!schema) return status < 400 ? [] : envelopeFaults(body)
  return document.allows(schema, body) ? [] : ['the body is not what the document says']
}

const envelopeFaults = (body: unknown) =>
  isBag(body) && isBag(body['error']) ? [] : ['the error is not in the envelope']

function errorFaults({ fault }: Expected, { status, headers, text }: Received, body: unknown): string[] {
  const error = isBag(body) && isBag(body['error']) ? body['error'] : {}
  const { code, message, details, requestId } = error
  const faults: string[] = []
  if (typeof code !== 'string' || typeof message !== 'string' || message === '')
    faults.push('code or message is missing')
  if (requestId !== headers['x-request-id']) faults.push('the requestId is not that of the header')
  if (STACK.test(text)) faults.push('the answer shows a stack')
  if (STORE.test(text)) faults.push('the answer shows the store')
  if (!Array.isArray(details)) return [...faults, 'details is not a list']
  return status === 422 ? [...faults, ...detailFaults(details, fault)] : faults
}

function detailFaults(details: readonly unknown[], fault: string | null): string[] {
  const paths = details.map((item) =>
    isBag(item) && typeof item['path'] === 'string' && typeof item['message'] === 'string' ? item['path'] : null,
  )
  if (paths.length === 0) return ['a 422 without details']
  if (paths.includes(null)) return ['a detail without path or message']
  if (fault === null || paths.some((path) => names(path ?? '', fault))) return []
  return [
    `no detail names ${JSON.stringify(fault.slice(0, 100))}, only ${JSON.stringify(paths.slice(0, 5)).slice(0, 300)}`,
  ]
}

/** Long paths are cut. */
const names = (path: string, fault: string) =>
  topKey(path) === fault || (path.endsWith('…') && fault.startsWith(path.slice(0, -1)))

/** The first key of a path: `deliveries` of `deliveries[0].url`. */
export const topKey = (path: string): string => /^[^.[]*/.exec(path)?.[0] ?? ''

function echoFaults(sent: Json, body: Readonly<Record<string, unknown>>): string[] {
  if (!isBag(sent)) return []
  return Object.entries(sent).flatMap(([key, value]) =>
    !Object.hasOwn(body, key) || holds(body[key], value)
      ? []
      : [`${key} is answered as ${JSON.stringify(body[key])}, not as it was sent`],
  )
}

/** Whether all that was sent is there; defaults may have joined it. */
function holds(there: unknown, sent: unknown): boolean {
  if (Array.isArray(sent))
    return Array.isArray(there) && there.length === sent.length && sent.every((item, at) => holds(there[at], item))
  if (!isBag(sent)) return there === sent
  return (
    isBag(there) && Object.entries(sent).every(([key, value]) => Object.hasOwn(there, key) && holds(there[key], value))
  )
}
