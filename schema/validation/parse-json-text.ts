/** A parsed text, or what is wrong with it. */
type JsonText = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly fault: string }

/** Parses JSON. The fault of a text that is not JSON begins with its line and column, counted from 1. */
export function parseJsonText(text: string): JsonText {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return { ok: false, fault: faultIn(text) }
  }
}

type Opening = '{' | '['
/** What a text may have at a position. `done`: a value was read; what may follow it depends on what is open. */
type State = 'value' | 'first item' | 'key' | 'first key' | 'colon' | 'after member' | 'after item' | 'after all'
type Next = State | 'done' | 'open' | 'close'

/** For each state what is expected, and what follows each kind of token that may stand there. */
const GRAMMAR: Readonly<Record<State, readonly [expected: string, ReadonlyMap<string, Next>]>> = (() => {
  const table = (nexts: Readonly<Record<string, Next>>) => new Map(Object.entries(nexts))
  const value = { string: 'done', scalar: 'done', '{': 'open', '[': 'open' } as const
  return {
    value: ['a value', table(value)],
    'first item': ['a value or ]', table({ ...value, ']': 'close' })],
    key: ['a key in double quotes (no comma may follow the last member)', table({ string: 'colon' })],
    'first key': ['a key in double quotes, or }', table({ string: 'colon', '}': 'close' })],
    colon: ['a colon after the key', table({ ':': 'value' })],
    'after member': ['a comma or }', table({ ',': 'key', '}': 'close' })],
    'after item': ['a comma or ]', table({ ',': 'value', ']': 'close' })],
    'after all': ['the end of the text', table({})],
  }
})()

/** JSON.parse tells the position of some faults only, so the text is read once more. It is not read by recursion. */
function faultIn(text: string): string {
  const open: Opening[] = []
  let state: State = 'value'
  for (let at = afterBlank(text, 0); ; at = afterBlank(text, at)) {
    const [expected, nexts]: (typeof GRAMMAR)[State] = GRAMMAR[state]
    const char = text[at] ?? ''
    const scalarEnd = NO_SCALAR.has(char) ? at : past(SCALAR, text, at)
    const kind = char === '"' ? 'string' : scalarEnd > at ? 'scalar' : char
    const next = nexts.get(kind)
    if (next === undefined) return faultAt(text, at, expected)
    const end = kind === 'string' ? stringEnd(text, at) : Math.max(at + 1, scalarEnd)
    if (typeof end === 'string') return end
    state = enter(next, kind, open)
    at = end
  }
}

function enter(next: Next, kind: string, open: Opening[]): State {
  if (next === 'open') {
    open.push(kind === '{' ? '{' : '[')
    return kind === '{' ? 'first key' : 'first item'
  }
  if (next === 'close') open.pop()
  else if (next !== 'done') return next
  const around = open.at(-1)
  return around === undefined ? 'after all' : around === '{' ? 'after member' : 'after item'
}

/** Characters that no number and no word begins with. A body of 4 MB has two million of them. */
const NO_SCALAR: ReadonlySet<string> = new Set('"{}[]:,')

const BLANK = /[ \t\n\r]*/y

/** Returns the position after the white space that begins there; mostly there is none. */
const afterBlank = (text: string, from: number): number => (text.charCodeAt(from) > 32 ? from : past(BLANK, text, from))

const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|/y

/** Returns the position after what the sticky pattern matches there. */
function past(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  pattern.test(text)
  return Math.max(from, pattern.lastIndex)
}

const PLAIN = /[^"\\\u0000-\u001f]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|/y

/** Returns the position after the string that begins at `from`, or what is wrong with it. */
function stringEnd(text: string, from: number): number | string {
  let at = from + 1
  for (;;) {
    at = past(PLAIN, text, at)
    const char = text[at]
    if (char === '"') return at + 1
    if (char === undefined) return faultAt(text, from, 'the closing quote of this string', 'none')
    if (char !== '\\') return faultAt(text, at, 'the closing quote of the string, or \\n for a line break')
    const end = past(ESCAPE, text, at)
    if (end === at) return faultAt(text, at, 'a valid escape, or \\\\ for a backslash')
    at = end
  }
}

function faultAt(text: string, at: number, expected: string, found = shown(text, at)): string {
  let line = 1
  let lineStart = 0
  for (let index = 0; index < at; index += 1) {
    if (text.charCodeAt(index) !== 10) continue
    line += 1
    lineStart = index + 1
  }
  const column = at - lineStart + 1
  return `line ${line}, column ${column}: expected ${expected}, found ${found}`
}

function shown(text: string, at: number): string {
  const point = text.codePointAt(at)
  if (point === undefined) return 'the end of the text'
  if (point === 10 || point === 13) return 'a line break'
  return JSON.stringify(String.fromCodePoint(point))
}
