import { Marked, Renderer, type RendererObject } from 'marked'
import { posix } from 'node:path'
import { escapeHtml } from '../../deliveries/messages/escape-html.ts'

/** A page of the manual as HTML. */
export interface RenderedPage {
  /** The text of the first heading. */
  readonly title: string
  readonly html: string
}

/** Returns the address of a file of the manual: `/docs/reference/runs` for `reference/runs.md`. */
export const addressOf = (path: string): string =>
  posix.join('/docs', path.replace(/(?:^|\/)README\.md$/, '').replace(/\.md$/, ''))

/** Returns the anchor of a heading, as GitHub makes it: pages are read there too. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\s-]/gu, '')
    .replaceAll(' ', '-')

const breakable = (code: string): string =>
  code.length <= 16 ? escapeHtml(code) : escapeHtml(code).replaceAll(/(?<=\w\w[_/.,=-])(?=\w{3})/g, '<wbr>')

/**
 * Renders a page. `path`: of its file below docs/. `paths`: all files of the manual. A link to one of them leads to its
 * address; a link to any other file of the repository becomes text that names the file.
 */
export function renderMarkdown(text: string, path: string, paths: ReadonlySet<string>): RenderedPage {
  const seen = new Map<string, number>()
  let title: string | undefined
  const resolve = (href: string): string | null => {
    const [file = '', anchor] = href.split('#')
    const target = file === '' ? path : posix.join(posix.dirname(path), file)
    if (!paths.has(target)) return null
    return (file === '' ? '' : addressOf(target)) + (anchor === undefined ? '' : `#${anchor}`)
  }
  const renderer: RendererObject = {
    heading({ tokens, depth, text: heading }) {
      title ??= heading
      const plain = anchorOf(heading)
      const nth = seen.get(plain) ?? 0
      seen.set(plain, nth + 1)
      const anchor = escapeHtml(nth === 0 ? plain : `${plain}-${nth}`)
      const link = `<a class="anchor" href="#${anchor}" aria-label="Link to this heading">#</a>`
      return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)} ${link}</h${depth}>\n`
    },
    // A long name may be broken where a word of it ends, so that tables fit.
    codespan: ({ text: code }) => `<code>${breakable(code)}</code>`,
    // Comments are marks for the tests. Nothing else is written as HTML.
    html: ({ text: html }) => (html.trimStart().startsWith('<!--') ? '' : escapeHtml(html)),
    code({ text: code, lang = '' }) {
      const note = lang === 'mermaid' ? '<p class="note">A diagram, written in Mermaid:</p>\n' : ''
      return `${note}<pre tabindex="0"><code>${escapeHtml(code)}</code></pre>\n`
    },
    table(token) {
      return `<div class="table" tabindex="0">${Renderer.prototype.table.call(this, token)}</div>\n`
    },
    link({ href, tokens }) {
      const inner = this.parser.parseInline(tokens)
      if (/^https?:/.test(href)) return `<a href="${escapeHtml(href)}" rel="noreferrer">${inner}</a>`
      const target = resolve(href)
      if (target !== null) return `<a href="${escapeHtml(target)}">${inner}</a>`
      const file = posix.join('docs', posix.dirname(path), href.replace(/#.*/, ''))
      return `${inner} (<code>${escapeHtml(file)}</code> in the repository)`
    },
    image({ href, text: alternative }) {
      const target = resolve(href)
      return target === null ? '' : `<img src="${escapeHtml(target)}" alt="${escapeHtml(alternative)}">`
    },
  }
  const html = new Marked({ renderer, async: false }).parse(text) as string
  return { title: title ?? path, html }
}
