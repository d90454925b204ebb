import { stringEnd } from '../json/prescan-json.ts'

/**
 * Returns JSON text without what people write into it by mistake and other readers accept: comments of HTML and
 * JavaScript around and in it, commas before a closing bracket, line ends inside strings, a semicolon at the end.
 * Linear. The result need not be JSON.
 */
export function mendedJson(text: string): string {
  const parts: string[] = []
  let at = 0
  while (at < text.length) {
    const next = nextMark(text, at)
    parts.push(text.slice(at, next))
    if (text[next] === '"') {
      const end = stringEnd(text, next) + 1
      parts.push(text.slice(next, end).replaceAll(/[\u0000-\u001f]/g, escaped))
      at = end
    } else if (text[next] === ',') {
      at = skipBlank(text, next + 1)
      if (text[at] !== ']' && text[at] !== '}') parts.push(',')
    } else at = Math.max(skipBlank(text, next), next + 1)
  }
  return parts.join('').replace(/;\s*$/, '')
}

/** The beginning of a string, a comma, or a comment. */
const MARK = /[",]|\/[/*]|<!--|-->|<!\[CDATA\[|\]\]>/g

function nextMark(text: string, from: number): number {
  MARK.lastIndex = from
  return MARK.exec(text)?.index ?? text.length
}

/** Marks that are left out by themselves. What they enclose is the JSON. */
const AROUND = ['<!--', '-->', '<![CDATA[', ']]>'] as const

/** Returns the index behind white space and comments. */
function skipBlank(text: string, from: number): number {
  let at = from
  for (let before = -1; before !== at;) {
    before = at
    while (/\s/.test(text.charAt(at))) at += 1
    at = behindComment(text, at)
  }
  return at
}

/** A comment that never ends goes on to the end. */
function behindComment(text: string, at: number): number {
  if (text.startsWith('//', at)) return endOf(text, '\n', at)
  if (text.startsWith('/*', at)) return endOf(text, '*/', at + 2)
  const mark = AROUND.find((one) => text.startsWith(one, at))
  return at + (mark?.length ?? 0)
}

function endOf(text: string, end: string, from: number): number {
  const found = text.indexOf(end, from)
  return found === -1 ? text.length : found + end.length
}

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
