import type { Static } from 'typebox'
import { Choice, Closed, LOWER_CASE, RuledText, Whole } from '../shape/shape.ts'

export const SERP_ENGINES = ['google', 'bing', 'yahoo', 'duckduckgo', 'yandex'] as const
const SERP_DEVICES = ['desktop', 'mobile'] as const

/** The keys that say what is asked of an engine, with the defaults that a monitor has. */
export const searchKeys = {
  keyword: RuledText(2048, ['not_blank'], 'The search query, as a person would type it.'),
  engine: Choice(SERP_ENGINES, { default: 'google', description: 'The search engine.' }),
  location_code: {
    ...RuledText(2, ['country_code'], 'The country that the search is made for, by its code of two letters.'),
    [LOWER_CASE]: true,
    default: 'us',
  },
  language_code: {
    ...RuledText(2, ['language_code'], 'The language that the search is made in, by its code of two letters.'),
    [LOWER_CASE]: true,
    default: 'en',
  },
  device: Choice(SERP_DEVICES, { default: 'desktop', description: 'The kind of device that asks.' }),
  pages: Whole(1, 5, {
    default: 1,
    description: 'How many pages of results a check reads. It uses one run for each of them.',
  }),
}

/** The query to a search engine, with the location, language and device that it is made for. */
export const SerpSearch = Closed(searchKeys)
export type SerpSearch = Static<typeof SerpSearch>
export type SerpEngine = (typeof SERP_ENGINES)[number]

/** The engines as people write them. */
export const ENGINE_NAMES: Readonly<Record<SerpEngine, string>> = {
  google: 'Google',
  bing: 'Bing',
  yahoo: 'Yahoo',
  duckduckgo: 'DuckDuckGo',
  yandex: 'Yandex',
}
