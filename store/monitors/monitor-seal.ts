import { sql } from 'slonik'
import type { MonitorSpec } from '../../schema/monitor/monitor.ts'
import type { SecretBox } from '../secrets/secret-box.ts'

/** Returns the encrypted columns of a configuration; null for a value that is absent. */
export function sealSpec(
  teamId: string,
  spec: Pick<MonitorSpec, 'deliveries' | 'request_headers'>,
  secrets: SecretBox,
) {
  const { deliveries, request_headers: headers } = spec
  return {
    deliveries: deliveries.length > 0 ? secrets.seal({ teamId, column: 'monitors.deliveries' }, deliveries) : null,
    requestHeaders: headers ? secrets.seal({ teamId, column: 'monitors.request_headers' }, headers) : null,
  }
}

/** Returns JSON text for a json column; null stays SQL's null. */
export const json = (value: object | null) => (value === null ? null : JSON.stringify(value))
/** Returns a bytea value, or SQL's null. */
export const bytes = (value: Buffer | null) => (value === null ? sql.fragment`null::bytea` : sql.binary(value))
