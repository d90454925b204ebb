import fc from 'fast-check'
import type { Json } from '../../schema/shape/json.ts'
import type { ApiDocument, Operation } from './document.ts'
import { mark } from './marks.ts'
import type { Change } from './mutate.ts'
import { BROKEN, ODD } from './transport.ts'
import { valid } from './valid.ts'

const CALLERS = [
  'key',
  'reader',
  'writer',
  'session',
  'cookie',
  'viewer',
  'member',
  'stranger',
  'leaver',
  'none',
  'garbage',
] as const
/** Whose credentials a request carries. */
export type Caller = (typeof CALLERS)[number]

export interface Step {
  readonly id: string
  /** Instead of the operation's own. */
  readonly method: string | null
  /** What fills the path: a thing of the chain by its age (0 the newest), one that is gone, or a text. */
  readonly target:
    | { readonly kind: 'live' | 'dead'; readonly age: number }
    | { readonly kind: 'text'; readonly text: string; readonly known: boolean }
  readonly caller: Caller
  readonly body: { readonly value: Json; readonly changes: readonly Change[] } | null
  /** null: as everybody does. */
  readonly transport: string | null
  readonly query: { readonly text: string; readonly wrong: boolean }
  /** Sent at the same time as the step before. */
  readonly together: boolean
}

