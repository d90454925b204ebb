import type { SecretManifest } from './read-manifests.ts'
import type { SecretKey } from './resolve-manifest.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns what finds the values that manifests refer to: in the Secrets beside them, and else in the environment, where
 * the key `hook` of the Secret `keys` is `SECRET_KEYS_HOOK`.
 */
export function secretValues(
  secrets: readonly SecretManifest[],
  environment: Environment,
): (key: SecretKey) => string | null {
  const known = new Map(secrets.map(({ namespace, name, values }) => [`${namespace}/${name}`, values]))
  return ({ namespace, name, key }) => {
    const values = known.get(`${namespace}/${name}`)
    if (values && Object.hasOwn(values, key)) return values[key] ?? null
    return environment[environmentName({ name, key })] ?? null
  }
}

/** Returns the variable that may have the value of a key. */
export const environmentName = ({ name, key }: Pick<SecretKey, 'name' | 'key'>): string =>
  `SECRET_${name}_${key}`.replaceAll(/[^A-Za-z0-9]/g, '_').toUpperCase()
