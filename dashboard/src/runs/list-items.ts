/** Lists of more items are shown as they are. */
const MOST = 2_000

/** The items of a list that are new, and those that are gone. One that occurs twice counts twice. */
interface ListItems {
  readonly added: readonly unknown[]
  readonly removed: readonly unknown[]
}

/** Returns how two lists differ; null where they are none, are very long, or differ in their order alone. */
export function itemsOf(before: unknown, after: unknown): ListItems | null {
  if (!Array.isArray(before) || !Array.isArray(after) || before.length + after.length > MOST) return null
  const [removed, added] = [missing(before, after), missing(after, before)]
  return added.length + removed.length === 0 ? null : { added, removed }
}

/** Returns the items of a list that another one does not have. */
function missing(list: readonly unknown[], other: readonly unknown[]): readonly unknown[] {
  const counts = new Map<string, number>()
  for (const item of other) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1)
  return list.filter((item) => {
    const left = counts.get(nameOf(item)) ?? 0
    counts.set(nameOf(item), left - 1)
    return left <= 0
  })
}

const nameOf = (item: unknown): string =>
  typeof item === 'string' ? item.replaceAll(/\s+/g, ' ') : JSON.stringify(item)
