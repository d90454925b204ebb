/**
 * What can be measured of an HTML answer without a tree: enough to see whether its content is still to be made by a
 * script.
 */
export interface PageFeatures {
  /** Characters that a reader would see, white space folded, also in links. */
  readonly textLength: number
  /** Bytes of script in the page, data blocks not counted. */
  readonly inlineScript: number
  /** Scripts with a `src`. */
  readonly externalScripts: number
  /** Characters of data blocks (JSON in a script element): what many frameworks start from. */
  readonly dataLength: number
  /** An element into which frameworks render stands there empty (`<div id="root"></div>`, `<app-root></app-root>`). */
  readonly hasEmptyRoot: boolean
  /** A `noscript` asks for JavaScript. */
  readonly asksForScript: boolean
  /** The page sends its reader on within five seconds (`meta refresh`). */
  readonly sendsOn: boolean
}

/** A page with so many characters to read has its content. */
export const ENOUGH_TEXT = 400

/** Only so much of a page is measured; what has not shown its text by then is no empty page. */
export const MEASURED_CHARS = 1_048_576

/** Elements whose content is no text to read; each ends at its own end tag and nowhere else. */
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
const ROOT_ID =
  /\sid\s*=\s*["']?(?:root|app|__next|__nuxt|___gatsby|svelte|main-app|app-root|react-root|vue-app|q-app|ember-root|single-spa-application[^"'\s>]*)["'\s>]/i
const EMPTY_ELEMENT = /^(?:\s|<!--[^>]*-->)*<\/[a-z]/i
const ASKS = /javascript/i
const REFRESH = /\shttp-equiv\s*=\s*["']?refresh/i
const SOON = /content\s*=\s*["']?\s*[0-5](?:\.\d+)?\s*[;,]\s*url/i
const DATA_TYPE =
  /\stype\s*=\s*["']?(?:application\/(?:ld\+)?json|text\/(?:x-)?template|text\/html|speculationrules|importmap)/i
const HAS_SRC = /\ssrc\s*=/i
/** A tag is looked at no further than this. */
const LONGEST_TAG = 4_096

/**
 * Measures in one pass over the text, as far as it must to have seen `ENOUGH_TEXT`, in time that grows with its length
 * alone, whatever it holds. It is no parser: a `>` within an attribute ends the tag for it, which adds a few characters
 * to the text of such a page.
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
    found.textLength += visible(html.slice(at, open === -1 ? html.length : open))
    if (open === -1) break
    at = open + step(html, open, found)
  }
  return found
}

type Found = { -readonly [K in keyof PageFeatures]: PageFeatures[K] }

/** Steps over what begins with the `<` at `open`: a comment, a tag, or an element that is no text. */
function step(html: string, open: number, found: Found): number {
  if (html.startsWith('<!--', open)) return behind(html, '-->', open + 4) - open
  const end = behind(html, '>', open)
  const tag = html.slice(open, Math.min(end, open + LONGEST_TAG))
  const name = TAG_NAME.exec(tag)?.[1]?.toLowerCase()
  if (name === undefined) return Math.max(1, end - open)
  if (name === 'meta') found.sendsOn ||= REFRESH.test(tag) && SOON.test(tag)
  else if (ROOT_ID.test(tag) || name === 'app-root')
    found.hasEmptyRoot ||= EMPTY_ELEMENT.test(html.slice(end, end + 512))
  if (!OPAQUE.has(name)) return end - open
  const close = endTag(html, name, end)
  opaque({ name, tag, length: close - end, text: html.slice(end, Math.min(close, end + LONGEST_TAG)) }, found)
  return close - open
}

interface Opaque {
  readonly name: string
  readonly tag: string
  readonly length: number
  /** The beginning of what is in it. */
  readonly text: string
}

function opaque({ name, tag, length, text }: Opaque, found: Found): void {
  if (name === 'noscript') found.asksForScript ||= ASKS.test(text)
  if (name !== 'script') return
  if (DATA_TYPE.test(tag)) found.dataLength += length
  else if (HAS_SRC.test(tag)) found.externalScripts += 1
  else found.inlineScript += length
}

/** Where the end tag of an opaque element begins; without one it goes to the end of the page. */
function endTag(html: string, name: string, from: number): number {
  const pattern = END_TAGS.get(name)
  if (!pattern) return from
  pattern.lastIndex = from
  return pattern.exec(html)?.index ?? html.length
}

const END_TAGS = new Map([...OPAQUE].map((name) => [name, new RegExp(`</${name}`, 'gi')]))

function behind(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from)
  return at === -1 ? html.length : at + mark.length
}

function visible(text: string): number {
  return text === '' ? 0 : text.replace(/\s+/g, ' ').trim().length
}
