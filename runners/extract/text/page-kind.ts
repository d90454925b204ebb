import type { Page } from '../page.ts'

const XML_ROOTS = /^(?:rss|feed|rdf:rdf|urlset|sitemapindex|opml)$/i
const PROLOGUE = /^(?:\s+|<\?[^>]*>|<!--[^]*?-->|<!doctype[^>[]*(?:\[[^\]]*\]\s*)?>)/i
/** How much of a body is looked at to tell XML from HTML. */
const SNIFF_CHARS = 4_096

/** The media type without parameters, in lower case; empty where there is none. */
export function mediaType(contentType: string | null): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

export function isJsonType(type: string): boolean {
  return type === 'application/json' || type === 'text/json' || type.endsWith('+json') || type.endsWith('/json')
}

function isXmlType(type: string): boolean {
  return type.endsWith('/xml') || type.endsWith('+xml')
}

/** Types that hold no text: selectors on them would find nothing, and say so every time the image changes. */
export function isBinaryType(type: string): boolean {
  return (
    /^(?:image|audio|video|font)\/(?!svg\+xml)/.test(type) || type === 'application/pdf' || type === 'application/zip'
  )
}

/**
 * Whether a page is read as HTML or as XML. The content type decides where it says either; else the beginning of the
 * body does: an XML declaration, or the root element of a feed or sitemap, or a root that declares a namespace, unless
 * that root is `<html>`.
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
