import type { TSchema } from 'typebox'
import { describe, expect, test } from 'vitest'
import {
  MIN_SEARCH_INTERVAL_SECONDS,
  SERP_MODES,
  SerpMonitor,
  SerpMonitorCreate,
  SerpMonitorPatch,
  SerpMonitorPreview,
  SerpMonitorSpec,
  serpMonitorQuery,
} from '../../schema/serp/serp-monitor.ts'
import { SerpSearch } from '../../schema/serp/serp-search.ts'
import { checkerOf } from '../../schema/validation/validate.ts'

const SMALLEST = {
  name: 'Kettles',
  keyword: 'kettle',
  schedule_interval_seconds: MIN_SEARCH_INTERVAL_SECONDS,
  target_domain: 'example.com',
}

function pathsOf(schema: TSchema, value: object): string[] {
  const checked = checkerOf(schema).validate(value)
  return checked.ok ? [] : checked.issues.map(({ path }) => path)
}

test('the smallest body gets the defaults of the table', () => {
  expect(checkerOf(SerpMonitorCreate).validate(SMALLEST, { defaults: true })).toEqual({
    ok: true,
    value: {
      ...SMALLEST,
      mode: 'rank_tracking',
      engine: 'google',
      location_code: 'us',
      language_code: 'en',
      device: 'desktop',
      pages: 1,
      rank_change_threshold: null,
      deliveries: [],
      notify_on: [],
      quiet_hours: null,
      message: null,
      digest: null,
      external_key: null,
      labels: {},
    },
  })
})

describe('a body with', () => {
  test.each([
    ['no name', { name: undefined }, 'name'],
    ['no keyword', { keyword: undefined }, 'keyword'],
    ['a keyword of white space', { keyword: ' \t' }, 'keyword'],
    ['an interval of 599', { schedule_interval_seconds: 599 }, 'schedule_interval_seconds'],
    ['another engine', { engine: 'baidu' }, 'engine'],
    ['another mode', { mode: 'both' }, 'mode'],
    ['a country that is none', { location_code: 'zz' }, 'location_code'],
    ['a language that is none', { language_code: 'zz' }, 'language_code'],
    ['a language of three letters', { language_code: 'eng' }, 'language_code'],
    ['another device', { device: 'tablet' }, 'device'],
    ['no page', { pages: 0 }, 'pages'],
    ['six pages', { pages: 6 }, 'pages'],
    ['half a page', { pages: 1.5 }, 'pages'],
    ['a threshold of 0', { rank_change_threshold: 0 }, 'rank_change_threshold'],
    ['a target that every address has', { target_domain: '/' }, 'target_domain'],
    ['a target with full_analysis', { mode: 'full_analysis' }, 'target_domain'],
    ['a notice about fields', { notify_on: ['field_missing'] }, 'notify_on[0]'],
    ['an address', { url: 'https://example.com/' }, 'url'],
  ])('%s is refused there', (_, change, path) => {
    const body = Object.fromEntries(
      Object.entries({ ...SMALLEST, ...change }).filter(([, value]) => value !== undefined),
    )
    expect(pathsOf(SerpMonitorCreate, body)).toEqual([path])
  })

  test('full_analysis takes no target, a null one and a threshold, which it ignores', () => {
    const analysis = { ...SMALLEST, mode: SERP_MODES[1], target_domain: null, rank_change_threshold: 3 }
    expect(pathsOf(SerpMonitorCreate, analysis)).toEqual([])
  })
})

test('an edit may have any key, and a preview needs only the keyword', () => {
  expect(pathsOf(SerpMonitorPatch, {})).toEqual([])
  expect(pathsOf(SerpMonitorPatch, { pages: 2, user_id: 'a' })).toEqual(['user_id'])
  expect(pathsOf(SerpMonitorPreview, { keyword: 'kettle' })).toEqual([])
  expect(pathsOf(SerpMonitorPreview, { pages: 2 })).toEqual(['keyword'])
})

test('a search, the spec and the record have the configuration in common', () => {
  const keysOf = ({ properties }: { properties: object }) => Object.keys(properties)
  expect(keysOf(SerpMonitorSpec)).toEqual(expect.arrayContaining(keysOf(SerpSearch)))
  expect(keysOf(SerpMonitor)).toEqual(expect.arrayContaining(keysOf(SerpMonitorSpec)))
  expect(Object.keys(serpMonitorQuery)).toEqual(['status', 'name', 'monitor_id', 'external_key', 'label'])
})
