import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPatternMatcher, type PatternMatcher } from '../../../runners/pattern/pattern-matcher.ts'
import { startWatching, type Watched, type Watching } from '../../support/api/watching.ts'

let watching: Watching
let patterns: PatternMatcher
beforeAll(async () => {
  patterns = createPatternMatcher()
  watching = await startWatching({ patterns })
})
afterAll(async () => {
  await watching.close()
  await patterns.close()
})

const PAGE = { method: 'full_page' }
const ADDED = { type: 'lines_added', field: 'content_hash' } as const
const REMOVED = { ...ADDED, type: 'lines_removed' } as const
const page = (...lines: string[]) => `<title>Terms</title>${lines.map((line) => `<p>${line}</p>`).join('')}`
const watch = (first: unknown, diff_predicate: object, extract_config: object = PAGE) =>
  watching.watch(first, { diff_predicate, extract_config, schedule_interval_seconds: 31_536_000 })

/** Shows a page, and answers whether its run fired, and what it warns of. */
async function shows(watched: Watched, body: string, type?: string) {
  watched.set(body, type)
  const { fired, ...run } = await watched.run()
  expect(run.status).toBe('success')
  return { fired, warnings: 'warnings' in run ? run.warnings : undefined }
}
const FIRED = { fired: true, warnings: [] }
const QUIET = { fired: false, warnings: [] }

describe('a whole page', () => {
  test('fires for a line that is added to its text, and is quiet for one that is removed or moved', async () => {
    const watched = await watch(page('One', 'Two'), ADDED)
    expect(await shows(watched, page('One', 'Two', 'Three'))).toEqual(FIRED)
    expect(await shows(watched, page('Three', 'One', 'Two'))).toEqual(QUIET)
    expect(await shows(watched, page('Three', 'One'))).toEqual(QUIET)
    expect(await shows(watched, `${page('Three', 'One')}<script>2</script>`)).toEqual(QUIET)
    expect(await shows(watched, page('Three', 'One and a half'))).toEqual(FIRED)
  })

  test('fires for a line that is removed, where it matches the pattern', async () => {
    const watched = await watch(page('Fee: $1', 'Two', 'Three'), { ...REMOVED, pattern: '^Fee' })
    expect(await shows(watched, page('Fee: $1', 'Two'))).toEqual(QUIET)
    expect(await shows(watched, page('Fee: $2', 'Two'))).toEqual(FIRED)
  })

  test('has the lines that ignore and clean leave', async () => {
    const without = { ...PAGE, ignore: { selectors: ['.ad'] }, clean: { content_hash: [{ do: 'first', count: 3 }] } }
    const watched = await watch(page('One'), ADDED, without)
    expect(await shows(watched, `${page('One', 'Two')}<p class=ad>Buy</p>`)).toEqual(FIRED)
    expect(await shows(watched, `${page('One', 'Two', 'Three')}<p class=ad>Sell</p>`)).toEqual(QUIET)
    expect(await shows(watched, page('One', 'Four'))).toEqual(FIRED)
  })

  test('that is longer than what is kept counts what may differ there as one line, and the run warns', async () => {
    const long = Array.from({ length: 3_000 }, (_, at) => `${at} ${'x'.repeat(100)}`)
    const watched = await watch(page(...long), { ...ADDED, pattern: '^(last|first)$' })
    const warnings = [expect.stringContaining('its text is longer than what is compared of it')]
    expect(await shows(watched, page(...long, 'last'))).toEqual({ fired: false, warnings })
    expect(await shows(watched, page('first', ...long, 'last'))).toEqual({ fired: true, warnings })
    const other = await watch(page(...long), ADDED)
    expect(await shows(other, page(...long, 'last'))).toEqual({ fired: true, warnings })
  })

  test('whose text is not known counts its change as one line, and the run warns', async () => {
    const watched = await watch(page('One'), ADDED)
    const unknown = (of: string) => ({ fired: true, warnings: [expect.stringContaining(`text of ${of} is not known`)] })
    expect(await shows(watched, 'GIF89a', 'image/gif')).toEqual(unknown('the page'))
    expect(await shows(watched, page('One'), 'text/html')).toEqual(unknown('the page before'))
    expect(await shows(watched, page('One', 'Two'), 'text/html')).toEqual(FIRED)
  })

  test('whose text is not known matches any pattern', async () => {
    const watched = await watch(page('One'), { ...ADDED, pattern: '^Fee' })
    expect(await shows(watched, 'GIF89a', 'image/gif')).toMatchObject({ fired: true })
    expect(await shows(watched, page('Fee'), 'text/html')).toMatchObject({ fired: true })
    expect(await shows(watched, page('Fee', 'Two'), 'text/html')).toEqual(QUIET)
  })

  test('has lines that begin with the marks of lists and headings', async () => {
    const marked = (...fees: string[]) => `<title>Terms</title><h2>Fees</h2>${fees.join('')}`
    const [one, other] = ['<ul><li>Fee: $1</ul>', '<h3>Fee of a year</h3>']
    for (const [pattern, ofList, ofHeading] of [
      ['^Fee', QUIET, QUIET],
      ['^- Fee', FIRED, QUIET],
      ['^(?:[-#]+ )?Fee', FIRED, FIRED],
    ] as const) {
      const watched = await watch(marked(), { ...ADDED, pattern })
      expect(await shows(watched, marked(one))).toEqual(ofList)
      expect(await shows(watched, marked(one, other))).toEqual(ofHeading)
    }
  })

  test('is backtested by the lines of its stored texts', async () => {
    const watched = await watch(page('One'), { type: 'any_field_changes' })
    for (const lines of [['One', 'Sale'], ['One'], ['Two']]) await shows(watched, page(...lines))
    const tried = async (diff_predicate: object) =>
      (await watching.served.me.post(`/v1/monitors/${watched.id}/backtest`, { diff_predicate })).body as never as {
        runs: { fires: boolean; conditions: { why: string }[] }[]
        warnings: string[]
      }
    const added = await tried(ADDED)
    expect(added.runs.map(({ fires }) => fires)).toEqual([true, false, true])
    expect(added.runs[0]?.conditions[0]?.why).toBe('content_hash gained 1 line')
    expect(added.warnings).toEqual([])
    expect((await tried({ ...REMOVED, pattern: '^Sale' })).runs.map(({ fires }) => fires)).toEqual([false, true, false])
  })
})
