import type { Issue } from '../validation/issue.ts'

/**
 * A cross-field rule. `check` receives a value whose shape is valid and returns issues with paths relative to it.
 * `cel` is the same rule for a custom resource (`self` is the value; names have the spelling of the resource). It is
 * null where CEL cannot express the rule; then the operator applies `check`. `accepts` and `rejects` are examples for
 * which both engines must give the same result; tests run them.
 */
export interface Rule<T> {
  readonly name: string
  readonly message: string
  readonly cel: string | null
  readonly accepts: readonly T[]
  readonly rejects: readonly T[]
  /** What JSON Schema can say of the rule, for OpenAPI. It refuses nothing that `check` accepts. */
  readonly json?: Readonly<Record<string, unknown>>
  /** The same for the properties of one variant of a tagged object. */
  jsonOf?(variant: string): Readonly<Record<string, object>>
  check(value: T): readonly Issue[]
}

/**
 * Returns a rule for the complete value. The issue has the value's own path. A rule about a conflict of keys gives
 * their paths in `between`, and there is an issue for each of them.
 */
export function rule<T>(
  parts: Omit<Rule<T>, 'check'> & { holds: (value: T) => boolean; between?: (value: T) => readonly string[] },
): Rule<T> {
  const { holds, between = () => [''], ...rest } = parts
  return {
    ...rest,
    check: (value) => (holds(value) ? [] : between(value).map((path) => ({ path, message: rest.message }))),
  }
}

/** Returns a rule for each key of a map. The issue has the path of the key. */
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

/** Returns the path of a key of a map, relative to the map. */
export const keyPath = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : `[${JSON.stringify(key)}]`)
