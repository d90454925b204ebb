import { type NameFault, type NamePath, parseNames, type Piece } from './parse-names.ts'

/** A part of a text as it was written, or a name. `isAlone`: it is a whole string of JSON. */
type Part = { readonly raw: string } | { readonly path: NamePath; readonly isAlone: boolean }

/** A text whose names are found. `isJson`: values are written as JSON writes them inside of its strings. */
export interface Template {
  readonly isJson: boolean
  readonly parts: readonly Part[]
  readonly faults: readonly NameFault[]
}

/** Returns the fields that a text names, each once. */
export const fieldsNamed = ({ parts }: Template): ReadonlySet<string> => new Set(parts.flatMap(fieldOf))

/** Returns the fields that are the whole string of some JSON, whose values keep their types. */
export const fieldsAlone = ({ parts }: Template): ReadonlySet<string> =>
  new Set(parts.filter((part) => 'path' in part && part.isAlone).flatMap(fieldOf))

function fieldOf(part: Part): readonly string[] {
  const [first, field] = 'path' in part ? part.path : []
  return first?.text === 'fields' && field ? [field.text] : []
}

/** Reads the title or the text of a message. */
export const textTemplate = remembered(readText)

/** Returns whether a title or a text has no names: it is the same for every change. */
export const isOwnWordsOnly = (text: string): boolean => textTemplate(text).parts.every((part) => 'raw' in part)

function readText(text: string): Template {
  const { pieces, faults } = parseNames(text)
  return { isJson: false, parts: pieces.map((piece) => partOf(text, piece)), faults }
}

const partOf = (text: string, { start, end, path }: Piece): Part =>
  path ? { path, isAlone: false } : { raw: text.slice(start, end) }

const MAY_NAME = /\{\{|\\u007b/i
const STRING = /"(?:[^"\\]|\\.)*"(?=(\s*:)?)/g

/**
 * Reads the body of a message. Of JSON, the names in its strings are found, but none in its keys. Everything else stays
 * as it is written, byte for byte. Other bodies are texts.
 */
export const bodyTemplate = remembered(readBody)

function readBody(body: string): Template {
  if (!isJson(body)) return readText(body)
  const parts: Part[] = []
  const faults: NameFault[] = []
  let at = 0
  for (const { 0: literal, 1: colon, index } of body.matchAll(STRING)) {
    if (colon !== undefined || !MAY_NAME.test(literal)) continue
    const found = parseNames(JSON.parse(literal) as string)
    if (found.pieces.every(({ path }) => !path) && found.faults.length === 0) continue
    const inBody = offsetsOf(literal).map((offset) => index + offset)
    const placed = (offset: number) => inBody[offset] ?? index
    faults.push(...found.faults.map((fault) => ({ ...fault, at: placed(fault.at) })))
    const [only, ...others] = found.pieces
    const isAlone = only?.path !== undefined && others.length === 0 && found.faults.length === 0
    parts.push({ raw: body.slice(at, isAlone ? index : index + 1) })
    for (const { start, end, path } of found.pieces)
      parts.push(
        path
          ? { path: path.map((step) => ({ ...step, at: placed(step.at) })), isAlone }
          : { raw: body.slice(placed(start), placed(end)) },
      )
    at = index + literal.length - (isAlone ? 0 : 1)
  }
  return { isJson: true, parts: [...parts, { raw: body.slice(at) }], faults }
}

/** Returns where each UTF-16 unit of a string begins in its literal, and where the last one ends. */
function offsetsOf(literal: string): readonly number[] {
  const offsets = [...literal.slice(1, -1).matchAll(/\\u[0-9a-fA-F]{4}|\\.|[^\\]/gs)].map(({ index }) => index + 1)
  return [...offsets, literal.length - 1]
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Returns the content type of a body. */
export const contentTypeOf = ({ isJson: isOfJson }: Template): string =>
  isOfJson ? 'application/json' : 'text/plain; charset=utf-8'

/** A configuration has so many texts. They are read by one rule after the other, and again for each message. */
const REMEMBERED = 64

/** Returns a function that reads the texts of before only once. */
function remembered(read: (text: string) => Template): (text: string) => Template {
  const known = new Map<string, Template>()
  return (text) => {
    const found = known.get(text)
    if (found) return found
    const template = read(text)
    known.set(text, template)
    const [oldest] = known.size > REMEMBERED ? known.keys() : []
    if (oldest !== undefined) known.delete(oldest)
    return template
  }
}
