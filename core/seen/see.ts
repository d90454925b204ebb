/** The most items of a field that are remembered. */
export const MOST_SEEN = 10_000

const DAY_MS = 86_400_000

/** A reading of a list: what stands for its items, for those of the reading before, and for those that it gained. */
interface Sight<Id> {
  readonly before: readonly Id[]
  readonly after: readonly Id[]
  readonly gained: readonly Id[]
  /** When it was read, in ms since 1970. */
  readonly atMs: number
  /** Items that were shown longer ago are forgotten, except those of the reading before. Absent: none are. */
  readonly forgetAfterDays?: number | undefined
}

/** What a reading shows for the first time. */
interface Sighted {
  /** For each item that it gained, how many days ago it was last shown. Null: never, as far as is known. */
  readonly ages: readonly (number | null)[]
  /** How many items have never been shown, and find no room. They are not told, since each reading would tell them. */
  readonly untold: number
  /** `days` has changed. */
  readonly isOther: boolean
}

/**
 * Compares a reading with all that was shown before, and adds it to that. Items of the reading before count as shown
 * until today. So nothing has to be written while a reading stays the same, and its items are never forgotten.
 *
 * @param days for what stands for an item, the day on which it was last shown, in days since 1970; it is changed
 */
export function see<Id>(
  days: Map<Id, number>,
  { before, after, gained, atMs, forgetAfterDays = Infinity }: Sight<Id>,
): Sighted {
  const today = Math.floor(atMs / DAY_MS)
  let isOther = false
  const show = (id: Id): boolean => {
    const day = days.get(id)
    if (day === undefined && days.size >= MOST_SEEN) return false
    if (day === undefined || day < today) {
      days.set(id, today)
      isOther = true
    }
    return true
  }
  for (const id of before) show(id)
  for (const [id, day] of days) if (today - day > forgetAfterDays) isOther = days.delete(id)
  const lastDays = new Map([...new Set(gained)].map((id) => [id, days.get(id)]))
  let untold = 0
  for (const id of new Set(after)) if (!show(id) && lastDays.delete(id)) untold += 1
  return { ages: [...lastDays.values()].map((day) => (day === undefined ? null : today - day)), untold, isOther }
}
