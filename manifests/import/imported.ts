/** A monitor of another tool, in the API's spelling. It has not been checked. */
export interface ImportedMonitor {
  /** What the other tool identifies it by: it makes the name of the manifest unique, and the same at each import. */
  readonly id: string
  readonly body: Readonly<Record<string, unknown>> & { readonly name: string }
  readonly isPaused: boolean
}

/** What was read from the configuration of another tool. */
export interface Imported {
  /** How many the configuration has, also those that were left out: the report says why. */
  readonly found: number
  readonly monitors: readonly ImportedMonitor[]
  /** A line for everything that has no equivalent. It contains no secret. */
  readonly report: readonly string[]
}

export type Values = Readonly<Record<string, unknown>>

/** A tool whose configuration this service reads. */
export interface OtherTool {
  /** What is read of it, as a noun. */
  readonly what: string
  /** Whether these documents of a file are its own. */
  readonly isOf: (documents: readonly unknown[]) => boolean
  /** Returns what is in documents that are its own. */
  readonly read: (documents: readonly unknown[], besides: Besides) => Imported
  /** It has its destinations in another file. */
  readonly hasReporters?: true
}

/** What the file of a tool does not say. */
export interface Besides {
  /** Where its monitors have no interval. */
  readonly intervalSeconds: number
  /** Absent: the file of its reporters was not given. */
  readonly reporters?: Reporters | undefined
}

/** The destinations of all its monitors, and a line for everything that has no equivalent. */
export interface Reporters {
  readonly deliveries: readonly object[]
  readonly report: readonly string[]
}

export const isObject = (value: unknown): value is Values =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

export const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')

export const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).map(textOf).filter((text) => text !== '')

/** Returns whether somebody set a value: tools write their defaults as empty ones. */
export const isSet = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== false &&
  value !== '' &&
  !(Array.isArray(value) && value.length === 0) &&
  !(isObject(value) && Object.keys(value).length === 0)

/** Returns the value of a JSON text; anything else as it is. */
export function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return null
  }
}

/** Returns the pattern that matches a text in any case. */
export const anyCase = (text: string): string => `(?i:${literal(text)})`

/** Returns the pattern that matches a text as it is. */
export const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)

/** Returns the first 200 characters, which a name may have, in one line. */
export const nameOf = (text: string): string =>
  Array.from(text.replaceAll(/\s+/g, ' ').trim()).slice(0, 200).join('') || 'Imported'

/** Returns texts as the names of labels; those that have no letter or digit are left out. */
export const labelsNamed = (texts: readonly string[]): Readonly<Record<string, string>> =>
  labelsOf(texts.map((text) => [text, ''] as const))

/** Does the same for names with values. A name without a value has the value `true`. */
export const labelsOf = (pairs: readonly (readonly [string, string])[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    pairs.flatMap(([text, value]) => {
      const name = plainLabel(text)
      return name === '' ? [] : [[name, plainLabel(value) || 'true'] as const]
    }),
  )

function plainLabel(text: string): string {
  const words = text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
  return words
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63)
    .replace(/-+$/, '')
}

const RESERVED: ReadonlySet<string> = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'cookie'])

/** Returns the headers that a monitor may send, or null; the others go into the report. */
export function headersOf(value: unknown, miss: (what: string) => void): Readonly<Record<string, string>> | null {
  const entries = isObject(value) ? Object.entries(value) : []
  const kept = entries.filter(([name]) => !RESERVED.has(name.toLowerCase()))
  for (const [name] of entries) if (RESERVED.has(name.toLowerCase())) miss(`the header ${name}`)
  return kept.length === 0 ? null : Object.fromEntries(kept.map(([name, text]) => [name, String(text)]))
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH'])

/** Returns the request configuration of a method and a body, or null for a plain GET. */
export function requestOf(method: string, body: string, miss: (what: string) => void): object | null {
  const upper = method.toUpperCase()
  if (upper === '' || (upper === 'GET' && body === '')) return null
  if (METHODS.has(upper)) return { method: upper, ...(body !== '' && upper !== 'GET' && { body }) }
  miss(`the method ${upper}`)
  return null
}

/** Returns the expression that gives all matches of a selector. */
export const allOf = {
  css: (selector: string): string => `${selector.includes(',') ? `:is(${selector})` : selector}[]`,
  xpath: (expression: string): string => `${expression.includes('|') ? `(${expression})` : expression}[]`,
  json_path: (expression: string): string => expression,
} as const
