import type { Delivery } from '../../schema/run/delivery.ts'
import type { Monitor } from '../../schema/monitor/monitor.ts'
import type { SerpMonitor } from '../../schema/serp/serp-monitor.ts'
import { type StoredDelivery, toDelivery } from '../../store/deliveries/stored-delivery.ts'
import { type MonitorRow, type SerpMonitorRow, toMonitor, toSerpMonitor } from '../../store/monitors/monitor-record.ts'
import { tolerantBox } from '../../store/secrets/secret-box.ts'
import type { Services } from '../services.ts'

type Reader = Pick<Services, 'secrets' | 'log'>

/** Returns the monitor for a reader. Destinations and headers that cannot be opened are left out and logged. */
export const shownMonitor = (stored: MonitorRow, reader: Reader): Monitor =>
  toMonitor(stored, tolerant(reader, `monitor ${stored.id}`))

/** Does the same for a monitor of a search. */
export const shownSerpMonitor = (stored: SerpMonitorRow, reader: Reader): SerpMonitor =>
  toSerpMonitor(stored, tolerant(reader, `monitor ${stored.id}`))

/** Returns the delivery for a reader. Values that cannot be opened are left out and logged. */
export const shownDelivery = (stored: StoredDelivery, reader: Reader): Delivery =>
  toDelivery(stored, tolerant(reader, `delivery ${stored.id}`))

const tolerant = ({ secrets, log }: Reader, what: string) =>
  tolerantBox(secrets, (err, { column }) =>
    log.error({ err, column }, `${what} has a secret that cannot be decrypted, and is shown without it`),
  )
