import { targetKey } from '../../store/deliveries/delivery-row.ts'
import { openDeliveries } from '../../store/monitors/kinds/monitor-row.ts'
import type { ResultsRow } from '../../store/monitors/monitor-results.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { CustomResource, FailedDestination } from './custom-resource.ts'

/**
 * Returns the destinations of a resource that take no messages: one was given up, and none was taken since. A
 * destination that an edit replaced is not among them.
 */
export function failedDestinations(
  { spec }: CustomResource,
  { failed, team_id, monitor_id: id, deliveries }: ResultsRow,
  secrets: SecretBox,
): readonly FailedDestination[] {
  if (failed === null) return []
  const byKey = new Map(failed.map((one) => [one.target_key, one]))
  return openDeliveries({ team_id, id, deliveries }, secrets).flatMap((config, place) => {
    const found = byKey.get(targetKey(config))
    if (!found) return []
    const address = shownAddress((spec['deliveries'] as readonly object[] | undefined)?.[place])
    return [
      {
        path: `spec.deliveries[${place}]`,
        type: config.type,
        ...(address !== null && { address }),
        since: `${new Date(found.since).toISOString().slice(0, 19)}Z`,
        ...(found.response_status !== null && { responseStatus: found.response_status }),
      },
    ]
  })
}

/** Longest text of an address. The definition of the status has the same bound. */
const MAX_ADDRESS = 100

/**
 * Returns the host or mailbox that the manifest names, or null. An address from a Secret is not shown, nor is the path
 * of one in the manifest: a person who knows that of a chat can write to it.
 */
function shownAddress(declared: { readonly url?: string; readonly webhookUrl?: string; to?: string } = {}) {
  const { url, webhookUrl, to } = declared
  const text = to ?? URL.parse(url ?? webhookUrl ?? '')?.host ?? null
  return text === null ? null : text.slice(0, MAX_ADDRESS)
}
