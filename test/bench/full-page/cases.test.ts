import { describe, expect, test } from 'vitest'
import { CASES } from '../../../bench/full-page/cases.ts'
import { pageWith, PARTS } from '../../../bench/full-page/page-with-parts.ts'
import { extract } from '../../../runners/extract/extract.ts'

const RECORDED = `<!doctype html>
<html><head><title>Ferry</title><script src="/app.js?v=1"></script><link rel="stylesheet" href="/site.css"></head>
<body class="home">
<div class="news"><a href="/news">News</a> Crossing 7</div>
<p>Write &lt;script src="lib.js"> into the page.</p>
</body></html>
`

const body = (html: string) => Buffer.from(html, 'latin1')
const sentPair = ({ scripted, change }: (typeof CASES)[number]) => {
  const before = pageWith(RECORDED, PARTS, scripted)
  const isOwn = change === 'own number'
  const recorded = isOwn ? RECORDED.replace('Crossing 7', 'Crossing 8') : RECORDED
  return [before, pageWith(recorded, isOwn ? PARTS : { ...PARTS, ...change }, scripted)] as const
}
const textOf = (html: string) => {
  const page = { body: body(html), contentType: 'text/html', url: 'http://site.example/' }
  const read = extract(page, { method: 'full_page', ignore: {} })
  return read.ok ? (read.pageText ?? '') : read.fault.message
}

describe('the two answers of a case', () => {
  const elsewhere = (name: string) => /fetched answer|script file/.test(name)

  test.each(CASES.filter(({ name }) => !elsewhere(name)))('differ as they are sent: $name', (one) => {
    const [before, after] = sentPair(one)
    expect(after).not.toBe(before)
  })

  test.each(CASES.filter(({ name }) => elsewhere(name)))(
    'are the same as they are sent, where a script gets the difference: $name',
    (one) => {
      const [before, after] = sentPair(one)
      expect(after).toBe(before)
    },
  )

  test.each(CASES.filter(({ kind, name }) => kind === 'unseen' && !name.includes('style sheet hides')))(
    'have the same readable text, where nobody sees the difference: $name',
    (one) => {
      const [before, after] = sentPair(one)
      expect(textOf(after)).toBe(textOf(before))
    },
  )

  test('keep the text of the recorded page', () => {
    const text = textOf(pageWith(RECORDED, PARTS, 'plain'))
    expect(text).toContain('News Crossing 7')
    expect(text).toContain('Write <script src="lib.js"> into the page.')
    expect(text).toContain(PARTS.price)
  })

  test('have the parts in the body of the page, and not in one of a comment', () => {
    const html = '<!--[if IE 9]><body class="ie9"><![endif]--><!--[if !IE]><!--><body>News</body>'
    expect(textOf(pageWith(html, PARTS, 'plain'))).toContain(PARTS.price)
  })

  test('pass bytes of any charset through', () => {
    const legacy = Buffer.from([0x3c, 0x62, 0x6f, 0x64, 0x79, 0x3e, 0xe4, 0x80, 0xff]).toString('latin1')
    expect(body(pageWith(legacy, PARTS, 'plain')).includes(Buffer.from([0xe4, 0x80, 0xff]))).toBe(true)
  })
})
