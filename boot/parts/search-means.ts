import type { Browsers } from '../../runners/browser/browsers.ts'
import { readEndpoints, type SerpEndpoints } from '../../runners/serp/endpoints.ts'
import type { SearchMeans } from '../../runners/serp/search-reading.ts'
import type { Settings } from '../settings/read-config.ts'

interface MeansContext {
  readonly settings: Pick<Settings, 'TIDEMARK_SERP_ENDPOINTS' | 'TIDEMARK_EXIT_COUNTRY'>
  readonly browsers: Pick<Browsers, 'visit'> | null
}

/** Returns what asks search engines here; undefined in a process that renders nothing. */
export function searchMeansOf({ settings, browsers }: MeansContext): SearchMeans | undefined {
  if (browsers === null) return undefined
  const country = settings.TIDEMARK_EXIT_COUNTRY ?? null
  return { browsers, country, endpoints: endpointsOf(settings) }
}

/** The settings were checked at the start. */
function endpointsOf({ TIDEMARK_SERP_ENDPOINTS: text }: MeansContext['settings']): SerpEndpoints {
  const endpoints = readEndpoints(text)
  if (typeof endpoints === 'string') throw new TypeError(`TIDEMARK_SERP_ENDPOINTS ${endpoints}`)
  return endpoints
}
