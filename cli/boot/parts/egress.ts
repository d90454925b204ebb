import { createPolicy, type EgressPolicy } from '../../../egress/policy.ts'
import type { Settings } from '../settings/read-config.ts'

/**
 * Which addresses checks and deliveries may reach: the walls, with the holes that the settings make, and never our own
 * database.
 */
export function egressPolicy(settings: Settings): EgressPolicy {
  const database = settings.DATABASE_URL === undefined ? null : URL.parse(settings.DATABASE_URL)
  const neverAllow = database?.hostname ? [{ host: database.hostname, port: Number(database.port || 5432) }] : []
  return createPolicy({ allowPrivateCidrs: [...settings.allowPrivateCidrs], neverAllow })
}
