import type { MonitorManifest } from '../../core/custom-resource/monitor-manifest.ts'
import { identityOfKey, isResourceName, resourceName } from '../../core/custom-resource/resource-name.ts'
import type { NotFound } from '../../core/outcome.ts'
import { isOnlyOfItsName } from '../../store/monitors/monitors.ts'
import type { MonitorContext, OneMonitor } from '../context.ts'
import { NO_MONITOR } from '../outcome.ts'
import { recordKind } from '../record-kind.ts'

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
  { teamId, id, kind = 'page' }: Pick<OneMonitor, 'teamId' | 'id' | 'kind'>,
): Promise<DeclaredMonitor | NotFound> {
  const records = recordKind(kind)
  const stored = await records.find(store, teamId, id)
  if (!stored) return NO_MONITOR
  const isAlone = isResourceName(stored.name) && (await isOnlyOfItsName(store, teamId, stored.name, kind))
  const identity = identityOfKey(stored.external_key) ?? { name: resourceName(stored, isAlone) }
  const declared = records.manifest(secrets, stored, { ...identity, adopts: stored.managed_by === 'api' })
  return { kind: 'done', declared, name: identity.name }
}
