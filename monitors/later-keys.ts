import { WORK_LEVEL } from '../schema/level.ts'
import type { EverySpec } from '../schema/monitor/every-spec.ts'
import { joinPath } from '../schema/validation/issue.ts'
import { splitLater } from '../schema/validation/later-keys.ts'
import type { EveryRow } from '../store/monitors/kinds/monitor-row.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'
import type { Kind } from './kinds/kind.ts'

/** A later version wrote keys into the object that was to be replaced. Nothing was changed, so they are kept. */
export interface LaterKeys {
  readonly kind: 'later_keys'
  /** The name of the monitor. */
  readonly name: string
  /** Empty: they are in columns that this version does not read. */
  readonly paths: readonly string[]
}

/** A stored configuration, and what is to be replaced of it. */
interface Replaced {
  readonly definition: object
  readonly stored: Pick<EveryRow, 'name' | 'level'>
  readonly spec: object
  /** The keys of the configuration that get another value. */
  readonly keys: readonly string[]
}

/**
 * Returns the refusal of a change that would lose keys of a later version, or null. The object that holds such a key is
 * the value that the change replaces; of a key of the configuration itself it is the whole configuration.
 */
export function laterKeysIn({ definition, stored, spec, keys }: Replaced): LaterKeys | null {
  if (keys.length === 0) return null
  const { later } = splitLater(definition, spec)
  const held = later.filter((path) => path.length === 1 || keys.includes(String(path[0])))
  const isUnseen = later.length === 0 && stored.level > WORK_LEVEL
  if (held.length === 0 && !isUnseen) return null
  return { kind: 'later_keys', name: stored.name, paths: held.map((path) => joinPath('', ...path)) }
}

/** Returns whether a record has keys that this version does not know. */
export const hasLaterKeys = <Stored extends EveryRow>(
  { definition, table }: Pick<Kind<EverySpec, Stored>, 'definition' | 'table'>,
  secrets: SecretBox,
  stored: Stored,
): boolean => stored.level > WORK_LEVEL || splitLater(definition, table.spec(stored, secrets)).later.length > 0

/** Returns the sentences that say so, and what to upgrade. */
export const laterKeysText = ({ name, paths }: Omit<LaterKeys, 'kind'>, what: string): string =>
  `A later version of Tidemark wrote ${paths.length === 0 ? 'keys' : paths.join(', ')} of the monitor "${name}", and ` +
  `this ${what} does not know ${paths.length === 1 ? 'it' : 'them'}. Nothing was changed. Upgrade the ${what} ` +
  '(docs/upgrade.md).'
