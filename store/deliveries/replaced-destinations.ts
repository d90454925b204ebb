import { sql } from 'slonik'
import type { DeliveryConfig } from '../../schema/monitor/delivery-config.ts'
import { targetKey } from './delivery-row.ts'

/** The keys of destinations, as `monitors.destination_keys` has them. */
export const keysOf = (deliveries: readonly DeliveryConfig[]) => sql.array(deliveries.map(targetKey), 'text')

/**
 * A further part of the statement that saves an edited monitor as its part `m`. The edit ends what is known of
 * destinations that it leaves out. Nothing but an edit, a message that arrives and the monitor's deletion ends it: a
 * destination that took no message stays marked for as long as it is declared.
 */
export const withoutReplaced = (deliveries: readonly DeliveryConfig[]) => sql.fragment`
  replaced as (
    delete from dead_destinations x using m
    where x.monitor_no = m.no and x.target_key <> all(${keysOf(deliveries)})
  )`
