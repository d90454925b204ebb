import type { Issue } from '../validation/issue.ts'

/**
 * A cross-field rule. `check` gets a value whose shape is already known to be right and answers issues with paths
 * relative to it. `cel` says the same for a custom resource (`self` is the value; names in the resource's spelling);
 * null where CEL cannot, then the operator applies `check`. `accepts` and `rejects` are examples that both engines must
 * judge alike; tests run them.
 */
export interface Rule<T> {
  readonly name: string
  readonly message: string
  readonly cel: string | null
  readonly accepts: readonly T[]
  readonly rejects: readonly T[]
  check(value: T): readonly Issue[]
}

/** A rule over the value as a whole: the issue stands at its own path. */
export function rule<T>(parts: Omit<Rule<T>, 'check'> & { holds: (value: T) => boolean }): Rule<T> {
  const { holds, ...rest } = parts
  return { ...rest, check: (value) => (holds(value) ? [] : [{ path: '', message: rest.message }]) }
}

/** A rule over each key of a map: the issue stands at the key. */
export function keyRule<V>(
  parts: Omit<Rule<Readonly<Record<string, V>>>, 'check'> & { holds: (key: string, value: V) => boolean },
): Rule<Readonly<Record<string, V>>> {
  const { holds, ...rest } = parts
  return {
    ...rest,
    check: (map) =>
      Object.entries(map)
        .filter(([key, value]) => !holds(key, value))
        .map(([key]) => ({ path: keyPath(key), message: rest.message })),
  }
}

const keyPath = (key: string) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : `[${JSON.stringify(key)}]`)
