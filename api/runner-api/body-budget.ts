/** Bytes of bodies that are in memory at once. */
interface BodyBudget {
  /** The function that gives the bytes back, or null when there is no room for them. */
  take(who: number, bytes: number): (() => void) | null
}

/** Of all bytes, one token may hold half: who sends slowly must not keep the others out. */
export function createBodyBudget(total: number): BodyBudget {
  const held = new Map<number, number>()
  let sum = 0

  return {
    take(who, bytes) {
      const own = held.get(who) ?? 0
      if (sum + bytes > total || (own > 0 && own + bytes > total / 2)) return null
      sum += bytes
      held.set(who, own + bytes)
      return () => {
        sum -= bytes
        const left = (held.get(who) ?? 0) - bytes
        if (left > 0) held.set(who, left)
        else held.delete(who)
      }
    },
  }
}
