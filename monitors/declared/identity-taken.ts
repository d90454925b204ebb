import type { EverySpec } from '../../schema/monitor/every-spec.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { Transaction } from '../../store/db/client.ts'
import type { EveryRow } from '../../store/monitors/kinds/monitor-row.ts'
import { lockExternalKey } from '../../store/monitors/monitors.ts'
import { declaredKey } from './declared-spec.ts'

/** Another record of the team has the namespace and name of the manifest: `tidemark apply` made it. */
export interface IdentityTaken {
  readonly kind: 'identity_taken'
  readonly id: string
}

/** What a manifest of a team declares. */
interface Declared {
  readonly teamId: string
  readonly resource: { readonly kind: MonitorKind }
  readonly spec: Pick<EverySpec, 'external_key'>
}

/**
 * Returns the refusal of a manifest whose namespace and name another record has, or null. A record has one writer: a
 * manifest in a folder makes no second one of what `tidemark apply` made. `stored`: the record of the manifest.
 */
export async function identityTaken(
  tx: Transaction,
  { teamId, resource, spec }: Declared,
  stored: EveryRow | null,
): Promise<IdentityTaken | null> {
  const before = stored?.external_key ?? null
  const externalKey = declaredKey(before, spec.external_key)
  if (externalKey === null || externalKey === before) return null
  const holder = await lockExternalKey(tx, teamId, resource.kind, externalKey)
  return holder === null || holder.id === stored?.id ? null : { kind: 'identity_taken', id: holder.id }
}
