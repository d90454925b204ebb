import type { SerpEngine } from '../../schema/serp/serp-search.ts'
import type { EngineTable } from './engine-table.ts'
import { BING } from './engines/bing.ts'
import { DUCKDUCKGO } from './engines/duckduckgo.ts'
import { GOOGLE } from './engines/google.ts'
import { YAHOO } from './engines/yahoo.ts'
import { YANDEX } from './engines/yandex.ts'

export const ENGINES: Readonly<Record<SerpEngine, EngineTable>> = {
  google: GOOGLE,
  bing: BING,
  yahoo: YAHOO,
  duckduckgo: DUCKDUCKGO,
  yandex: YANDEX,
}
