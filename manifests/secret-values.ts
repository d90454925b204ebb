import type { SecretManifest } from './read-manifests.ts'
import type { SecretKey } from './resolve-manifest.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns what finds the values that manifests refer to: in the Secrets beside them, and else in the environment, where
 * the key `hook` of the Secret `keys` is `SECRET_KEYS_HOOK`. Of two Secrets of one name, each gives its keys, and the
 * later one those that both have.
 */
export function secretValues(
  secrets: readonly SecretManifest[],
  environment: Environment,
): (key: SecretKey) => string | null {
  const known = new Map(
    secrets.flatMap(({ namespace, name, values }) =>
      Object.entries(values).map(([key, value]) => [idOf({ namespace, name, key }), value] as const),
    ),
  )
  // A pipeline sets an empty variable for a secret that it does not have.
  return (asked) => known.get(idOf(asked)) ?? (environment[environmentName(asked)] || null)
}

const idOf = ({ namespace, name, key }: SecretKey): string => JSON.stringify([namespace, name, key])

/** Returns the variable that may have the value of a key. */
export const environmentName = ({ name, key }: Pick<SecretKey, 'name' | 'key'>): string =>
  `SECRET_${name}_${key}`.replaceAll(/[^A-Za-z0-9]/g, '_').toUpperCase()
