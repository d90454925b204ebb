import { afterAll, describe, expect, test } from 'vitest'
import { extract } from '../../../runners/extract/extract.ts'
import { keepTree } from '../../../runners/extract/on-tree.ts'
import { createExtractor } from '../../../runners/extract/pool/extractor.ts'
import { html, one, values, xml } from './pages.ts'

const PAGE = html(`<h1>Jobs <small class="new">3 new</small></h1>
  <ul><li class="ad">Ad</li><li>Baker</li><li class="ad">Ad</li><li>Pilot <i class="new">new</i></li></ul>`)
const ignore = { selectors: ['.ad', '.new', '#none'] }
const without = (method: 'css' | 'xpath', rule: string, from = PAGE) =>
  values(extract(from, { method, fields: { it: rule }, ignore }))['it']

describe('a page that is read without some elements', () => {
  test.each([
    ['css', 'li', 'Baker'],
    ['css', 'li[]', ['Baker', 'Pilot']],
    ['css', 'h1', 'Jobs'],
    ['css', 'li:nth-child(2)', 'Pilot'],
    ['css', 'li:first-child + li', 'Pilot'],
    ['css', '.ad', null],
    ['css', '.ad[]', []],
    ['xpath', 'count(//li)', 2],
    ['xpath', '//li[2]', 'Pilot'],
    ['xpath', '//li[2]/preceding-sibling::li', 'Baker'],
    ['xpath', '//*[@class][]', []],
  ] as const)('has none of them for %s %s', (method, rule, value) => {
    expect(without(method, rule)).toEqual(value)
  })

  test('may be XML, and may lose its root', () => {
    const feed = xml('<rss><item class="ad"><title>Ad</title></item><item><title>News</title></item></rss>')
    expect(without('css', 'title[]', feed)).toEqual(['News'])
    const nothing = extract(PAGE, { method: 'css', fields: { it: 'li' }, ignore: { selectors: ['html'] } })
    expect(values(nothing)).toEqual({ it: null })
  })

  test('leaves the text for a model without them', () => {
    const asked = extract(PAGE, { method: 'prompt', prompt: 'Which jobs are open?', ignore })
    expect(asked).toMatchObject({ ok: true, text: '# Jobs\n- Baker\n- Pilot' })
    expect(extract(PAGE, { method: 'prompt', prompt: 'Which jobs are open?' })).toMatchObject({
      text: '# Jobs 3 new\n- Ad\n- Baker\n- Ad\n- Pilot new',
    })
  })

  test('stays whole for those who read the same page with other rules', () => {
    keepTree(PAGE)
    expect([one(PAGE, 'css', 'li'), without('css', 'li'), one(PAGE, 'css', 'li')]).toEqual(['Ad', 'Baker', 'Ad'])
  })
})

describe('in the threads', () => {
  const pool = createExtractor({ threads: 1 })
  afterAll(() => pool.close())

  test('sixty thousand elements in a row are removed in the time of a page', async () => {
    const page = html('<p>a</p>'.repeat(60_000) + '<b>left</b>')
    const read = await pool.extract(page, { method: 'css', fields: { it: 'b' }, ignore: { selectors: ['p'] } })
    expect(values(read)).toEqual({ it: 'left' })
  })
})
