import type { StatusPage, StatusPageShows } from '../../schema/status/status-page.ts'
import type { StoredStatusPage } from '../../store/status/status-pages.ts'
import { statusAddress } from '../status/status-address.ts'

/** Returns a status page in the form of the API. */
export function shownStatusPage(stored: StoredStatusPage, baseUrl: string): StatusPage {
  const { id, title, slug, published, indexed, created_at, updated_at } = stored
  const url = baseUrl + statusAddress(slug)
  return { id, title, slug, url, shows: showsOf(stored), published, indexed, created_at, updated_at }
}

function showsOf({ label_key, label_value, show_values, monitors }: StoredStatusPage): StatusPageShows {
  if (label_key === null) return { by: 'monitors', monitors: [...monitors] }
  return { by: 'label', label: `${label_key}=${label_value ?? ''}`, show_values }
}
