import type { Page } from '../page.ts'

const XML_ROOTS = /^(?:rss|feed|rdf:rdf|urlset|sitemapindex|opml)$/i
const PROLOGUE = /^(?:\s+|<\?[^>]*>|<!--[^]*?-->|<!doctype[^>[]*(?:\[[^\]]*\]\s*)?>)/i
/** The part of a body that is read to distinguish XML from HTML. */
const SNIFF_CHARS = 4_096

/** Returns the media type without parameters, in lower case; empty where there is none. */
export function mediaType(contentType: string | null): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

export function isJsonType(type: string): boolean {
  return type === 'application/json' || type === 'text/json' || type.endsWith('+json') || type.endsWith('/json')
}

function isXmlType(type: string): boolean {
  return type.endsWith('/xml') || type.endsWith('+xml')
}

/**
 * Returns whether a type contains no text. Selectors on it would find nothing, with an error at each change of the
 * image.
 */
export function isBinaryType(type: string): boolean {
  return (
    /^(?:image|audio|video|font)\/(?!svg\+xml)/.test(type) || type === 'application/pdf' || type === 'application/zip'
  )
}

/** Returns whether a response of this type is meant to be read as text. A response without a type may be. */
export function isTextType(type: string): boolean {
  return type === '' || type.startsWith('text/') || isJsonType(type) || isXmlType(type)
}

/**
 * Returns whether a page is read as HTML or as XML. The content type decides where it names either. Otherwise the
 * beginning of the body decides: XML has an XML declaration, or the root element of a feed or sitemap, or a root that
 * declares a namespace, unless that root is `<html>`.
 */
export function markupKind(page: Page): 'html' | 'xml' {
  const type = mediaType(page.contentType)
  if (isXmlType(type)) return 'xml'
  if (type === 'text/html') return 'html'
  // Zero bytes are dropped so that UTF-16 and UTF-32 read like ASCII here.
  const head = Buffer.from(page.body.subarray(0, SNIFF_CHARS))
    .toString('latin1')
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
    .replaceAll('\0', '')
  return sniff(head)
}

function sniff(head: string): 'html' | 'xml' {
  let rest = head
  for (let found = PROLOGUE.exec(rest); found !== null; found = PROLOGUE.exec(rest)) rest = rest.slice(found[0].length)
  const root = /^<([^\s/>]+)([^>]*)/.exec(rest)
  const name = root?.[1] ?? ''
  if (name.toLowerCase() === 'html') return 'html'
  if (/^\s*<\?xml\s/.test(head) || XML_ROOTS.test(name)) return 'xml'
  return root !== null && /\sxmlns(?::[^\s=]+)?\s*=/.test(root[2] ?? '') && name.toLowerCase() !== 'svg'
    ? 'xml'
    : 'html'
}
