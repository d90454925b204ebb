import type { Json } from '../../schema/shape/json.ts'
import { joinPath } from '../../schema/validation/issue.ts'
import type { ApiDocument, Schema } from './document.ts'
import { raw } from './marks.ts'

type Key = string | number
type Bag = Readonly<Record<string, Json>>

/** Where to change a value and how; the numbers are taken modulo what there is. */
export interface Change {
  readonly place: number
  readonly kind: number
}

export interface Changed {
  readonly value: Json
  /** The path of the change, as an issue would name it. */
  readonly path: string
  /** What was done, for people. */
  readonly what: string
  /** The service must refuse it, though the document may allow it. */
  readonly wrong: boolean
  /** The refusal may name the body as a whole. */
  readonly whole: boolean
}

interface Place {
  readonly keys: readonly Key[]
  readonly schema: Schema
  readonly value: Json
}

interface Option {
  readonly what: string
  readonly value?: Json
  /** A key of the value that the change is about. */
  readonly key?: string
  readonly wrong?: boolean
  readonly whole?: boolean
}

/**
 * Makes one change to a value of a schema: a boundary, one beyond it, another type, a missing or an unknown key,
 * hostile text.
 */
export function mutate(document: ApiDocument, schema: Schema, value: Json, { place, kind }: Change): Changed {
  const places = [...placesOf(document, schema, value)]
  const at = places[place % places.length]!
  const options = optionsFor(document.resolve(at.schema).schema, at.value)
  const { what, value: changed, key, wrong = false, whole = false } = options[kind % options.length]!
  const keys = key === undefined ? at.keys : [...at.keys, key]
  return { value: replace(value, at.keys, changed), path: joinPath('', ...keys), what, wrong, whole }
}

function* placesOf(document: ApiDocument, schema: Schema, value: Json, keys: readonly Key[] = []): Generator<Place> {
  const node = armOf(document, schema, value)
  yield { keys, schema: node, value }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* placesOf(document, node.items ?? {}, item, [...keys, index])
  } else if (value !== null && typeof value === 'object') {
    for (const [key, item] of Object.entries(value)) {
      const others = typeof node.additionalProperties === 'object' ? node.additionalProperties : {}
      const own = node.properties && Object.hasOwn(node.properties, key) ? node.properties[key] : undefined
      yield* placesOf(document, own ?? others, item, [...keys, key])
    }
  }
}

/** The variant that a value has chosen. */
function armOf(document: ApiDocument, schema: Schema, value: Json): Schema {
  const node = document.resolve(schema).schema
  const variants = node.oneOf ?? node.anyOf
  if (!variants) return node
  const chosen =
    variants.find((variant) => document.allows(variant, value)) ??
    variants.find((variant) => isOf(document, variant, value)) ??
    variants[0]!
  return armOf(document, chosen, value)
}

/** Marks are not yet what they will be, so the whole need not fit: the tag decides. */
function isOf(document: ApiDocument, variant: Schema, value: Json): boolean {
  const { schema } = document.resolve(variant)
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false
  const tag = Object.entries(schema.properties ?? {}).find(([, property]) => property.const !== undefined)
  return tag ? (value as Bag)[tag[0]] === tag[1].const : schema.type === 'object'
}

function replace(value: Json, keys: readonly Key[], by: Json | undefined): Json {
  const [first, ...rest] = keys
  if (first === undefined) return by ?? null
  const gone = rest.length === 0 && by === undefined
  if (Array.isArray(value)) {
    return gone
      ? value.toSpliced(Number(first), 1)
      : value.map((item: Json, index) => (index === first ? replace(item, rest, by) : item))
  }
  const entries = Object.entries(value as Bag)
  return Object.fromEntries(
    gone
      ? entries.filter(([key]) => key !== first)
      : entries.map(([key, item]) => [key, key === first ? replace(item, rest, by) : item]),
  )
}

const OTHER_TYPES: readonly Option[] = [null, true, false, 0, 7, -1.5, '', 'text', '7', [], [null], {}, { a: 1 }].map(
  (value) => ({
    what: `is ${JSON.stringify(value)}`,
    value,
  }),
)
const DEEP: readonly Option[] = [
  { what: '60 lists deep', value: raw('['.repeat(60) + ']'.repeat(60)) },
  { what: '20,000 lists deep', value: raw('['.repeat(20_000) + ']'.repeat(20_000)), wrong: true, whole: true },
  {
    what: '300 objects deep',
    value: Array.from({ length: 300 }).reduce<Json>((inner) => ({ a: inner }), 1),
    wrong: true,
    whole: true,
  },
]
const ANY: readonly Option[] = [...OTHER_TYPES, ...DEEP]
const EXTRA_KEYS = [
  'more',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '',
  ' ',
  '😀',
  'a.b',
  '["x"]',
  'k'.repeat(5000),
]
const HOSTILE_KEYS = ['__proto__', 'NUL \0', 'lone \ud800']

function optionsFor(schema: Schema, value: Json): readonly Option[] {
  if (typeof value === 'string') return [...ANY, ...textOptions(schema, value)]
  if (typeof value === 'number') return [...ANY, ...numberOptions(schema)]
  if (Array.isArray(value)) return [...ANY, ...listOptions(schema, value)]
  if (value !== null && typeof value === 'object') return [...ANY, ...objectOptions(schema, value as Bag)]
  return ANY
}

/** Made as long as wanted, by code points, without losing what it is. */
function long(text: string, length: number): string {
  const points = Array.from(text)
  return points.length >= length ? points.slice(0, length).join('') : text + 'a'.repeat(length - points.length)
}

