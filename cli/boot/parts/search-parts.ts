import type { Browsers } from '../../../runners/browser/browsers.ts'
import { readEndpoints, type SerpEndpoints } from '../../../runners/serp/endpoints.ts'
import type { SearchMeans } from '../../../runners/serp/search-reading.ts'
import { createMailQueue } from '../../../store/accounts/mail-queue.ts'
import type { SearchRecording } from '../../../store/queue/record-search.ts'
import type { SecretBox } from '../../../store/secrets/secret-box.ts'
import type { SearchClaims } from '../../../worker/queue/claim-round.ts'
import type { SearchSettling } from '../../../worker/queue/postgres-check-source.ts'
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

/** Returns how this process claims and settles searches. */
export function searchSourceOf(settings: Settings): SearchClaims & SearchSettling {
  const { TIDEMARK_EXIT_NAME: exit, TIDEMARK_SERP_SPACING_MS: spacingMs } = settings
  return { exit, hasProvider: false, spacingMs }
}

/** Returns how this process records searches. */
export function searchRecordingOf(settings: Settings, secrets: SecretBox): SearchRecording {
  const { TIDEMARK_SERP_SPACING_MS: spacingMs, TIDEMARK_DASHBOARD_URL: dashboard, SMTP_URL } = settings
  return {
    spacingMs,
    mails: createMailQueue(secrets, SMTP_URL !== undefined),
    linkOf: (id) => (dashboard === undefined ? null : `${dashboard.replace(/\/+$/, '')}/serp-monitors/${id}`),
  }
}
