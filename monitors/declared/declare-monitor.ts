import type { MonitorManifest } from '../../core/custom-resource/monitor-manifest.ts'
import { identityOfKey, isResourceName, resourceName } from '../../core/custom-resource/resource-name.ts'
import type { NotFound } from '../../core/outcome.ts'
import { findMonitor, isOnlyOfItsName } from '../../store/monitors/monitors.ts'
import type { MonitorContext, OneMonitor } from '../context.ts'
import type { Kind } from '../kinds/kind.ts'
import { NO_MONITOR } from '../outcome.ts'
import { manifestOf } from './manifest-of.ts'

/** A monitor as the custom resource that declares it. */
export interface DeclaredMonitor {
  readonly kind: 'done'
  readonly declared: MonitorManifest
  /** The name of the resource and of the Secret that it reads. */
  readonly name: string
}

/**
 * Returns a monitor as a manifest. Applying the manifest takes over the record, unless a resource has it already. The
 * resource has the namespace and name of the manifest that made the record. Otherwise it gets the monitor's name if
 * that is a valid resource name and no other monitor of the team has it.
 */
export async function declareMonitor(
  { store, secrets }: Pick<MonitorContext, 'store' | 'secrets'>,
  kind: Kind,
  { teamId, id }: Pick<OneMonitor, 'teamId' | 'id'>,
): Promise<DeclaredMonitor | NotFound> {
  const stored = await findMonitor(store, teamId, id, kind.table)
  if (!stored) return NO_MONITOR
  const isAlone = isResourceName(stored.name) && (await isOnlyOfItsName(store, teamId, stored.name, kind.table.kind))
  const identity = identityOfKey(stored.external_key) ?? { name: resourceName(stored, isAlone) }
  const declared = manifestOf(kind, secrets, stored, { ...identity, adopts: stored.managed_by === 'api' })
  return { kind: 'done', declared, name: identity.name }
}
