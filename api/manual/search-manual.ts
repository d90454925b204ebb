import { escapeHtml } from '../../deliveries/messages/escape-html.ts'
import type { RenderedPage } from './render-markdown.ts'

/** What stands below a heading of a page. */
export interface Section {
  /** With its anchor: `/docs/webhooks#attempts`. */
  readonly address: string
  /** The title of its page. */
  readonly page: string
  readonly title: string
  readonly text: string
  /** The same three in lower case, as they are searched. */
  readonly lower: { readonly page: string; readonly title: string; readonly text: string }
}

const MOST = 30
const MAX_LETTERS = 100
const MAX_WORDS = 8
/** What a word that is in a text more often counts as. */
const MAX_COUNTED = 3
/** Letters of the text that are shown before a word that was found, and after it. */
const AROUND = 90

/** Returns the sections of a rendered page. */
export const sectionsOf = (address: string, { title: page, html }: RenderedPage): Section[] =>
  html.split(/(?=<h[1-6] id=")/).flatMap((part) => {
    const [, anchor = '', heading = '', rest = ''] =
      /^<h[1-6] id="([^"]*)">(.*?) <a class="anchor".*?<\/h[1-6]>([^]*)$/.exec(part) ?? []
    return anchor === '' ? [] : [sectionOf(`${address}#${anchor}`, { page, title: plain(heading), text: plain(rest) })]
  })

const sectionOf = (address: string, { page, title, text }: Omit<Section, 'address' | 'lower'>): Section => ({
  address,
  page,
  title,
  text,
  lower: { page: page.toLowerCase(), title: title.toLowerCase(), text: text.toLowerCase() },
})

const SIGNS: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }

const plain = (html: string): string =>
  html
    .replaceAll('<wbr>', '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => SIGNS[name] ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** Returns the page with what a search finds: the sections that have every word, the best first. */
export function searchPage(sections: readonly Section[], query: string): RenderedPage {
  const asked = query.slice(0, MAX_LETTERS).trim()
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS)
  const found = sections
    .map((section) => ({ section, rank: rankOf(section, words) }))
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank)
  const items = found.slice(0, MOST).map(({ section }) => itemOf(section, words))
  const many =
    found.length === 0 ? 'Nothing has' : `${found.length} ${found.length === 1 ? 'section has' : 'sections have'}`
  const more =
    found.length === 0
      ? ' Fewer words, or parts of words, find more.'
      : found.length > MOST
        ? ` These are the best ${MOST}.`
        : ''
  const said =
    words.length === 0
      ? 'Write words into the field at the top of the page.'
      : `${many} every word of “${escapeHtml(asked)}”.${more}`
  const list = items.length === 0 ? '' : `<ul class="found">\n${items.join('\n')}\n</ul>\n`
  return { title: 'Search', html: `<h1>Search</h1>\n<p>${said}</p>\n${list}` }
}

/** Returns 0 where a word is missing. A word of a heading weighs more than one of a text. */
function rankOf({ lower: { page, title, text } }: Section, words: readonly string[]): number {
  let rank = 0
  for (const word of words) {
    const found =
      (title.includes(word) ? 8 : 0) + (page.includes(word) ? 4 : 0) + Math.min(MAX_COUNTED, countOf(text, word))
    if (found === 0) return 0
    rank += found
  }
  return rank
}

/** Returns how often the word is in the text, up to `MAX_COUNTED`. */
function countOf(text: string, word: string): number {
  let count = 0
  for (let at = text.indexOf(word); at >= 0 && count < MAX_COUNTED; at = text.indexOf(word, at + word.length))
    count += 1
  return count
}

function itemOf({ address, page, title, text, lower }: Section, words: readonly string[]): string {
  const starts = words.map((word) => lower.text.indexOf(word)).filter((start) => start >= 0)
  const from = starts.length === 0 ? 0 : Math.max(0, Math.min(...starts) - AROUND)
  const to = from + 2 * AROUND
  const shown = `${from > 0 ? '… ' : ''}${text.slice(from, to)}${to < text.length ? ' …' : ''}`
  const name = page === title ? page : `${page}: ${title}`
  return `<li><a href="${escapeHtml(address)}">${marked(name, words)}</a><br>${marked(shown, words)}</li>`
}

/** Returns a text as HTML, with the words marked. */
function marked(text: string, words: readonly string[]): string {
  const pattern = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  return text
    .split(new RegExp(`(${pattern})`, 'i'))
    .map((part, index) => (index % 2 === 1 ? `<mark>${escapeHtml(part)}</mark>` : escapeHtml(part)))
    .join('')
}
