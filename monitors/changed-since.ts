import type { EverySpec } from '../schema/monitor/every-spec.ts'
import type { EveryRow } from '../store/monitors/kinds/monitor-row.ts'
import { type SecretBox, tolerantBox } from '../store/secrets/secret-box.ts'
import { configurationTag, keysChangedSince } from './configuration-tag.ts'
import type { Kind } from './kinds/kind.ts'

/** The configuration is another one than the client saw. Nothing was changed. */
export interface ChangedSince {
  readonly kind: 'changed_since'
  /** The name of the monitor. */
  readonly name: string
  readonly spec: EverySpec
  /** The keys whose values the client did not see. */
  readonly changed: readonly string[]
  /** Those of them that the request replaces. */
  readonly replaced: readonly string[]
}

interface Seen {
  /** The entity tags of configurations that the client allows. Undefined: any. */
  readonly seen?: readonly string[] | undefined
  /** The keys that the request replaces. Undefined: it deletes the monitor. */
  readonly keys?: readonly string[]
}

/** Returns the refusal of a change to a monitor whose configuration is none of those that the client saw, or null. */
export function changedSince<Spec extends EverySpec, Stored extends EveryRow>(
  kind: Pick<Kind<Spec, Stored>, 'definition' | 'patch' | 'table'>,
  secrets: SecretBox,
  stored: Stored,
  { seen, keys }: Seen,
): ChangedSince | null {
  if (seen === undefined) return null
  const spec = configurationOf(kind, secrets, stored)
  const tagging = { kind, secrets, id: stored.id }
  const changes = seen.map((tag) => keysChangedSince(tag, tagging, spec))
  const [changed = []] = changes
  if (changes.some((keys) => keys.length === 0)) return null
  const replaced = keys ? changed.filter((key) => keys.includes(key)) : changed
  return { kind: 'changed_since', name: stored.name, spec, changed, replaced }
}

/** Returns the entity tag of a stored configuration (`configurationTag`). */
export const tagOf = <Spec extends EverySpec, Stored extends EveryRow>(
  kind: Pick<Kind<Spec, Stored>, 'definition' | 'patch' | 'table'>,
  secrets: SecretBox,
  stored: Stored,
): string => configurationTag({ kind, secrets, id: stored.id }, configurationOf(kind, secrets, stored))

/** A secret that cannot be opened is left out here as it is where the monitor is read. */
const configurationOf = <Spec extends EverySpec, Stored extends EveryRow>(
  { table }: Pick<Kind<Spec, Stored>, 'table'>,
  secrets: SecretBox,
  stored: Stored,
): Spec =>
  table.spec(
    stored,
    tolerantBox(secrets, () => {}),
  )
