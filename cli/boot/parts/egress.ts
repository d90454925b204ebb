import { createPolicy, type EgressPolicy } from '../../../egress/policy.ts'
import type { Settings } from '../settings/read-config.ts'

/**
 * Returns the policy of the egress guard: which addresses checks and deliveries may reach. The settings can allow
 * private ranges. Tidemark's own database is never allowed.
 */
export function egressPolicy(settings: Settings): EgressPolicy {
  const database = settings.DATABASE_URL === undefined ? null : URL.parse(settings.DATABASE_URL)
  const neverAllow = database?.hostname ? [{ host: database.hostname, port: Number(database.port || 5432) }] : []
  return createPolicy({ allowPrivateCidrs: [...settings.allowPrivateCidrs], neverAllow })
}