function textOptions({ minLength = 0, maxLength = 1000 }: Schema, value: string): Option[] {
  const middle = value.length >> 1
  return [
    { what: 'as long as may be', value: long(value, maxLength) },
    { what: 'as long as may be, of emoji', value: '😀'.repeat(maxLength) },
    { what: 'one too long', value: long(value, maxLength + 1) },
    { what: 'one too long, of emoji', value: '😀'.repeat(maxLength + 1) },
    { what: 'as short as may be', value: 'a'.repeat(minLength) },
    { what: 'far too long', value: 'a'.repeat(300_000) },
    { what: 'with NUL', value: `${value.slice(0, middle)}\0${value.slice(middle)}`, wrong: true },
    { what: 'with a lone high surrogate', value: `${value}\ud83d`, wrong: true },
    { what: 'with a lone low surrogate', value: `\udc00${value}`, wrong: true },
    ...HOSTILE_TEXTS.map((text) => ({ what: 'hostile text', value: text })),
  ]
}

const HOSTILE_TEXTS = [
  ' ',
  '\r\nx-injected: 1',
  "'; drop table monitors; --",
  '{{7*7}}${7*7}<%= 7*7 %>',
  '<script>alert(1)</script>',
  '%s%n%d %00',
  'http://169.254.169.254/latest/meta-data/',
  'http://10.0.0.1/',
  'http://[::ffff:10.0.0.1]/',
  'file:///etc/passwd',
  'https://user:pw@example.com/',
  'https://exa mple.com/',
  'name@example.com\r\nBcc: x@example.com',
  '../../../../etc/passwd',
  '(a+)+$',
  '((((((((((a{1,1000}){1,1000}){1,1000}',
  '//*[contains(., "a")]//*//*//*',
  '$..*..*..*',
  ':has(:has(:has(*)))',
  '*'.repeat(999),
  '['.repeat(999),
  '('.repeat(999),
  ':not('.repeat(200),
  '\u202e\ufeff\u2028\u2029\u0085',
  '\ud83d\ude00\u0301'.repeat(300),
  '__proto__',
  'constructor',
  '9999-12-31T23:59:59.999Z',
  '0000-01-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2027-01-01T00:00:00+25:00',
  '+275760-09-13T00:00:00.001Z',
  '00000000-0000-0000-0000-000000000000',
]

function numberOptions({ minimum = -1000, maximum = 1000 }: Schema): Option[] {
  const plain = [
    minimum,
    maximum,
    minimum - 1,
    maximum + 1,
    minimum - 0.5,
    maximum + 0.5,
    (minimum + maximum) / 2 + 0.25,
    -maximum,
  ]
  const texts = [
    '-0',
    '9007199254740993',
    '-9007199254740993',
    '1e-400',
    '1e21',
    '1.0',
    '6E1',
    '123456789012345678901234567890',
    '2147483648',
  ]
  return [
    ...plain.map((value) => ({ what: `is ${value}`, value })),
    ...texts.map((text) => ({ what: `is ${text}`, value: raw(text) })),
    ...['1e400', '-1e400', `1${'0'.repeat(400)}`].map((text) => ({
      what: `is ${text}`,
      value: raw(text),
      wrong: true,
      whole: true,
    })),
  ]
}

/** What is repeated thousands of times must not itself have grown. */
const smallOf = (value: Json) => (JSON.stringify(value).length < 200 ? value : 'a')

function listOptions({ minItems = 0, maxItems = 100 }: Schema, value: readonly Json[]): Option[] {
  const first = value[0] ?? 'a'
  const small = smallOf(first)
  const of = (length: number) => Array.from({ length }, () => first)
  return [
    { what: 'with as many items as may be', value: of(maxItems) },
    { what: 'with one item too many', value: of(maxItems + 1) },
    { what: 'with as few items as may be', value: value.slice(0, minItems) },
    { what: 'with one item too few', value: value.slice(0, Math.max(0, minItems - 1)) },
    { what: 'with an item twice', value: [...value, first] },
    { what: 'with 20,000 items', value: Array.from({ length: 20_000 }, () => small) },
    { what: 'with null in it', value: [...value, null] },
    { what: 'as an object', value: Object.fromEntries(value.entries()) },
  ]
}

function objectOptions(schema: Schema, value: Bag): Option[] {
  const withKey = (key: string): Bag =>
    Object.fromEntries([...Object.entries(value), [key, Object.values(value)[0] ?? 1]])
  const some = smallOf(Object.values(value)[0] ?? 'a')
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, some]))
  const closed = schema.properties !== undefined
  return [
    ...Object.keys(value).map((key) => {
      const { [key]: _, ...rest } = value
      return { what: `without ${key}`, value: rest, key }
    }),
    ...EXTRA_KEYS.map((key) => ({ what: `with the key ${key.slice(0, 20)}`, value: withKey(key), key })),
    ...HOSTILE_KEYS.map((key) => ({
      what: `with the key ${JSON.stringify(key)}`,
      value: withKey(key),
      wrong: true,
      whole: true,
      key,
    })),
    ...(closed ? [] : [{ what: 'with as many keys as may be', value: keys(schema.maxProperties ?? 50) }]),
    { what: 'with one key too many', value: keys((schema.maxProperties ?? 50) + 1) },
    { what: 'with 5,000 keys', value: keys(5_000) },
    { what: 'as a list', value: Object.values(value) },
  ]
}
