/**
 * So much of something for all keys together, and a share of it for each. Nobody waits: who finds no room is refused.
 */
export interface KeyedBudget<K> {
  /** The function that gives it back, once; or what there is no room in. */
  take(key: K, amount: number): (() => void) | 'key' | 'total'
}

interface BudgetCaps {
  readonly total: number
  /** Of one key; but one that holds nothing may take more at once. */
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
