import { expect, test } from 'vitest'
import { isStoreAway, storeOutage } from '../../../store/db/store-fault.ts'

const failed = (code: string) => new Error('query failed', { cause: Object.assign(new Error('refused'), { code }) })

test.each(['40P01', '40001', '55P03', '57014'])(
  'statements that hinder each other (%s) may be sent again, and do not mean that the store is away',
  (code) => {
    const lines: string[] = []
    const log = { error: (_: object, text: string) => lines.push(text), warn() {} }
    expect(isStoreAway(failed(code))).toBe(true)
    expect(storeOutage(log).covers(failed(code), 'claims')).toBe(false)
    expect(storeOutage(log).isAway).toBe(false)
    expect(lines).toEqual([])
  },
)

test.each(['57P01', '53300', '08006', 'ECONNREFUSED'])('a store that does not serve (%s) is away', (code) => {
  const log = { error() {}, warn() {} }
  expect(isStoreAway(failed(code))).toBe(true)
  expect(storeOutage(log).covers(failed(code), 'claims')).toBe(true)
})
