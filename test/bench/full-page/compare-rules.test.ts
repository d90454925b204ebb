import { expect, test } from 'vitest'
import { CASES } from '../../../bench/full-page/cases.ts'
import { compareRules } from '../../../bench/full-page/compare-rules.ts'
import { openPageReader } from '../../../bench/full-page/page-reader.ts'

const html =
  '<!doctype html><title>Ferry</title><body><h1>Crossings</h1><p>There are 7 today.</p>' +
  '<img src="http://pictures.example/1.jpg"><script>document.title = "Ferry today"</script></body>'
const PAGE = { name: 'ferry', contentType: 'text/html', html, otherNumber: html.replace('7', '8') }
const named = (...names: readonly string[]) => CASES.filter(({ name }) => names.includes(name))

test('cases are read in the browser and by direct requests, and each rule is counted', async () => {
  const reader = await openPageReader(1)
  try {
    const cases = named('a nonce of each script', 'a number in the page itself', 'a text from a fetched answer')
    expect(await compareRules([PAGE], cases, { reader, atOnce: 1 })).toMatchObject({
      pages: 1,
      withoutScripts: 0,
      restless: [],
      faults: [],
      cases: [
        { pages: 1, alerts: { 'hash as sent (today)': 1 } },
        { pages: 1, alerts: { 'hash as sent (today)': 1, 'hash as sent, then rendered text': 1 } },
        { pages: 1, alerts: { 'rendered text (today, `browser` and `ignore`)': 1 } },
      ],
    })
  } finally {
    await reader.close()
  }
}, 60_000)
