import { EXTRACT_LIMITS } from '../limits.ts'
import { TOO_MUCH } from '../too-complex.ts'

/**
 * Checks XML before it is parsed, in one pass over the characters: the depth of its elements, the attributes of each
 * tag, and the number of tags. Returns a sentence about what exceeds a limit, or null. About 2 ms per MB. It reads tags
 * nearly as the parser does; where it is wrong, the time and heap limits of the thread still apply. (HTML is counted
 * while it is parsed, see html.ts.)
 */
export function prescanXml(text: string): string | null {
  const open = new OpenElements()
  let tags = 0
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at)) {
    const char = text.charCodeAt(at + 1)
    if (char === SLASH) {
      const end = nameEnd(text, at + 2)
      open.close(text.slice(at + 2, end))
      at = end
    } else if (isLetter(char)) {
      tags += 1
      if (tags > EXTRACT_LIMITS.tags) return TOO_MUCH.tags
      const end = nameEnd(text, at + 1)
      const tag = readTag(text, end)
      if (tag.attributes > EXTRACT_LIMITS.attributesPerTag) return TOO_MUCH.attributes
      if (!tag.selfClosed) open.open(text.slice(at + 1, end))
      at = tag.end
      if (open.depth > EXTRACT_LIMITS.depth) return TOO_MUCH.depth
    } else at = skipOther(text, at)
  }
  return null
}

/** The stack of open elements. An end tag also closes the elements that are open inside. */
class OpenElements {
  readonly #stack: string[] = []
  readonly #counts = new Map<string, number>()

  get depth(): number {
    return this.#stack.length
  }

  open(name: string): void {
    this.#stack.push(name)
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  close(name: string): void {
    if ((this.#counts.get(name) ?? 0) === 0) return
    for (const closed of this.#stack.splice(this.#stack.lastIndexOf(name)))
      this.#counts.set(closed, (this.#counts.get(closed) ?? 1) - 1)
  }
}

const SLASH = 47
const GREATER = 62
const EQUALS = 61

function isLetter(char: number): boolean {
  return (char >= 97 && char <= 122) || (char >= 65 && char <= 90) || char === 95 || char > 127
}

function isSpace(char: number): boolean {
  return char === 32 || (char >= 9 && char <= 13)
}

function nameEnd(text: string, from: number): number {
  let at = from
  for (; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (char === GREATER || char === SLASH || isSpace(char)) break
  }
  return at
}

interface TagEnd {
  /** The position after the `>`. */
  readonly end: number
  readonly attributes: number
  readonly selfClosed: boolean
}

function readTag(text: string, from: number): TagEnd {
  let attributes = 0
  let at = from
  while (at < text.length) {
    const char = text.charCodeAt(at)
    if (char === GREATER) return { end: at + 1, attributes, selfClosed: text.charCodeAt(at - 1) === SLASH }
    if (char === SLASH || isSpace(char)) at += 1
    else {
      attributes += 1
      if (attributes > EXTRACT_LIMITS.attributesPerTag) break
      at = attributeEnd(text, at)
    }
  }
  return { end: text.length, attributes, selfClosed: false }
}

function attributeEnd(text: string, from: number): number {
  let at = from + 1
  while (at < text.length) {
    const char = text.charCodeAt(at)
    if (char === GREATER || char === SLASH) return at
    if (char === EQUALS) return valueEnd(text, at + 1)
    if (isSpace(char)) {
      const next = skipSpace(text, at)
      return text.charCodeAt(next) === EQUALS ? valueEnd(text, next + 1) : next
    }
    at += 1
  }
  return at
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (isSpace(text.charCodeAt(at))) at += 1
  return at
}

function valueEnd(text: string, from: number): number {
  let at = skipSpace(text, from)
  const quote = text[at]
  if (quote === '"' || quote === "'") {
    const close = text.indexOf(quote, at + 1)
    return close === -1 ? text.length : close + 1
  }
  for (; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (char === GREATER || isSpace(char)) break
  }
  return at
}

function skipOther(text: string, at: number): number {
  if (text.startsWith('<!--', at)) return indexAfter(text, '-->', at + 2)
  if (text.startsWith('<![CDATA[', at)) return indexAfter(text, ']]>', at + 9)
  const char = text[at + 1]
  return char === '!' || char === '?' ? indexAfter(text, '>', at + 1) : at + 1
}

function indexAfter(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found === -1 ? text.length : found + mark.length
}
