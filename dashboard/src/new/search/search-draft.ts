import { LIMITS, type SerpMonitorCreate } from '../../api/types.ts'
import { differingKeysOf } from '../draft/differing-keys.ts'

/** Every key of a search. A key that the API gets and this screen does not know is an error of types here. */
const KEYS: Readonly<Record<keyof SerpMonitorCreate, true>> = {
  name: true,
  keyword: true,
  schedule_interval_seconds: true,
  mode: true,
  engine: true,
  location_code: true,
  language_code: true,
  device: true,
  pages: true,
  target_domain: true,
  rank_change_threshold: true,
  deliveries: true,
  notify_on: true,
  quiet_hours: true,
  message: true,
  digest: true,
  external_key: true,
  labels: true,
}

const isOfSpec = (key: string): key is keyof SerpMonitorCreate => Object.hasOwn(KEYS, key)

/** What is searched for: what a preview asks, and what makes the next run the first one of a series. */
export const SEARCHED = [
  'keyword',
  'engine',
  'location_code',
  'language_code',
  'device',
  'pages',
  'mode',
  'target_domain',
] as const satisfies (keyof SerpMonitorCreate)[]

/** The shortest interval of a search, in seconds. */
export const LEAST_INTERVAL = LIMITS.searchSeconds
export const MOST_PAGES = 5

export const EMPTY_SEARCH: SerpMonitorCreate = {
  name: '',
  keyword: '',
  schedule_interval_seconds: 86_400,
  mode: 'rank_tracking',
  engine: 'google',
  location_code: 'us',
  language_code: 'en',
  device: 'desktop',
  pages: 1,
  target_domain: null,
  rank_change_threshold: null,
  deliveries: [],
}

/** Returns the settings of a stored search. */
export const searchOf = (stored: SerpMonitorCreate): SerpMonitorCreate => ({
  ...EMPTY_SEARCH,
  ...Object.fromEntries(Object.entries(stored).filter(([key]) => isOfSpec(key))),
})

/** Returns the body of a create. What is missing is refused by the API, by its path. */
export function searchBody(draft: SerpMonitorCreate, suggestedName: string): SerpMonitorCreate {
  const { name, keyword, target_domain: target, rank_change_threshold: threshold, mode, ...rest } = draft
  const isOfRank = mode !== 'full_analysis'
  return {
    ...rest,
    ...(mode && { mode }),
    name: name.trim() === '' ? suggestedName : name.trim(),
    keyword: keyword.trim(),
    target_domain: isOfRank && target?.trim() ? target.trim() : null,
    rank_change_threshold: isOfRank ? (threshold ?? null) : null,
  }
}

export const suggestedSearchName = ({ keyword, engine = 'google' }: SerpMonitorCreate): string =>
  `${keyword.trim().slice(0, 180) || 'Search'} (${engine})`

/** Returns the keys in which a body differs from what is stored. What is absent is the same as null. */
export const changedKeys = (body: SerpMonitorCreate, stored: SerpMonitorCreate): readonly (keyof SerpMonitorCreate)[] =>
  differingKeysOf(Object.keys(KEYS).filter(isOfSpec), body, stored)
