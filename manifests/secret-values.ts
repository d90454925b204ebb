import type { SecretManifest } from './manifest.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** A key of a Secret that a manifest reads. */
interface SecretKey {
  readonly namespace: string
  readonly name: string
  readonly key: string
}

/** The values that manifests may refer to. */
export interface SecretSource {
  /** Returns the value of a key of a Secret, or null. */
  valueOf(key: SecretKey): string | null
  /** Returns what gives a value to a key that has none. Null: it is elsewhere, so that its lack is not a fault. */
  waysToGive(key: SecretKey): string | null
}

/**
 * Returns what finds the values that manifests refer to: in the Secrets beside them, and else in the environment, where
 * the key `hook` of the Secret `keys` is `SECRET_KEYS_HOOK`. Of two Secrets of one name, each gives its keys, and the
 * later one those that both have.
 *
 * @param ways what else a person can give a value by, as in `a Secret document`
 */
export function secretSource(
  secrets: readonly SecretManifest[],
  environment: Environment,
  ways = 'a Secret document',
): SecretSource {
  const known = new Map(
    secrets.flatMap(({ namespace, name, values }) =>
      Object.entries(values).map(([key, value]) => [idOf({ namespace, name, key }), value] as const),
    ),
  )
  return {
    // A pipeline sets an empty variable for a secret that it does not have.
    valueOf: (asked) => known.get(idOf(asked)) ?? (environment[environmentName(asked)] || null),
    waysToGive(asked) {
      const variable = environmentName(asked)
      const others = secrets.filter(({ name, values }) => name === asked.name && Object.hasOwn(values, asked.key))
      const elsewhere = others.map(({ namespace }) => `; the namespace ${namespace} has it`).join('')
      const empty = environment[variable] === '' ? ', which is empty' : ''
      return `add ${ways}, or the variable ${variable}${empty}${elsewhere}`
    },
  }
}

const idOf = ({ namespace, name, key }: SecretKey): string => JSON.stringify([namespace, name, key])

/** Returns the variable that may have the value of a key. */
const environmentName = ({ name, key }: Pick<SecretKey, 'name' | 'key'>): string =>
  `SECRET_${name}_${key}`.replaceAll(/[^A-Za-z0-9]/g, '_').toUpperCase()
