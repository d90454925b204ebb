import { unsentNames, unsentWarning } from '../../egress/unsent-headers.ts'
import type { DeliveryConfig } from '../../schema/monitor/delivery-config.ts'
import type { RequestHeaders } from '../../schema/monitor/request-headers.ts'
import { type Issue, joinPath } from '../../schema/validation/issue.ts'

/** Returns an issue for each header of a webhook that would never be sent. Stored webhooks may have such headers. */
export const unsentHeaderIssues = (deliveries: readonly DeliveryConfig[]): Issue[] =>
  deliveries.flatMap((delivery, index) =>
    namesOf(delivery).map((name) => ({
      path: joinPath('deliveries', index, 'headers', name),
      message: 'belongs to the connection and is never sent with a webhook: leave it out',
    })),
  )

/** Returns what the record of a monitor says about its headers that are never sent. */
export function unsentHeaderWarnings({
  deliveries,
  request_headers: headers = null,
}: {
  readonly deliveries: readonly DeliveryConfig[]
  readonly request_headers?: RequestHeaders | null
}): string[] {
  const ofPages = unsentWarning(unsentNames(headers ?? {}), 'request_headers')
  const ofWebhooks = unsentWarning(deliveries.flatMap(namesOf), 'the headers of webhooks')
  return [ofPages, ofWebhooks].filter((warning) => warning !== null)
}

const namesOf = (delivery: DeliveryConfig): readonly string[] =>
  delivery.type === 'webhook' ? unsentNames(delivery.headers ?? {}) : []
