/** A budget for the bytes of bodies that are in memory at once. */
interface BodyBudget {
  /** Returns the function that gives the bytes back, or null when there is no room for them. */
  take(who: number, bytes: number): (() => void) | null
}

/** One token may use half of all bytes: a slow sender must not block the others. */
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
