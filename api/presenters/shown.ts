import { bodyWarnings } from '../../monitors/check/body-remarks.ts'
import { unsentHeaderWarnings } from '../../monitors/check/unsent-headers.ts'
import type { Kind } from '../../monitors/kinds/kind.ts'
import type { EverySpec } from '../../schema/monitor/every-spec.ts'
import { maskedAddress, maskedSpec } from '../../schema/monitor/mask.ts'
import { type MonitorStatus, MOST_WARNINGS } from '../../schema/monitor/monitor.ts'
import type { FailingDestination } from '../../schema/run/delivery-list.ts'
import type { Delivery } from '../../schema/run/delivery.ts'
import { type StoredDelivery, toDeliveryHead } from '../../store/deliveries/stored-delivery.ts'
import { type EveryRow, stateOf } from '../../store/monitors/kinds/monitor-row.ts'
import { monitorStatus } from '../../store/monitors/monitor-status.ts'
import { tolerantBox } from '../../store/secrets/secret-box.ts'
import { permits } from '../auth/policies.ts'
import type { Principal } from '../auth/principals.ts'
import type { KeyedServices } from '../http/route.ts'
import type { Services } from '../services.ts'

/** Who reads. Who may not write gets a mask instead of each secret. */
interface Reader {
  readonly services: Pick<Services, 'secrets' | 'log'>
  readonly principal: Principal
}

/** What the API shows of every kind of monitor, with the configuration of its kind. */
type Shown<Spec> = Spec &
  ReturnType<typeof stateOf> & {
    readonly id: string
    readonly user_id: string
    readonly status: MonitorStatus
    readonly warnings?: readonly string[]
  }

/** Returns the monitor for a reader. Destinations and headers that cannot be opened are left out and logged. */
export function shownMonitor<Spec extends EverySpec, Row extends EveryRow>(
  { table }: Pick<Kind<Spec, Row>, 'table'>,
  stored: Row,
  reader: Reader,
): Shown<Spec> {
  const shown = {
    id: stored.id,
    user_id: stored.user_id,
    ...table.spec(stored, readableBox(reader, `monitor ${stored.id}`)),
    status: monitorStatus(table.runs, stored),
    ...stateOf(stored),
  }
  const warnings = [...unsentHeaderWarnings(shown), ...bodyWarnings(shown.deliveries)].slice(0, MOST_WARNINGS)
  return masked(warnings.length === 0 ? shown : { ...shown, warnings }, reader)
}

/** Returns a monitor that was just stored, with what should be known about it. */
export async function storedMonitor<Spec extends EverySpec, Row extends EveryRow>(
  kind: Kind<Spec, Row>,
  stored: Row,
  reader: Reader & { readonly services: Pick<KeyedServices, 'store' | 'serpSpacingMs'> },
): Promise<Shown<Spec>> {
  const { store, serpSpacingMs } = reader.services
  const shown = shownMonitor(kind, stored, reader)
  const [found = []] = await kind.warnings(store, [stored], { serpSpacingMs })
  const warnings = [...(shown.warnings ?? []), ...found].slice(0, MOST_WARNINGS)
  return { ...shown, ...(warnings.length > 0 && { warnings }) }
}

/** Returns the delivery for a reader. Values that cannot be opened are left out and logged. */
export const shownDelivery = (stored: StoredDelivery, reader: Reader): Delivery => ({
  ...shownDeliveryHead(stored, reader),
  payload: JSON.parse(stored.payload) as Delivery['payload'],
})

/** Returns the same with an empty payload. Who sees no address gets no mark of it either. */
export function shownDeliveryHead(stored: StoredDelivery, reader: Reader): Delivery {
  const delivery = toDeliveryHead(stored, readableBox(reader, `delivery ${stored.id}`))
  if (seesSecrets(reader)) return delivery
  const { destination_key: _, ...others } = delivery
  return { ...others, destination: maskedAddress(delivery.destination) }
}

/** Returns a destination for a reader. Who sees no address gets no mark of it either. */
export function shownDestination(one: FailingDestination, reader: Reader): FailingDestination {
  if (seesSecrets(reader)) return one
  const { key: _, ...others } = one
  return { ...others, destination: maskedAddress(one.destination) }
}

const seesSecrets = ({ principal }: Reader) => permits('monitors.write', principal)

const masked = <M extends EverySpec>(monitor: M, reader: Reader): M =>
  seesSecrets(reader) ? monitor : maskedSpec(monitor)

/** Returns a box that opens what it can. What it cannot open is logged with what has it, and is null. */
export const readableBox = ({ services: { secrets, log } }: Reader, what: string) =>
  tolerantBox(secrets, (err, { column }) =>
    log.error({ err, column }, `${what} has a secret that cannot be decrypted, and is shown without it`),
  )
