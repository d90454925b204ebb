import { describe, expect, test } from 'vitest'
import { WaitingBudget } from '../../../concurrency/gates/waiting-budget.ts'

const caps = { total: 10, perKey: 5, mostWaiting: 3, mostWaitingPerKey: 2 }
const wait = { waitMs: 60_000, signal: new AbortController().signal }

/** Takes an amount that has to be free. */
function taken(budget: WaitingBudget<string>, key: string, amount: number): () => void {
  const giveBack = budget.tryTake(key, amount)
  if (!giveBack) throw new Error(`there was no room for ${amount} of ${key}`)
  return giveBack
}

describe('a budget that is waited for', () => {
  test('holds no more than its total, and of one key no more than its share', () => {
    const budget = new WaitingBudget<string>(caps)
    taken(budget, 'a', 4)
    expect(budget.tryTake('a', 2)).toBeNull()
    taken(budget, 'b', 5)
    expect(budget.tryTake('c', 2)).toBeNull()
    expect(budget.held).toBe(9)
  })

  test('counts an amount beyond the share of a key as the share', () => {
    const budget = new WaitingBudget<string>(caps)
    taken(budget, 'a', 1_000)()
    expect(budget.held).toBe(0)
  })

  test('admits keys in turn, and those of one key in order', async () => {
    const budget = new WaitingBudget<string>({ ...caps, total: 5, mostWaiting: 9, mostWaitingPerKey: 9 })
    let giveBack = taken(budget, 'a', 5)
    const order: string[] = []
    const ask = async (key: string, name: string) => {
      const reserved = await budget.take(key, 5, wait)
      order.push(name)
      if (typeof reserved === 'function') giveBack = reserved
    }
    const asked = [ask('a', 'a1'), ask('a', 'a2'), ask('a', 'a3'), ask('b', 'b1'), ask('c', 'c1')]
    for (const turn of [0, 3, 4, 1, 2]) {
      giveBack()
      await asked[turn]
    }
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'a3'])
  })

  test('does not let small requests pass a large one that waits for the total', async () => {
    const budget = new WaitingBudget<string>(caps)
    const first = taken(budget, 'a', 5)
    taken(budget, 'b', 3)
    const large = budget.take('c', 5, wait)
    expect(budget.tryTake('d', 1)).toBeNull()
    first()
    expect(typeof (await large)).toBe('function')
    expect(budget.held).toBe(8)
  })

  test('does not make a key wait for another that has its share', async () => {
    const budget = new WaitingBudget<string>(caps)
    taken(budget, 'a', 5)
    const left = new AbortController()
    const waiting = budget.take('a', 1, { ...wait, signal: left.signal })
    expect(budget.tryTake('b', 5)).not.toBeNull()
    left.abort()
    expect(await waiting).toBe('left')
  })

  test('refuses what waits beyond the bounds, but not what has begun', async () => {
    const budget = new WaitingBudget<string>(caps)
    const left = new AbortController()
    const leaving = { waitMs: 60_000, signal: left.signal }
    taken(budget, 'a', 5)
    const waiting = [budget.take('a', 1, leaving), budget.take('a', 1, leaving)]
    expect(await budget.take('a', 1, wait)).toBe('full')
    waiting.push(budget.take('a', 1, { ...leaving, isBegun: true }))
    expect(budget.waiting).toBe(3)
    left.abort()
    expect(await Promise.all(waiting)).toEqual(['left', 'left', 'left'])
    expect(budget.waiting).toBe(0)
  })

  test('ends a wait after its time', async () => {
    const budget = new WaitingBudget<string>(caps)
    taken(budget, 'a', 5)
    expect(await budget.take('a', 1, { ...wait, waitMs: 1 })).toBe('late')
    expect([budget.held, budget.waiting]).toEqual([5, 0])
  })
})
