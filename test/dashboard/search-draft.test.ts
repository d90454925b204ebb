import { expect, test } from 'vitest'
import { EMPTY_SEARCH, LEAST_INTERVAL, MOST_PAGES, SEARCHED } from '../../dashboard/src/new/search/search-draft.ts'
import { MIN_SEARCH_INTERVAL_SECONDS, SerpMonitorCreate } from '../../schema/serp/serp-monitor.ts'
import { checkerOf } from '../../schema/validation/validate.ts'

const needed = { name: 'Kettle', keyword: 'kettle', schedule_interval_seconds: 86_400 }
const check = (more: object) => checkerOf(SerpMonitorCreate).validate({ ...needed, ...more }, { defaults: true })

test('The form of a search begins with the defaults of the API, and has its limits', () => {
  expect(check({})).toMatchObject({ ok: true, value: { ...EMPTY_SEARCH, ...needed } })
  expect(LEAST_INTERVAL).toBe(MIN_SEARCH_INTERVAL_SECONDS)
  expect([MOST_PAGES, MOST_PAGES + 1].map((pages) => check({ pages }).ok)).toEqual([true, false])
  expect(Object.keys(EMPTY_SEARCH)).toEqual(expect.arrayContaining([...SEARCHED]))
})
