import type { Dialect } from '../messages/dialect.ts'
import { escapeHtml } from '../messages/escape-html.ts'
import { LINK_WORDS } from '../messages/links.ts'
import { unlinked, unlinkedWithin } from '../messages/unlinked.ts'

export const characters = (written: string): number => written.length
export const bytes = (written: string): number => Buffer.byteLength(JSON.stringify(written), 'utf8')

/** Links whose words say nothing without the address. That of a page is its address. */
const BARE_LINKS: ReadonlySet<string> = new Set(Object.values(LINK_WORDS))

/** Returns a link where there is no markup for one. */
export const bareLink = (url: string, written: string): string => (BARE_LINKS.has(written) ? url : written)

/** Text without markup. */
export const plainText = (cost: Dialect['cost']): Dialect => ({
  plain: unlinked,
  value: unlinked,
  within: unlinkedWithin,
  bold: (written) => written,
  link: bareLink,
  address: (url) => url,
  lineBreak: '\n',
  cost,
})

interface HtmlTags {
  readonly bold: string
  /** Null: values stand in the text. */
  readonly value: string | null
  readonly lineBreak: string
  readonly cost: Dialect['cost']
}

/** The part of HTML that a service reads. A value in `code` is neither a link nor a mention. */
export const htmlText = ({ bold, value, lineBreak, cost }: HtmlTags): Dialect => ({
  plain: (text) => escapeHtml(unlinked(text)),
  value: (text) =>
    value === null || text === '' ? escapeHtml(unlinked(text)) : `<${value}>${escapeHtml(text)}</${value}>`,
  ...(value === null && { within: (text: string) => escapeHtml(unlinkedWithin(text)) }),
  bold: (written) => `<${bold}>${written}</${bold}>`,
  link: (url, written) => `<a href="${escapeHtml(url)}">${written}</a>`,
  address: escapeHtml,
  lineBreak,
  cost,
})

/**
 * Markdown in which everything from outside is code: services differ in what a backslash escapes, and none reads
 * markup or a link within code. A backtick would end it, so a letter that looks like it stands there. `inner`: what
 * else a service reads within code.
 */
export const codeText = (link: Dialect['link'], cost: Dialect['cost'], inner = (text: string) => text): Dialect => ({
  plain: (text) => code(inner(text)),
  value: (text) => code(inner(text)),
  bold: (written) => written,
  link: (url, written) => link(url, written.replaceAll('`', '')),
  address: withoutMarkup,
  lineBreak: '\n',
  cost,
})

/** Returns an address in which Markdown reads no markup, and of which it makes a link. */
const withoutMarkup = (url: string): string =>
  url.replace(/[()<>[\]*~`|\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

const code = (text: string): string => `\`${text.replaceAll('`', '\u02cb') || ' '}\``

/**
 * Returns code beside Markdown that a user wrote. Its run of backticks is longer than any of theirs, so none of theirs
 * ends it. An invisible space (U+200B) keeps runs and backslashes apart, and it from beginning a block on its line.
 */
export function codeWithin(text: string, own: string): string {
  const runs = own.match(/`+/g) ?? []
  const ticks = '`'.repeat(1 + Math.max(0, ...runs.map(({ length }) => length)))
  return `\u200b${ticks}${text.replaceAll('`', '\u02cb') || ' '}${ticks}\u200b`
}
