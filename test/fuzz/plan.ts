import type { Json } from '../../schema/shape/json.ts'
import type { Sent } from './client.ts'
import type { ApiDocument, Operation } from './document.ts'
import type { FuzzedService } from './fuzzed-service.ts'
import { type Expected, isBag, topKey } from './judge.ts'
import { textOf } from './marks.ts'
import { type Changed, mutate } from './mutate.ts'
import type { Planned } from './planned.ts'
import { kindOf, type Shelf, UNKNOWN_ID } from './shelf.ts'
import type { Caller, Step } from './steps.ts'
import type { Team } from './team.ts'
import { BROKEN, ODD, ORDINARY, type Transport } from './transport.ts'

interface Here {
  readonly service: FuzzedService
  readonly team: Team
  readonly shelf: Shelf
  readonly nth: number
  /** Others run at the same time, so what is there may go. */
  readonly raced: boolean
}

const TRANSPORTS = new Map([ORDINARY, ...ODD, ...BROKEN].map((transport) => [transport.name, transport]))

export function plan(here: Here, step: Step): Planned {
  const { service, team, nth } = here
  const named = service.document.operations.find(({ id }) => id === step.id)!
  const method = step.method ?? named.method
  const operation = operationAt(service.document, named.path, method)
  const found = targetOf(here, named, step)
  // GET /v1/monitors/bulk is /v1/monitors/{id} with an odd id.
  const target = operation === null || operation.path === named.path ? found : { ...found, there: false, odd: true }
  const body = bodyOf(here, named, step)
  const sent: Sent = {
    method,
    target: named.path.replace(/\{\w+\}/, () => target.id ?? '') + step.query.text,
    headers: { ...team.headers(step.caller, nth), ...body?.transport.headers, 'x-forwarded-for': addressOf(nth) },
    body: body?.bytes ?? null,
  }
  const changes = (body?.changes ?? []).map(
    ({ path, what }) => `${path === '' ? 'the body' : path.slice(0, 100)} ${what}`,
  )
  const how = body && body.transport !== ORDINARY ? [`sent as ${body.transport.name}`] : []
  return {
    sent,
    expected: expectedOf({ here, step, method, operation, body, target }),
    id: target.id,
    caller: step.caller,
    what: [`${step.id} as ${step.caller}`, ...changes, ...how].join('; '),
  }
}

function operationAt({ operations }: ApiDocument, path: string, method: string): Operation | null {
  const fits = (template: string) => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path)
  const own = operations.find((one) => one.path === path && one.method === method)
  return own ?? operations.find((one) => one.method === method && fits(one.path)) ?? null
}

/** One in twenty comes with an address that is none. */
const addressOf = (nth: number) =>
  nth % 20 === 7 ? 'unknown, [::1, %%%' : `198.${18 + (nth >> 16)}.${(nth >> 8) & 255}.${nth & 255}`

interface Target {
  readonly id: string | null
  readonly there: boolean
  readonly odd: boolean
}

function targetOf({ shelf }: Here, operation: Operation, { target }: Step): Target {
  if (operation.pathNames.length === 0) return { id: null, there: true, odd: false }
  if (target.kind === 'text') return { id: target.text, there: target.known, odd: !target.known }
  const id = shelf[target.kind](kindOf(operation.path), target.age)
  return { id: id ?? UNKNOWN_ID, there: target.kind === 'live' && id !== null, odd: false }
}

interface Body {
  readonly bytes: Buffer
  readonly transport: Transport
  readonly changes: readonly Changed[]
  /** What the bytes say; undefined when they are not JSON. */
  readonly value: Json | undefined
}

function bodyOf({ service, team, shelf }: Here, operation: Operation, { body, transport: name }: Step): Body | null {
  if (!body) return null
  const transport = TRANSPORTS.get(name ?? ORDINARY.name) ?? ORDINARY
  let value = body.value
  const changes: Changed[] = []
  for (const change of body.changes) {
    const changed = mutate(service.document, operation.body ?? {}, value, change)
    changes.push(changed)
    value = changed.value
  }
  const text = textOf(value, (kind, index) => {
    if (kind === 'page') return service.page
    if (kind === 'email' || kind === 'password' || kind === 'token') return team.leaver[kind]
    return shelf.live(kind, index) ?? UNKNOWN_ID
  })
  const bytes = transport.bytes(text)
  return { bytes, transport, changes, value: valueOf(bytes) }
}

function valueOf(bytes: Buffer): Json | undefined {
  try {
    const value: Json = JSON.parse(bytes.toString())
    return value
  } catch {
    return undefined
  }
}

interface Question {
  readonly here: Here
  readonly step: Step
  readonly method: string
  readonly operation: Operation | null
  readonly body: Body | null
  readonly target: Target
}

function expectedOf(question: Question): Expected {
  const { here, step, method, operation, body, target } = question
  const base = { operation, method, odd: target.odd, status: null, good: false, fault: null, echo: null }
  if (!operation) return { ...base, wrong: method !== 'HEAD' }
  const wrongBody = isWrongBody(here.service.document, operation, body)
  const wrong = step.query.wrong || wrongBody || target.odd
  const asItShould = !wrong && step.query.text === '' && isPlain(body)
  return {
    ...base,
    wrong,
    ...(asItShould ? rightly(question, operation) : { status: deniedTo(question, operation) }),
    fault: wrongBody && step.query.text === '' ? faultOf(body) : null,
  }
}

