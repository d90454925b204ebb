import { unsentHeaderWarnings } from '../../monitors/check/unsent-headers.ts'
import { maskedAddress, maskedDelivery, maskedHeaders } from '../../schema/monitor/mask.ts'
import type { Delivery } from '../../schema/run/delivery.ts'
import type { Monitor } from '../../schema/monitor/monitor.ts'
import type { SerpMonitor } from '../../schema/serp/serp-monitor.ts'
import { type StoredDelivery, toDeliveryHead } from '../../store/deliveries/stored-delivery.ts'
import { type MonitorRow, type SerpMonitorRow, toMonitor, toSerpMonitor } from '../../store/monitors/monitor-record.ts'
import { tolerantBox } from '../../store/secrets/secret-box.ts'
import { permits } from '../auth/policies.ts'
import type { Principal } from '../auth/principals.ts'
import type { Services } from '../services.ts'

/** Who reads. Who may not write gets a mask instead of each secret. */
interface Reader {
  readonly services: Pick<Services, 'secrets' | 'log'>
  readonly principal: Principal
}

/** Returns the monitor for a reader. Destinations and headers that cannot be opened are left out and logged. */
export const shownMonitor = (stored: MonitorRow, reader: Reader): Monitor =>
  masked(warned(toMonitor(stored, tolerant(reader, `monitor ${stored.id}`))), reader)

/** Does the same for a monitor of a search. */
export const shownSerpMonitor = (stored: SerpMonitorRow, reader: Reader): SerpMonitor =>
  masked(warned(toSerpMonitor(stored, tolerant(reader, `monitor ${stored.id}`))), reader)

/** Returns the delivery for a reader. Values that cannot be opened are left out and logged. */
export const shownDelivery = (stored: StoredDelivery, reader: Reader): Delivery => ({
  ...shownDeliveryHead(stored, reader),
  payload: JSON.parse(stored.payload) as Delivery['payload'],
})

/** Returns the same with an empty payload. */
export function shownDeliveryHead(stored: StoredDelivery, reader: Reader): Delivery {
  const delivery = toDeliveryHead(stored, tolerant(reader, `delivery ${stored.id}`))
  return seesSecrets(reader) ? delivery : { ...delivery, destination: maskedAddress(delivery.destination) }
}

function warned<M extends Monitor | SerpMonitor>(monitor: M): M {
  const warnings = unsentHeaderWarnings(monitor)
  return warnings.length === 0 ? monitor : { ...monitor, warnings }
}

const seesSecrets = ({ principal }: Reader) => permits('monitors.write', principal)

function masked<M extends Monitor | SerpMonitor>(monitor: M, reader: Reader): M {
  if (seesSecrets(reader)) return monitor
  const headers = 'request_headers' in monitor ? monitor.request_headers : null
  return {
    ...monitor,
    ...(headers && { request_headers: maskedHeaders(headers) }),
    deliveries: monitor.deliveries.map(maskedDelivery),
  }
}

const tolerant = ({ services: { secrets, log } }: Reader, what: string) =>
  tolerantBox(secrets, (err, { column }) =>
    log.error({ err, column }, `${what} has a secret that cannot be decrypted, and is shown without it`),
  )
