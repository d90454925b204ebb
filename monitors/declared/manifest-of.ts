import { type MonitorManifest, monitorManifest } from '../../core/custom-resource/monitor-manifest.ts'
import type { ResourceIdentity } from '../../core/custom-resource/resource-name.ts'
import type { EverySpec } from '../../schema/monitor/every-spec.ts'
import type { EveryRow } from '../../store/monitors/kinds/monitor-row.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { Kind } from '../kinds/kind.ts'

/** Returns the resource that declares a record. `adopts`: applying it takes the record over. */
export const manifestOf = <Spec extends EverySpec, Stored extends EveryRow>(
  { resource, definition, table }: Pick<Kind<Spec, Stored>, 'resource' | 'definition' | 'table'>,
  secrets: SecretBox,
  stored: Stored,
  as: ResourceIdentity & { readonly adopts: boolean },
): MonitorManifest =>
  monitorManifest({
    id: stored.id,
    resource,
    definition,
    spec: table.spec(stored, secrets),
    isPaused: stored.paused || stored.suspended,
    ...as,
  })