/** What must come of a request that nothing is wrong with. */
function rightly(question: Question, operation: Operation): Pick<Expected, 'status' | 'good' | 'echo'> {
  const { here, step, body, target } = question
  const echo = operation.path.startsWith('/v1/') && operation.body ? answered(operation, body?.value ?? null) : null
  const denied = deniedTo(question, operation)
  if (denied !== null || here.raced || !mayDo(operation, step.caller)) return { status: denied, good: false, echo }
  if (isMissing(here, operation, step.caller, target)) return { status: 404, good: false, echo }
  return { status: null, good: target.there && isSure(here, operation, body), echo }
}

/** Returns what a success answers again. The name of a team is kept without the white space around it. */
const answered = ({ path }: Operation, value: Json): Json => {
  if (path !== '/v1/team' || !isBag(value) || typeof value['name'] !== 'string') return value
  return { ...(value as Readonly<Record<string, Json>>), name: value['name'].trim() }
}

const deniedTo = ({ here, step, target }: Question, operation: Operation) =>
  target.odd ? null : deniedStatus(operation, step.caller, here.raced)

/** As the generator made it, and sent in a way that has to be understood. */
const isPlain = (body: Body | null) => body === null || (body.changes.length === 0 && !body.transport.wrong)

/** Where a body has become wrong, when that is one place. */
function faultOf(body: Body | null): string | null {
  const [first, ...more] = body?.changes ?? []
  if (!first || more.length > 0 || first.whole || first.path === '' || body?.transport !== ORDINARY) return null
  return topKey(first.path)
}

function isWrongBody(document: ApiDocument, operation: Operation, body: Body | null): boolean {
  if (operation.method === 'GET') return false
  if (!body) return operation.bodyRequired
  if (body.bytes.toString().trim() === '') return operation.bodyRequired
  // By its bytes: a value may be nested too deeply to be written again.
  if (!operation.body) return body.value !== undefined && body.bytes.toString().trim() !== '{}' && !body.transport.wrong
  return (
    body.transport.wrong ||
    (body.changes.at(-1)?.wrong ?? false) ||
    body.value === undefined ||
    !document.allows(operation.body, body.value)
  )
}

const hasKey = (value: Json | undefined, key: string) =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && Object.hasOwn(value, key)

const KEYS: ReadonlySet<Caller> = new Set(['key', 'reader', 'writer', 'stranger'])

/** The refusal that comes before all others. */
function deniedStatus({ open, role, scope }: Operation, caller: Caller, raced: boolean): number | null {
  if (open === 'all' || raced) return null
  if (caller === 'none' || caller === 'garbage') return 401
  if (open === 'session' && KEYS.has(caller)) return 403
  // Who may write may read.
  const least = { reader: ['read'], viewer: ['viewer'], member: ['viewer', 'member'] }[caller as string]
  return least && !least.includes((caller === 'reader' ? scope : role) ?? '') ? 403 : null
}

const mayDo = ({ open }: Operation, caller: Caller) =>
  caller === 'session' || caller === 'cookie' || (open === 'key' && (caller === 'key' || caller === 'stranger'))

function isMissing({ shelf }: Here, { path, pathNames }: Operation, caller: Caller, target: Target): boolean {
  if (pathNames[0] !== 'id') return false
  // Runs and deliveries go with their monitor, some at once and some not.
  if (shelf.dead('monitor', 0) !== null && kindOf(path) !== 'monitor') return false
  // An invitation that was revoked is known still: to send it again is a conflict.
  if (path.endsWith('/resend') && shelf.dead('invitation', 0) !== null) return caller === 'stranger'
  return !target.there || caller === 'stranger'
}

/** A change of these depends on what is stored; a status page that is published is changed by few. */
const MEETS_STORED = /^\/v1\/(?:monitors|serp-monitors|status-pages)\//

/** Whether nothing but the document and our hints decides on a request. */
function isSure({ shelf }: Here, { id, method, path, pathNames }: Operation, body: Body | null): boolean {
  if (path.startsWith('/auth/')) return false
  // What is changed or tried meets what is stored; a template may have no address. Most runs found no difference of
  // texts. A predicate that is tried may name a field that is not there, and a manifest is of anything.
  if (/\/(?:backtest|diff|preview|try|extract|candidates|manifests)$/.test(path)) return false
  if (method === 'PATCH' && MEETS_STORED.test(path)) return false
  // Who is changed, and what an invitation leads to, depends on what other accounts did.
  if (path.startsWith('/v1/team/') && (method !== 'GET' || path.endsWith('/invitation'))) return false
  // No generated address is that of the account, which is needed further on.
  if (path === '/v1/account') return false
  if (pathNames[0] === 'slug') return hasKey(body?.value, 'url')
  return id !== '' && (kindOf(path) === 'monitor' || pathNames.length === 0 || shelf.dead('monitor', 0) === null)
}
