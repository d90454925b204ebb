import type { Element } from 'domhandler'
import type { AnyNode } from 'domhandler'
import { childrenOf } from '../tree.ts'

/** The attribute of an element that has its address. */
const ADDRESSES: Readonly<Record<string, string>> = {
  a: 'href',
  area: 'href',
  link: 'href',
  audio: 'src',
  embed: 'src',
  iframe: 'src',
  img: 'src',
  source: 'src',
  track: 'src',
  video: 'src',
  object: 'data',
}

/** How a property is read. */
interface ValueReading {
  /** Addresses are relative to it. */
  readonly baseUrl: string
  /** Characters of text that may still be read. */
  readonly room: number
}

/**
 * Returns the value of a property, as HTML defines it for its element. A `content` counts on every other element too:
 * schema.org shows it so, and pages follow. Returns null where the text is longer than the room.
 */
export function microdataValue({ name, attribs, children }: Element, { baseUrl, room }: ValueReading): string | null {
  const { content, value, datetime } = attribs as Readonly<Record<string, string | undefined>>
  if (name === 'meta') return (content ?? '').trim()
  const address = Object.hasOwn(ADDRESSES, name) ? ADDRESSES[name] : undefined
  if (address !== undefined) return resolved(attribs[address] ?? '', baseUrl)
  if ((name === 'data' || name === 'meter') && value !== undefined) return value.trim()
  if (name === 'time' && datetime !== undefined) return datetime.trim()
  if (content) return content.trim()
  const text = shownText(children, room)
  return text === null ? null : text.replaceAll(/\s+/g, ' ').trim()
}

function resolved(address: string, baseUrl: string): string {
  const trimmed = address.trim()
  if (trimmed === '') return ''
  return URL.parse(trimmed, baseUrl)?.href ?? trimmed
}

/** Returns the text of nodes without that of scripts and styles; null: it is longer than the room. */
function shownText(nodes: readonly AnyNode[], room: number): string | null {
  let text = ''
  const stack = [...nodes].reverse()
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.type === 'text') text += next.data
    else if (next.type === 'tag') for (const child of childrenOf(next).toReversed()) stack.push(child)
    if (text.length > room) return null
  }
  return text
}
