import type { DeliveryRow } from '../../../store/deliveries/delivery-row.ts'

/** Returns the rows as one list a column, for `unnest`. */
export function deliveryColumns(rows: readonly DeliveryRow[]) {
  return {
    id: rows.map((row) => row.id),
    type: rows.map((row) => row.type),
    target: rows.map((row) => row.target),
    host: rows.map((row) => row.host),
    target_key: rows.map((row) => row.target_key),
    payload: rows.map((row) => row.payload),
    level: rows.map((row) => row.level),
    digest: rows.map((row) => row.digest),
  }
}
