import type { Delivery } from '../../schema/run/delivery.ts'
import type { Monitor } from '../../schema/monitor/monitor.ts'
import { type StoredDelivery, toDelivery } from '../../store/deliveries/stored-delivery.ts'
import { type MonitorRow, toMonitor } from '../../store/monitors/monitor-record.ts'
import { tolerantBox } from '../../store/secrets/tolerant-box.ts'
import type { Services } from '../services.ts'

type Reader = Pick<Services, 'secrets' | 'log'>

/** The monitor for a reader: without the destinations or headers that cannot be opened, which the log tells. */
export const shownMonitor = (stored: MonitorRow, reader: Reader): Monitor =>
  toMonitor(stored, tolerant(reader, `monitor ${stored.id}`))

/** The delivery for a reader, likewise. */
export const shownDelivery = (stored: StoredDelivery, reader: Reader): Delivery =>
  toDelivery(stored, tolerant(reader, `delivery ${stored.id}`))

const tolerant = ({ secrets, log }: Reader, what: string) =>
  tolerantBox(secrets, (err, { column }) =>
    log.error({ err, column }, `${what} is shown without what cannot be opened`),
  )
