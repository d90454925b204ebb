/**
 * What can be measured of an HTML response without a tree. It is enough to see whether a script still has to create the
 * content.
 */
export interface PageFeatures {
  /** Visible characters, with white space collapsed, including links. */
  readonly textLength: number
  /** Bytes of script in the page, without data blocks. */
  readonly inlineScript: number
  /** Scripts with a `src`. */
  readonly externalScripts: number
  /** Characters of data blocks (JSON in a script element), from which many frameworks start. */
  readonly dataLength: number
  /** An element into which frameworks render is empty (`<div id="root"></div>`, `<app-root></app-root>`). */
  readonly hasEmptyRoot: boolean
  /** A `noscript` asks for JavaScript. */
  readonly asksForScript: boolean
  /** The page redirects within five seconds (`meta refresh`). */
  readonly sendsOn: boolean
}

/** A page with this many visible characters has its content. */
export const ENOUGH_TEXT = 400

/** The most characters of a page that are measured. A page this long without text is not treated as empty. */
export const MEASURED_CHARS = 1_048_576

/** Elements whose content is not text to read. Each ends only at its own end tag. */
const OPAQUE: ReadonlySet<string> = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'textarea',
  'title',
  'svg',
  'iframe',
  'noembed',
])
const TAG_NAME = /^<([a-z][a-z0-9-]*)/i
const ROOT_IDS = [
  'root',
  'app',
  '__next',
  '__nuxt',
  '___gatsby',
  'svelte',
  'main-app',
  'app-root',
  'react-root',
  'vue-app',
  'q-app',
  'ember-root',
  String.raw`single-spa-application[^"'\s>]*`,
]
const ROOT_ID = new RegExp(String.raw`\sid\s*=\s*["']?(?:${ROOT_IDS.join('|')})["'\s>]`, 'i')
const EMPTY_ELEMENT = /^(?:\s|<!--[^>]*-->)*<\/[a-z]/i
const ASKS = /javascript/i
const REFRESH = /\shttp-equiv\s*=\s*["']?refresh/i
const SOON = /content\s*=\s*["']?\s*[0-5](?:\.\d+)?\s*[;,]\s*url/i
const DATA_TYPE =
  /\stype\s*=\s*["']?(?:application\/(?:ld\+)?json|text\/(?:x-)?template|text\/html|speculationrules|importmap)/i
const HAS_SRC = /\ssrc\s*=/i
/** The longest part of a tag that is read. */
const LONGEST_TAG = 4_096

/**
 * Measures a page in one pass over the text, until it has seen `ENOUGH_TEXT`. The time is linear in the length,
 * whatever the content. It is not a parser: a `>` inside an attribute ends the tag, which adds a few characters to the
 * text of such a page.
 */
export function measurePage(whole: string): PageFeatures {
  const html = whole.length > MEASURED_CHARS ? whole.slice(0, MEASURED_CHARS) : whole
  const found = {
    textLength: 0,
    inlineScript: 0,
    externalScripts: 0,
    dataLength: 0,
    hasEmptyRoot: false,
    asksForScript: false,
    sendsOn: false,
  }
  for (let at = 0; at < html.length && found.textLength < ENOUGH_TEXT;) {
    const open = html.indexOf('<', at)
    found.textLength += visibleLength(html.slice(at, open === -1 ? html.length : open))
    if (open === -1) break
    at = open + measureMarkup(html, open, found)
  }
  return found
}

type Found = { -readonly [K in keyof PageFeatures]: PageFeatures[K] }

/** Returns the length of what begins with the `<` at `open`: a comment, a tag, or an element without text. */
function measureMarkup(html: string, open: number, found: Found): number {
  if (html.startsWith('<!--', open)) return indexAfter(html, '-->', open + 4) - open
  const end = indexAfter(html, '>', open)
  const tag = html.slice(open, Math.min(end, open + LONGEST_TAG))
  const name = TAG_NAME.exec(tag)?.[1]?.toLowerCase()
  if (name === undefined) return Math.max(1, end - open)
  if (name === 'meta') found.sendsOn ||= REFRESH.test(tag) && SOON.test(tag)
  else if (ROOT_ID.test(tag) || name === 'app-root')
    found.hasEmptyRoot ||= EMPTY_ELEMENT.test(html.slice(end, end + 512))
  if (!OPAQUE.has(name)) return end - open
  const close = endTag(html, name, end)
  measureOpaque({ name, tag, length: close - end, text: html.slice(end, Math.min(close, end + LONGEST_TAG)) }, found)
  return close - open
}

interface Opaque {
  readonly name: string
  readonly tag: string
  readonly length: number
  /** The beginning of its content. */
  readonly text: string
}

function measureOpaque({ name, tag, length, text }: Opaque, found: Found): void {
  if (name === 'noscript') found.asksForScript ||= ASKS.test(text)
  if (name !== 'script') return
  if (DATA_TYPE.test(tag)) found.dataLength += length
  else if (HAS_SRC.test(tag)) found.externalScripts += 1
  else found.inlineScript += length
}

/** Returns where the end tag of an opaque element begins. Without one the element extends to the end of the page. */
function endTag(html: string, name: string, from: number): number {
  const pattern = END_TAGS.get(name)
  if (!pattern) return from
  pattern.lastIndex = from
  return pattern.exec(html)?.index ?? html.length
}

const END_TAGS = new Map([...OPAQUE].map((name) => [name, new RegExp(`</${name}`, 'gi')]))

function indexAfter(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from)
  return at === -1 ? html.length : at + mark.length
}

function visibleLength(text: string): number {
  return text === '' ? 0 : text.replace(/\s+/g, ' ').trim().length
}
