import { describe, expect, test } from 'vitest'
import { extract } from '../../../../runners/extract/extract.ts'
import type { Extraction } from '../../../../runners/extract/page.ts'

const PROMPT = { method: 'prompt', prompt: 'What is the price?' } as const
const read = (body: string | Buffer, contentType: string | null = 'text/html'): Extraction =>
  extract({ body: Buffer.from(body as string), contentType, url: 'http://x.example/' }, PROMPT)
const text = (body: string | Buffer, contentType?: string) => {
  const extraction = read(body, contentType)
  return extraction.ok ? extraction.text : extraction.fault.code
}

describe('the text that a model is given', () => {
  test.each([
    ['a line for each block, white space folded', '<p>a\n  b</p><div>c<p>d</div>e', 'a b\nc\nd\ne'],
    ['the title and headings, marked', '<title>T</title><h1>A</h1><h3>B <i>C</i></h3>', 'T\n# A\n### B C'],
    ['list items, marked', '<ul><li>a<li>b</ul>', '- a\n- b'],
    ['the cells of a row apart', '<table><tr><th>a<th>b<tr><td>1<td>2</table>', 'a | b\n1 | 2'],
    ['line breaks', 'a<br>b', 'a\nb'],
    ['inline elements within their line', 'a<b>b</b>c', 'abc'],
    ['no code and no style', '<style>p{}</style><script>x</script><p>a', 'a'],
    [
      'no noscript, template, svg or frame',
      '<noscript>n</noscript><template>t</template><svg><text>s</text></svg>a',
      'a',
    ],
    ['nothing hidden', '<p hidden>a</p><p style="visibility:hidden">b</p><p style="opacity:0">c</p>d', 'd'],
    ['what is only half hidden', '<p style="opacity:0.5;font-size:0.8em">a</p>', 'a'],
    ['joiners where scripts need them, and nowhere else', 'می\u200cخواهم a\u200db', 'می\u200cخواهم ab'],
    ['emoji with their selectors', '❤️ 5', '❤️ 5'],
  ])('has %s', (_, html, expected) => {
    expect(text(`<!doctype html><body>${html}`)).toBe(expected)
  })

  test('names the elements of a feed that hold text', () => {
    const feed =
      '<?xml version="1.0"?><rss><channel><title>News</title><item><title>A &amp; ' +
      'B</title><link>http://x/</link></item></channel></rss>'
    expect(text(feed, 'application/rss+xml')).toBe('title: News\ntitle: A & B\nlink: http://x/')
  })

  test('is JSON without its white space, plain text line by line, and broken JSON as it came', () => {
    expect(text('{ "a" : [1,\n 2] }', 'application/json')).toBe('{"a":[1,2]}')
    expect(text('{ "a" : ', 'application/json')).toBe('{ "a" :')
    expect(text('<b> is\n\n  bold', 'text/plain')).toBe('<b> is\nbold')
  })

  test('ends at 50,000 characters, none of them cut in two; the warning says so', () => {
    const page = read(`<p>${'😀'.repeat(50_001)}`)
    expect(page).toMatchObject({ ok: true, text: '😀'.repeat(50_000), warnings: [expect.stringContaining('50,000')] })
    expect(read(`<p>${'😀'.repeat(50_000)}`)).toMatchObject({ text: '😀'.repeat(50_000), warnings: [] })
  })

  test.each([
    ['a page without words', '<div><img src=x></div>', 'text/html', 'empty_body'],
    ['a page of hidden words', '<p hidden>a</p>', 'text/html', 'empty_body'],
    ['an image', 'GIF89a', 'image/gif', 'wrong_type'],
    ['elements nested without end', '<div>'.repeat(5_000), 'text/html', 'too_complex'],
  ])('is none for %s: the run fails', (_, body, type, code) => {
    expect(text(body, type)).toBe(code)
  })
})