/** A few steps that share what they make. */
export interface Chain {
  /** The chain begins with a monitor that has a run and a delivery. */
  readonly seeded: boolean
  readonly steps: readonly Step[]
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']
const ODD_IDS = [
  '%00',
  '%2F',
  '..%2f..%2f',
  '.',
  '..',
  '%2e%2e',
  'not-a-uuid',
  '%7B00000000-0000-0000-0000-000000000000%7D',
  '%zz',
  '%',
  'a'.repeat(150),
  'a'.repeat(300),
  '%F0%9F%98%80',
  '%27%20or%201=1--',
  'null',
  '0',
  '-1',
  '__proto__',
  'constructor',
  '%ED%A0%80',
  '%C0%AF',
  '00000000000000000000000000000000',
  '%20',
  ';x=1',
  '*',
  '',
]
const ODD_QUERIES = [
  '?',
  '?&',
  '?&&=&',
  '?=',
  '?=1',
  '?%',
  '?%zz=%zz',
  '?%ED%A0%80=1',
  `?${'a'.repeat(6000)}`,
  `?${'page=1&'.repeat(500)}`,
]
const WRONG_QUERIES = [
  '?x=1',
  '?x=%00',
  '?%00=1',
  '?page=1&x=%2F',
  '?__proto__=1',
  '?constructor=1',
  '?__proto__[a]=1',
  '?x[]=1&x[]=2',
  '?toString',
  '?%F0%9F%98%80=1',
]
const WRONG_VALUES = [
  '',
  '%00',
  'a',
  '1e400',
  '0x1',
  '-1',
  '1.5',
  '01e1',
  '99999999999999999999',
  'NaN',
  'null',
  '[]',
  '%2F',
  '1%20',
  '%F0%9F%98%80',
  "1'--",
  'TRUE',
]

const rarely = <T>(usual: fc.Arbitrary<T>, seldom: fc.Arbitrary<T>, oneIn = 8) =>
  fc.oneof({ weight: oneIn - 1, arbitrary: usual }, { weight: 1, arbitrary: seldom })
const none = { text: '', wrong: false }

function queries({ query }: Operation): fc.Arbitrary<Step['query']> {
  const any = fc.oneof(
    fc.constantFrom(...ODD_QUERIES).map((text) => ({ text, wrong: false })),
    fc.constantFrom(...WRONG_QUERIES).map((text) => ({ text, wrong: true })),
  )
  if (query.length === 0) return rarely(fc.constant(none), any, 16)
  const good = query.map(({ name, schema }) => {
    const values =
      schema.type === 'boolean'
        ? ['true', 'false']
        : (schema.enum ?? [schema.minimum ?? 1, 2, 20, schema.maximum ?? 'a'])
    return fc.option(
      fc.constantFrom(...values).map((value) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`),
    )
  })
  const bad = fc.constantFrom(...query).chain(({ name, schema }) => {
    const beyond = schema.type === 'integer' ? [`${(schema.minimum ?? 0) - 1}`, `${(schema.maximum ?? 0) + 1}`] : []
    const values =
      schema.type === undefined || (schema.type === 'string' && !schema.enum) ? ['%00'] : [...WRONG_VALUES, ...beyond]
    return fc.constantFrom(
      ...values.map((value) => `?${name}=${value}`),
      `?${name}=1&${name}=1`,
      `?${name}=1&${name}=2&x=1`,
    )
  })
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(...good)
        .map((parts) => ({ text: `?${parts.filter((part) => part !== null).join('&')}`, wrong: false })),
    },
    { weight: 3, arbitrary: bad.map((text) => ({ text, wrong: true })) },
    { weight: 1, arbitrary: any },
  )
}

const age = fc.nat(3)
const text = (what: string, known = false) => ({ kind: 'text', text: what, known }) as const

function targets(operation: Operation, slugs: readonly string[]): fc.Arbitrary<Step['target']> {
  if (operation.pathNames.length === 0) return fc.constant({ kind: 'live', age: 0 })
  const odd = fc.oneof(fc.constantFrom(...ODD_IDS), fc.uuid()).map((id) => text(id))
  if (operation.pathNames[0] === 'slug')
    return rarely(
      fc.constantFrom(...slugs).map((slug) => text(slug, true)),
      odd,
      5,
    )
  return fc.oneof(
    { weight: 8, arbitrary: age.map((at) => ({ kind: 'live', age: at }) as const) },
    { weight: 1, arbitrary: age.map((at) => ({ kind: 'dead', age: at }) as const) },
    { weight: 2, arbitrary: odd },
  )
}

const callers = (operation: Operation): fc.Arbitrary<Caller> =>
  operation.path.startsWith('/auth/')
    ? fc.constantFrom('leaver', 'leaver', 'leaver', 'none', 'garbage', 'key')
    : rarely(
        fc.constantFrom(
          ...(operation.open === 'session' ? (['session', 'cookie'] as const) : (['key', 'session'] as const)),
        ),
        fc.constantFrom(...CALLERS.filter((who) => who !== 'leaver')),
        4,
      )

const change: fc.Arbitrary<Change> = fc.record({ place: fc.nat(1000), kind: fc.nat(1000) })

/** Makes chains out of the operations of a document. */
interface Chains {
  /** Anything in any order, or the whole life of one thing. */
  readonly any: fc.Arbitrary<Chain>
  /** Every operation once as it is meant, what deletes at the end, and every operation without credentials. */
  readonly rollCall: fc.Arbitrary<Chain>
}

export function chainsOf(document: ApiDocument, slugs: readonly string[]): Chains {
  const bodies = new Map(
    document.operations.map((operation) => [operation.id, operation.body && validBody(document, operation)] as const),
  )
  const bodyOf: BodyOf = ({ id }, changes) => {
    const values = bodies.get(id)
    if (values) return fc.record({ value: values, changes })
    return fc.constantFrom(null, null, { value: {}, changes: [] }, { value: { more: 1 }, changes: [] })
  }
  const good = (operation: Operation) => goodStep(operation, slugs, bodyOf)
  const weighted = document.operations.map((operation) => ({
    weight: weightOf(operation),
    arbitrary: anyStep(operation, slugs, bodyOf),
  }))
  const free = fc.array(fc.oneof(...weighted), { minLength: 4, maxLength: 20, size: 'max' })
  const lives = document.operations
    .filter(({ method, path }) => method === 'DELETE' && path.endsWith('/{id}'))
    .map((end) => lifeOf(document, end, good))
  const inOrder = document.operations.toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))
  const roll = fc
    .tuple(...inOrder.map(good))
    .map((steps) => [...steps, ...steps.map((step) => ({ ...step, caller: 'none' as const }))])
  return {
    any: fc.record({
      seeded: fc.boolean(),
      steps: fc.oneof({ weight: 3, arbitrary: free }, ...lives.map((arbitrary) => ({ weight: 1, arbitrary }))),
    }),
    rollCall: fc.record({ seeded: fc.constant(true), steps: roll }),
  }
}

type BodyOf = (operation: Operation, changes: fc.Arbitrary<readonly Change[]>) => fc.Arbitrary<Step['body']>

const changes: fc.Arbitrary<readonly Change[]> = fc.oneof(
  { weight: 1, arbitrary: fc.constant([]) },
  { weight: 4, arbitrary: fc.tuple(change) },
  { weight: 1, arbitrary: fc.array(change, { minLength: 2, maxLength: 3 }) },
)

/** Right in some ways and wrong in others. */
const anyStep = (operation: Operation, slugs: readonly string[], bodyOf: BodyOf): fc.Arbitrary<Step> =>
  fc.record({
    id: fc.constant(operation.id),
    method: rarely(fc.constant(null), fc.constantFrom(...METHODS), 25),
    target: targets(operation, slugs),
    caller: callers(operation),
    body: bodyOf(operation, changes),
    transport: rarely(
      fc.constant(null),
      fc.constantFrom(...ODD, ...BROKEN).map(({ name }) => name),
      6,
    ),
    query: queries(operation),
    together: rarely(fc.constant(false), fc.constant(true), 8),
  })

/** As the document means it. */
const goodStep = (operation: Operation, slugs: readonly string[], bodyOf: BodyOf): fc.Arbitrary<Step> =>
  fc.record({
    id: fc.constant(operation.id),
    method: fc.constant(null),
    target:
      operation.pathNames[0] === 'slug'
        ? fc.constantFrom(...slugs).map((slug) => text(slug, true))
        : fc.constant({ kind: 'live', age: 0 } as const),
    caller: fc.constant(
      operation.path.startsWith('/auth/') ? 'leaver' : operation.open === 'session' ? 'session' : 'key',
    ),
    body: operation.body ? bodyOf(operation, fc.constant([])) : fc.constant(null),
    transport: fc.constant(null),
    query: fc.constant(none),
    together: fc.constant(false),
  })

/** Bodies of sign-in cost a tenth of a second of hashing each; a monitor's body has by far the most to get wrong. */
function weightOf({ path, body }: Operation): number {
  if (path.startsWith('/auth/')) return 1
  return path.startsWith('/v1/monitors') && body ? 24 : 6
}

function validBody(document: ApiDocument, operation: Operation): fc.Arbitrary<Json> {
  const values = valid(document, operation.body ?? {}, operation.id)
  // A preview asks the address at once: only the page of these tests may be asked.
  return operation.path === '/v1/monitors/preview' || operation.path === '/v1/looks'
    ? values.map((body) => ({ ...(body as Readonly<Record<string, Json>>), url: mark('page') }))
    : values
}

/** Create, all that can be done with it in any order, delete, and a look at what is left. */
function lifeOf(
  document: ApiDocument,
  end: Operation,
  step: (operation: Operation) => fc.Arbitrary<Step>,
): fc.Arbitrary<readonly Step[]> {
  const find = (method: string, path: string) =>
    document.operations.filter((one) => one.method === method && one.path === path)
  const begin = find('POST', end.path.replace('/{id}', ''))
  const between = document.operations.filter((one) => one.path.startsWith(end.path) && one !== end)
  const after = [end, ...find('GET', end.path)].map((one) =>
    step(one).map((made) => ({ ...made, target: { kind: 'dead', age: 0 } as const })),
  )
  return fc
    .shuffledSubarray(between, { minLength: Math.min(2, between.length) })
    .chain((middle) => fc.tuple(...begin.map(step), ...middle.map(step), step(end), ...after))
}
