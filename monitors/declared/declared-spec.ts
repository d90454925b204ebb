import { identityOfKey } from '../../core/custom-resource/resource-name.ts'
import type { EverySpec } from '../../schema/monitor/every-spec.ts'
import type { SpecKind } from '../kinds/spec-kind.ts'

/** Returns what a manifest makes of a configuration: what it cannot say stays as it is. */
export const declaredSpec = <Spec extends EverySpec>(
  { undeclared }: Pick<SpecKind<Spec>, 'undeclared'>,
  before: Spec,
  spec: Spec,
): Spec => ({ ...spec, ...undeclared(before), external_key: declaredKey(before.external_key, spec.external_key) })

/**
 * Returns the external key of a record that is declared: the identity of its manifest. A key of a client's own stays,
 * and so does every key where the declaration has none, as in a cluster.
 */
export function declaredKey(before: string | null, declared: string | null): string | null {
  const isOwn = before !== null && identityOfKey(before) === null
  return isOwn ? before : (declared ?? before)
}
