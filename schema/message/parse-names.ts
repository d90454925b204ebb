/** A piece of a text, from `start` up to `end`. `path`: it is a name in `{{…}}`; absent: it is kept as it is. */
export interface Piece {
  readonly start: number
  readonly end: number
  readonly path?: NamePath
}

/** A name, step by step, such as `fields`, `the price`, `after`. */
export type NamePath = readonly NameStep[]

interface NameStep {
  readonly text: string
  /** Where it begins in the text. */
  readonly at: number
}

/** What is wrong in a text, and where it begins. */
export interface NameFault {
  readonly at: number
  readonly message: string
}

/** The pieces of a text in their order, and everything that is wrong with its names. */
interface ParsedNames {
  readonly pieces: readonly Piece[]
  readonly faults: readonly NameFault[]
}

const SPACE = /\s*/y
const IDENTIFIER = /[\p{ID_Start}_$][\p{ID_Continue}$]*/uy
const BRACKETS = /\[\s*("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")\s*\]/y

/**
 * Finds the names of a text: `{{monitor.name}}`, or with brackets where one is not an identifier, as in
 * `{{fields["the price"].after}}`.
 * There is nothing else in this language, and no value is ever parsed.
 */
export function parseNames(text: string): ParsedNames {
  const pieces: Piece[] = []
  const faults: NameFault[] = []
  let at = 0
  for (;;) {
    const open = text.indexOf('{{', at)
    const end = open < 0 ? text.length : open
    if (end > at) pieces.push({ start: at, end })
    if (open < 0) return { pieces, faults }
    const name = readName(text, open)
    if ('path' in name) pieces.push({ start: open, end: name.end, path: name.path })
    else faults.push(name.fault)
    at = name.end
  }
}

type Read = { readonly end: number; readonly path: NamePath } | { readonly end: number; readonly fault: NameFault }

function readName(text: string, open: number): Read {
  const path: NameStep[] = []
  let at = afterSpace(text, open + 2)
  for (;;) {
    const step = readStep(text, at, path.length === 0)
    if (step === null) break
    if (step.text === null) return faulty(text, { open, at: step.at, message: NO_NAME })
    path.push({ text: step.text, at: step.at })
    at = step.end
  }
  at = afterSpace(text, at)
  return text.startsWith('}}', at) ? { end: at + 2, path } : faulty(text, { open, at, message: NOT_ENDED })
}

/** One step of a name and where it ends. `text` is null where it is missing. */
type Step =
  | { readonly at: number; readonly text: string; readonly end: number }
  | { readonly at: number; readonly text: null }

/** Reads the step at a place. Null: the name has ended before. */
function readStep(text: string, at: number, isFirst: boolean): Step | null {
  const brackets = isFirst ? null : matchAt(BRACKETS, text, at)
  if (brackets?.[1] !== undefined) return { at, text: JSON.parse(brackets[1]) as string, end: at + brackets[0].length }
  const hasDot = text.startsWith('.', at)
  if (!isFirst && !hasDot) return null
  const begin = isFirst ? at : at + 1
  const word = matchAt(IDENTIFIER, text, begin)
  return word ? { at: begin, text: word[0], end: begin + word[0].length } : { at: begin, text: null }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const afterSpace = (text: string, at: number) => at + (matchAt(SPACE, text, at)?.[0].length ?? 0)

const NO_NAME = 'a name is missing here, such as monitor.name or fields.price.after'
const NOT_ENDED = '}} is missing here; with a space or another sign, a name is written as in fields["the price"].after'

/** Goes on behind the end of the braces, so that one text shows all of its faults. */
function faulty(text: string, { open, at, message }: NameFault & { readonly open: number }): Read {
  const close = text.indexOf('}}', open)
  const end = close < 0 ? text.length : close + 2
  return { end, fault: { at: Math.min(at, text.length), message } }
}
