import type { Static } from 'typebox'
import { Choice, Closed, Text, Whole } from '../shape/shape.ts'

export const SERP_ENGINES = ['google', 'bing', 'yahoo', 'duckduckgo', 'yandex'] as const
const SERP_DEVICES = ['desktop', 'mobile'] as const

/** The query to a search engine, with the location, language and device that it is made for. */
export const SerpSearch = Closed({
  engine: Choice(SERP_ENGINES),
  keyword: Text(1, 2048),
  pages: Whole(1, 5),
  location_code: Text(2, 2),
  language_code: Text(2, 2),
  device: Choice(SERP_DEVICES),
})
export type SerpSearch = Static<typeof SerpSearch>
export type SerpEngine = (typeof SERP_ENGINES)[number]
