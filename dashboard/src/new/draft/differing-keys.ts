/** Returns the keys of these whose values differ. What is absent is the same as null. */
export const differingKeysOf = <Key extends string>(
  keys: readonly Key[],
  one: Readonly<Partial<Record<Key, unknown>>>,
  other: Readonly<Partial<Record<Key, unknown>>>,
): readonly Key[] => keys.filter((key) => textOf(one[key]) !== textOf(other[key]))

/** Returns a value as text that does not depend on the order of keys. What is absent is the same as null. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return 'null'
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${textOf(one)}`).join()}}`
}
