import { expect, test } from 'vitest'
import { createKeyedBudget } from '../../../concurrency/gates/keyed-budget.ts'

test('there is so much for all, and a share for each; what is given back can be taken again', () => {
  const budget = createKeyedBudget<string>({ total: 10, perKey: 4 })
  const three = budget.take('a', 3)
  expect([budget.take('a', 2), typeof budget.take('a', 1)]).toEqual(['key', 'function'])
  expect([typeof budget.take('b', 4), budget.take('c', 3)]).toEqual(['function', 'total'])
  if (typeof three === 'function') three()
  expect([typeof budget.take('c', 3), budget.take('a', 4)]).toEqual(['function', 'key'])
})

test('one that holds nothing may take more than its share, where there is room', () => {
  const budget = createKeyedBudget<number>({ total: 10, perKey: 4 })
  const all = budget.take(1, 9)
  expect([typeof all, budget.take(2, 9)]).toEqual(['function', 'total'])
  if (typeof all === 'function') all()
  expect(typeof budget.take(2, 9)).toBe('function')
})
