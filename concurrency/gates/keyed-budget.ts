/**
 * A budget with a total for all keys and a share for each key. There is no waiting: a request without room is refused.
 */
export interface KeyedBudget<K> {
  /**
   * Reserves the amount. Returns a function that gives it back, to be called once, or names the limit that has no room.
   */
  take(key: K, amount: number): (() => void) | 'key' | 'total'
}

interface BudgetCaps {
  readonly total: number
  /** The limit per key. A key that has nothing reserved may take more at once. */
  readonly perKey: number
}

export function createKeyedBudget<K>({ total, perKey }: BudgetCaps): KeyedBudget<K> {
  const held = new Map<K, number>()
  let sum = 0

  function add(key: K, amount: number): void {
    sum += amount
    const own = (held.get(key) ?? 0) + amount
    if (own > 0) held.set(key, own)
    else held.delete(key)
  }

  return {
    take(key, amount) {
      const own = held.get(key) ?? 0
      if (own > 0 && own + amount > perKey) return 'key'
      if (sum + amount > total) return 'total'
      add(key, amount)
      return () => add(key, -amount)
    },
  }
}
