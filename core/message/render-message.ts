import type { Template } from '../../schema/message/message-template.ts'
import type { NamePath } from '../../schema/message/parse-names.ts'
import type { Json } from '../../schema/shape/json.ts'
import { showValue } from '../text/show-value.ts'

/** The values of a message by their names, step by step. */
export interface MessageValues {
  readonly [name: string]: Json | MessageValues | undefined
}

/** Makes each text of a value once, however often a message names it. */
export interface NamedTexts {
  /** Returns the value of a name as a text. Nothing has no text, and neither has a list without items. */
  text(path: NamePath): string
  /** Returns the value as JSON. */
  json(path: NamePath): string
}

export function namedTexts(values: MessageValues): NamedTexts {
  return {
    text: oncePerName((path) => {
      const value = valueAt(values, path)
      if (value === null || (Array.isArray(value) && value.length === 0)) return ''
      return typeof value === 'string' ? value : showValue(value)
    }),
    json: oncePerName((path) => JSON.stringify(valueAt(values, path))),
  }
}

/** Returns a function that is called once for each name. */
export function oncePerName<T>(make: (path: NamePath) => T): (path: NamePath) => T {
  const made = new Map<string, T>()
  return (path) => {
    const name = JSON.stringify(path.map(({ text }) => text))
    const known = made.get(name)
    if (known !== undefined) return known
    const value = make(path)
    made.set(name, value)
    return value
  }
}

/** The most characters of a value, until a text fits. */
const VALUE_LENGTHS = [8_000, 2_000, 500]
const SHORTEST_VALUE = 80

/**
 * Writes a text with the values of its names. A value that is missing is empty, and null where a string of JSON is its
 * name alone. Values are cut where the text would have more than `most` bytes.
 */
export function render(template: Template, named: NamedTexts, most = Infinity): string {
  for (const longest of [most, ...VALUE_LENGTHS]) {
    const written = renderWithin(template, named, { longest, most })
    if (written !== null) return written
  }
  return renderWithin(template, named, { longest: SHORTEST_VALUE, most: Infinity }) ?? ''
}

interface Room {
  readonly longest: number
  readonly most: number
}

/** Returns null as soon as the text has more bytes than it may. */
function renderWithin({ parts, isJson }: Template, named: NamedTexts, { longest, most }: Room): string | null {
  const cut = oncePerName((path) => {
    const whole = named.text(path)
    return whole.length > longest ? `${whole.slice(0, longest).toWellFormed()}…` : whole
  })
  const inJson = oncePerName((path) => JSON.stringify(cut(path)).slice(1, -1))
  const written: string[] = []
  let room = most
  for (const part of parts) {
    const text = 'raw' in part ? part.raw : valueOf(part.path, part.isAlone)
    room -= Buffer.byteLength(text)
    if (room < 0) return null
    written.push(text)
  }
  return written.join('')

  function valueOf(path: NamePath, isAlone: boolean): string {
    const whole = named.text(path)
    const isCut = whole.length > longest
    if (isAlone && !isCut) return named.json(path)
    if (isAlone) return JSON.stringify(cut(path))
    return isJson ? inJson(path) : cut(path)
  }
}

/** Looks a name up. What a value inherits is none of its names. */
function valueAt(values: MessageValues, path: NamePath): Json {
  let value: unknown = values
  for (const { text } of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, text)) return null
    value = Reflect.get(value, text)
  }
  return (value ?? null) as Json
}
