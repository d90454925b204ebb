import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { escapeHtml } from '../../deliveries/messages/escape-html.ts'
import { EXPLORER_POLICY, readExplorer } from './api-explorer.ts'
import { manualPage, PAGE_POLICY } from './manual-page.ts'
import { addressOf, renderMarkdown } from './render-markdown.ts'
import { type Section, searchPage, sectionsOf } from './search-manual.ts'

const FOLDER = join(import.meta.dirname, '../../docs')
const compress = promisify(gzip)

/** A file that is served below /docs. */
interface ManualFile {
  readonly type: string
  readonly content: Buffer
  readonly compressed: Buffer
  readonly etag: string
  /** Its content security policy. */
  readonly policy: string
}

/** All that is served below /docs. */
interface Manual {
  /** By address: the pages of docs/ as HTML, their pictures, and the interactive page of the API. */
  readonly files: ReadonlyMap<string, ManualFile>
  /** Returns the page with what is found, and its content security policy. */
  search(query: string): { readonly html: string; readonly policy: string }
}

/** Reads the manual. Only regular files are read, and only when this is called: an address never becomes a path. */
export async function readManual(): Promise<Manual> {
  const entries = await readdir(FOLDER, { recursive: true, withFileTypes: true })
  const paths = new Set(
    entries
      .filter((entry) => entry.isFile() && /\.(?:md|png)$/.test(entry.name))
      .map((entry) => relative(FOLDER, join(entry.parentPath, entry.name)).replaceAll(sep, '/')),
  )
  const files = new Map<string, ManualFile>()
  const sections: Section[] = []
  const contents = contentsOf(await readFile(join(FOLDER, 'README.md'), 'utf8'))
  for (const path of paths) {
    const content = await readFile(join(FOLDER, path))
    if (path.endsWith('.png')) files.set(addressOf(path), await fileOf('image/png', content, PAGE_POLICY))
    else {
      const page = renderMarkdown(content.toString('utf8'), path, paths)
      // Decision records say why it is as it is, and not how to use it.
      if (!path.startsWith('decisions/')) sections.push(...sectionsOf(addressOf(path), page))
      const html = manualPage({ ...page, contents: contentsHtml(contents, addressOf(path)) })
      files.set(addressOf(path), await fileOf('text/html', Buffer.from(html), PAGE_POLICY))
    }
  }
  for (const [name, { type, content }] of Object.entries(await readExplorer()))
    files.set(`/docs/${name}`, await fileOf(type, content, EXPLORER_POLICY))
  return {
    files,
    search(query) {
      const page = searchPage(sections, query)
      return { html: manualPage({ ...page, contents: contentsHtml(contents, '') }), policy: PAGE_POLICY }
    },
  }
}

async function fileOf(type: string, content: Buffer, policy: string): Promise<ManualFile> {
  const hash = createHash('sha256').update(type).update(policy).update(content).digest('base64url').slice(0, 22)
  return { type, content, compressed: await compress(content), etag: `W/"${hash}"`, policy }
}

/** A part of the table of contents. */
interface Part {
  readonly title: string
  readonly pages: readonly { readonly title: string; readonly path: string }[]
}

/** Returns the parts of docs/README.md: under each heading, the first link of each item of its list. */
export const contentsOf = (text: string): readonly Part[] =>
  text.split(/^## /m).flatMap((part, index) => {
    const pages = Array.from(part.matchAll(/^- \[([^\]]+)\]\(([^)#]+\.md)\)/gm), ([, title = '', path = '']) => ({
      title,
      path,
    }))
    return index === 0 || pages.length === 0 ? [] : [{ title: part.split('\n', 1)[0] ?? '', pages }]
  })

const contentsHtml = (parts: readonly Part[], current: string): string =>
  parts
    .map(({ title, pages }) => {
      const items = pages.map((page) => {
        const address = addressOf(page.path)
        const mark = address === current ? ' aria-current="page"' : ''
        return `<li><a href="${escapeHtml(address)}"${mark}>${escapeHtml(page.title)}</a></li>`
      })
      return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${items.join('\n')}\n</ul>\n`
    })
    .join('')
