/*
 * Reads and cuts JSON as text. Parsed, a value of many small parts takes ten times the memory of its text, and a list
 * of many such values more than the process has. The texts are valid: they come from the store.
 */

/** Returns the members of an object, each with its value as JSON. */
export function membersOf(text: string): readonly (readonly [name: string, value: string])[] {
  const members: (readonly [string, string])[] = []
  let at = skipBlank(text, text.indexOf('{') + 1)
  while (text[at] === '"') {
    const nameEnd = endOfText(text, at)
    const from = skipBlank(text, text.indexOf(':', nameEnd) + 1)
    const end = endOfValue(text, from)
    members.push([JSON.parse(text.slice(at, nameEnd)) as string, text.slice(from, end)])
    at = skipBlank(text, end)
    if (text[at] === ',') at = skipBlank(text, at + 1)
  }
  return members
}

/** Returns an object of members. */
export const objectOf = (members: readonly (readonly [name: string, value: string])[]): string =>
  `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`

/**
 * Returns the beginning of a value that has more than `most` bytes, and null of any other. A text is counted in UTF-8,
 * everything else as JSON. The beginning of a list or an object has its first items as they are. Only where the very
 * first of them does not fit, it has the beginning of that one.
 */
export function cutJson(json: string, most: number): string | null {
  if (Buffer.byteLength(json) <= most) return null
  if (!json.startsWith('"')) return cutItems(json, most)
  const text = JSON.parse(json) as string
  return Buffer.byteLength(text) <= most ? null : JSON.stringify(beginningOf(text, most))
}

function cutItems(json: string, most: number): string {
  let kept: { readonly end: number; readonly depth: number; readonly closers: readonly string[] } = {
    end: 0,
    depth: 0,
    closers: [],
  }
  /** Items are kept as they are at this depth and above: that of the first one, until its list ends. */
  let level = Infinity
  let bytes = 0
  for (const { kind, from, end, closers } of tokensOf(json)) {
    const size = Buffer.byteLength(json.slice(from, end))
    if (bytes + size + closers.length >= most) {
      if (level < Infinity || kind !== 'text') break
      const text = cutMember(json.slice(from, end), most - bytes - closers.length)
      return json.slice(0, from) + text + closersOf(closers)
    }
    bytes += size
    const isItem = kind === 'text' || kind === 'scalar' || kind === 'close'
    if (isItem) level = Math.min(level, closers.length)
    // An empty list where there was another one would look whole. So it stands only for the first of all.
    const isFirst = kind === 'open' && level === Infinity
    if (isFirst || (isItem && closers.length === level)) kept = { end, depth: closers.length, closers }
  }
  return json.slice(0, kept.end) + closersOf(kept.closers.slice(0, kept.depth))
}

interface Token {
  readonly kind: 'open' | 'close' | 'name' | 'text' | 'scalar' | 'between'
  readonly from: number
  readonly end: number
  /** What closes the lists and objects that are open behind it, the outermost first. It changes. */
  readonly closers: readonly string[]
}

const closersOf = (closers: readonly string[]): string => closers.toReversed().join('')
const CLOSER: Readonly<Record<string, string>> = { '{': '}', '[': ']' }

function* tokensOf(json: string): Generator<Token, void, void> {
  const closers: string[] = []
  let isName = false
  for (let from = 0, end = 0; from < json.length; from = end) {
    const char = json[from] ?? ''
    const closer = CLOSER[char]
    end = from + 1
    if (closer !== undefined) {
      closers.push(closer)
      isName = char === '{'
      yield { kind: 'open', from, end, closers }
    } else if (char === '}' || char === ']') {
      closers.pop()
      yield { kind: 'close', from, end, closers }
    } else if (',: \t\r\n'.includes(char)) {
      if (char === ',') isName = closers.at(-1) === '}'
      if (char === ':') isName = false
      yield { kind: 'between', from, end, closers }
    } else {
      end = endOfValue(json, from)
      yield { kind: isName ? 'name' : char === '"' ? 'text' : 'scalar', from, end, closers }
    }
  }
}

/** Returns the beginning of a text, as JSON of so many bytes. */
function cutMember(json: string, bytes: number): string {
  const text = JSON.parse(json) as string
  for (let room = bytes - 2; ;) {
    const cut = JSON.stringify(beginningOf(text, Math.max(0, room)))
    const beyond = Buffer.byteLength(cut) - bytes
    if (beyond <= 0 || room <= 0) return cut
    room -= beyond
  }
}

/** Ends between two characters: a decoder that waits for more leaves out the beginning of one. */
const beginningOf = (text: string, bytes: number): string =>
  new TextDecoder().decode(Buffer.from(text.slice(0, bytes)).subarray(0, bytes), { stream: true })

/** Returns the index behind the value that begins here. */
function endOfValue(text: string, from: number): number {
  const first = text[from]
  if (first === '"') return endOfText(text, from)
  let at = from
  if (first !== '{' && first !== '[') {
    while (at < text.length && !',]} \t\r\n'.includes(text[at] ?? '')) at++
    return at
  }
  let depth = 0
  do {
    const char = text[at]
    if (char === '"') {
      at = endOfText(text, at)
      continue
    }
    if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') depth--
    at++
  } while (depth > 0 && at < text.length)
  return at
}

/** Returns the index behind the text that begins here. */
function endOfText(text: string, from: number): number {
  for (let at = from + 1; ; at++) {
    at = text.indexOf('"', at)
    if (at < 0) return text.length
    let before = at
    while (text[before - 1] === '\\') before--
    // A quotation mark behind an odd number of backslashes is part of the text.
    if ((at - before) % 2 === 0) return at + 1
  }
}

function skipBlank(text: string, from: number): number {
  let at = from
  while (at < text.length && ' \t\r\n'.includes(text[at] ?? '')) at++
  return at
}
