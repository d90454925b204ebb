import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { contentsOf, readManual } from '../../../api/manual/manual.ts'
import { addressOf } from '../../../api/manual/render-markdown.ts'
import { createTestApi } from '../../support/api/test-api.ts'
import { shared } from '../../support/run/shared.ts'

const DOCS = new URL('../../../docs/', import.meta.url)
const pages = (await readdir(DOCS, { recursive: true })).filter((name) => name.endsWith('.md')).sort()
const isNumbered = (name: string) => name.startsWith('decisions/')

const api = shared(() => createTestApi())

const get = (url: string, headers: Record<string, string> = {}) => api.app.inject({ method: 'GET', url, headers })

describe('The table of contents', () => {
  test('names every page but the decision records, once', async () => {
    const parts = contentsOf(await readFile(new URL('README.md', DOCS), 'utf8'))
    const named = parts.flatMap((part) => part.pages.map(({ path }) => path))
    expect(named.toSorted()).toEqual(pages.filter((name) => !isNumbered(name) && name !== 'README.md'))
  })
})

describe('The documentation', () => {
  test.each(pages)('serves %s to everybody, as a page without scripts', async (name) => {
    const answer = await get(addressOf(name))
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
    expect(answer.body).not.toMatch(/<script/)
    expect(answer.body.match(/<h1 /g)).toHaveLength(1)
  })

  test('links to pages, headings and pictures that it has', async () => {
    const { files: served } = await readManual()
    const texts = new Map([...served].map(([address, { content }]) => [address, content.toString('utf8')]))
    const broken: string[] = []
    for (const [address, text] of texts) {
      if (served.get(address)?.type !== 'text/html') continue
      for (const [, target = ''] of text.matchAll(/(?:href|src)="(?!https?:)([^"]*)"/g)) {
        const [path = '', anchor] = target.split('#')
        const found = texts.get(path === '' ? address : path)
        const isThere = found !== undefined && (anchor === undefined || found.includes(` id="${anchor}"`))
        if (!isThere) broken.push(`${address} → ${target}`)
      }
    }
    expect(broken).toEqual([])
  })

  test('has no link that works neither here nor in the repository', async () => {
    const broken: string[] = []
    for (const name of pages)
      for (const [, target = ''] of (await readFile(new URL(name, DOCS), 'utf8')).matchAll(/\]\(([^)\s#]+)[^)]*\)/g))
        if (!/^https?:/.test(target) && !existsSync(new URL(posix.join(posix.dirname(name), target), DOCS)))
          broken.push(`${name} → ${target}`)
    expect(broken).toEqual([])
  })

  test('shows tables, code and headings with anchors, and no comment of the source', async () => {
    const { body } = await get('/docs/predicates')
    expect(body).toContain('<table>')
    expect(body).toMatch(/<h2 id="[a-z-]+">/)
    expect(body).not.toContain('<!--')
    expect(body).not.toContain('&lt;!--')
    expect((await get('/docs/architecture')).body).toContain('flowchart LR')
  })

  test('lists the parts of a long page below its title, and of a short one not', async () => {
    const { body } = await get('/docs/webhooks')
    const [, list = ''] = /<\/h1>\n<details class="parts">(.*?)<\/details>/s.exec(body) ?? []
    const listed = [...list.matchAll(/<a href="#([^"]*)">/g)].map(([, anchor]) => anchor)
    expect(listed).toEqual([...body.matchAll(/<h2 id="([^"]*)"/g)].map(([, anchor]) => anchor))
    expect(listed.length).toBeGreaterThan(3)
    expect((await get('/docs/concepts/team')).body).not.toContain('class="parts"')
  })

  test('marks the page in the side list', async () => {
    expect((await get('/docs/webhooks')).body).toContain('<a href="/docs/webhooks" aria-current="page">')
  })

  test.each([
    '/docs/nothing',
    '/docs/..%2fpackage.json',
    '/docs/%2e%2e/package.json',
    '/docs/reference/..%2f..%2fpackage.json',
    '/docs/..%5cpackage.json',
    '/docs/images/..%2f..%2f..%2fetc%2fpasswd',
    '/docs/README.md',
    '/docs/__proto__',
    '/docs/%00',
  ])('answers 404 at %s', async (url) => {
    const answer = await get(url)
    expect(answer.statusCode).toBe(404)
    expect(answer.body).not.toContain('"dependencies"')
  })

  test('is asked for again at each use, and sent only where it changed', async () => {
    const first = await get('/docs/webhooks')
    expect(first.headers['cache-control']).toBe('public, no-cache')
    const etag = String(first.headers['etag'])
    const second = await get('/docs/webhooks', { 'if-none-match': `"other", ${etag}` })
    expect([second.statusCode, second.body]).toEqual([304, ''])
    expect((await get('/docs/webhooks', { 'if-none-match': '"other"' })).statusCode).toBe(200)
  })

  test('is compressed for those who take it', async () => {
    const plain = await get('/docs/settings')
    const small = await get('/docs/settings', { 'accept-encoding': 'br, gzip' })
    expect(small.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(small.rawPayload).toString('utf8')).toBe(plain.body)
    const none = await get('/docs/settings', { 'accept-encoding': 'gzip;q=0' })
    expect(none.headers['content-encoding']).toBeUndefined()
  })

  test('finds the section that a reader asks for, and marks the words', async () => {
    const { statusCode, headers, body } = await get('/docs/search?q=Signature+webhook')
    expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    const [first] = /<li>.*?<\/li>/s.exec(body.slice(body.indexOf('class="found"'))) ?? []
    expect(first).toContain('<a href="/docs/webhooks#checking-the-signature">')
    expect(first).toContain('<mark>signature</mark>')
    // Every word has to be there.
    expect((await get('/docs/search?q=signature+qqqq')).body).toContain('Nothing has every word of “signature qqqq”')
    expect((await get('/docs/search')).body).not.toContain('class="found"')
  })

  test.each([
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['"><img src=x>', '&quot;&gt;&lt;img src=x&gt;'],
    ['.*', '“.*”'],
    ['a'.repeat(10_000), `“${'a'.repeat(100)}”`],
    ['(((((', '“(((((”'],
    ['&amp; & <', '“&amp;amp; &amp; &lt;”'],
  ])('takes the search for %s as words', async (words, shown) => {
    const { statusCode, body } = await get(`/docs/search?q=${encodeURIComponent(words)}`)
    expect(statusCode).toBe(200)
    expect(body).toContain(shown)
    expect(body).not.toMatch(/<script|<img/)
  })

  test('is the same with and without a trailing slash at its address', async () => {
    expect((await get('/docs/')).body).toBe((await get('/docs')).body)
  })
})
