import type { Registry } from 'prom-client'
import type { Logger } from '../../core/logger.ts'
import { monitorUrl } from '../../deliveries/messages/links.ts'
import { createMailQueue } from '../../store/accounts/mail-queue.ts'
import type { Store } from '../../store/db/client.ts'
import type { SearchRecording } from '../../store/queue/record-search.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { SearchClaims } from '../../worker/kinds/work-kind.ts'
import type { SearchSettling } from '../../worker/kinds/work-kind.ts'
import { createJsonSearchProvider } from '../../worker/searches/json-search-provider.ts'
import type { SearchProvider } from '../../worker/searches/search-provider.ts'
import { createSearches } from '../../worker/searches/searches.ts'
import type { Stack } from '../process/stack.ts'
import type { Settings } from '../settings/read-config.ts'
import { objectsOf } from './objects.ts'
import { searchMeansOf } from './search-means.ts'

/** Returns how previews ask search engines; undefined in a process that renders nothing. */
export function searchPreviewsOf(context: Parameters<typeof searchMeansOf>[0] & { readonly settings: Settings }) {
  const means = searchMeansOf(context)
  const { TIDEMARK_EXIT_NAME: exit, TIDEMARK_SERP_SPACING_MS: spacingMs } = context.settings
  return means && { means, exit, spacingMs }
}

interface SourceContext {
  readonly settings: Settings
  readonly store: Store
  readonly registry: Registry
  readonly log: Logger
  readonly stack: Stack
}

/** Returns how this process claims and settles searches. */
export function searchSourceOf(context: SourceContext): SearchClaims & SearchSettling {
  const { settings, store, registry, log, stack } = context
  const { TIDEMARK_EXIT_NAME: exit, TIDEMARK_SERP_SPACING_MS: spacingMs } = settings
  const provider = searchProviderOf(settings)
  stack.defer('the search provider', () => provider?.close())
  const objects = objectsOf(settings)
  stack.defer('the object store of unread pages', () => objects.close())
  const searches = createSearches({ store, objects, provider, registry, log })
  return { exit, hasProvider: provider !== null, spacingMs, searches }
}

/** Returns the paid provider of this installation; null: it has none. */
function searchProviderOf(settings: Settings): SearchProvider | null {
  const { TIDEMARK_SERP_PROVIDER_URL: url, TIDEMARK_SERP_PROVIDER_KEY: key } = settings
  if (url === undefined || key === undefined) return null
  return createJsonSearchProvider({ url, key: () => settings.TIDEMARK_SERP_PROVIDER_KEY ?? key })
}

interface RecordingContext {
  readonly settings: Settings
  readonly secrets: SecretBox
  readonly dashboardUrl: string | null
}

/** Returns how this process records searches. */
export function searchRecordingOf({ settings, secrets, dashboardUrl }: RecordingContext): SearchRecording {
  const { TIDEMARK_SERP_SPACING_MS: spacingMs, SMTP_URL } = settings
  return {
    spacingMs,
    mails: createMailQueue(secrets, SMTP_URL !== undefined),
    linkOf: (id) => (dashboardUrl === null ? null : monitorUrl(dashboardUrl, 'serp', id)),
  }
}
