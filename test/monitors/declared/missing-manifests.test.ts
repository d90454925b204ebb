import { expect, test } from 'vitest'
import { createPruning } from '../../../monitors/declared/missing-manifests.ts'
import { mostPruned, PRUNE_LIMIT } from '../../../schema/config/prune-limit.ts'

const resources = (count: number) => Array.from({ length: count }, (_, n) => `Monitor shop/${n}`)

/** Something that prunes, and the time that it reads. */
function pruning(isOn = true) {
  let now = 0
  const fateOf = createPruning(isOn, () => now)
  return {
    pass: (ms: number) => void (now += ms),
    fate: (count: number, declared: number, hasFaults = false) =>
      fateOf({ resources: resources(count), declared, hasFaults }),
    /** As above, when they have been gone for long enough. */
    settled(count: number, declared: number) {
      this.fate(count, declared)
      this.pass(PRUNE_LIMIT.goneMs)
      return this.fate(count, declared)
    },
  }
}

test.each([
  [1, 1],
  [5, 1],
  [19, 1],
  [20, 2],
  [99, 9],
  [100, 10],
  [5_000, 10],
])('of %i monitors of a folder at most %i are deleted at once', (declared, most) => {
  expect(mostPruned(declared)).toBe(most)
  expect(pruning().settled(most, declared)).toBe('delete')
  expect(pruning().settled(most + 1, declared)).toBe('too_many')
})

test('without --prune they belong to the API at once, however many they are', () => {
  expect(pruning(false).fate(50, 60)).toBe('release')
  expect(pruning(false).fate(1, 5, true)).toBe('release')
})

test('what is gone has to be the same for some time, so that files that vanish one by one are judged together', () => {
  const folder = pruning()
  expect(folder.fate(1, 20)).toBe('wait')
  folder.pass(PRUNE_LIMIT.goneMs - 1)
  expect(folder.fate(1, 20)).toBe('wait')
  expect(folder.fate(3, 20)).toBe('wait')
  folder.pass(PRUNE_LIMIT.goneMs - 1)
  expect(folder.fate(3, 20)).toBe('wait')
  folder.pass(1)
  expect(folder.fate(3, 20)).toBe('too_many')
})

test('files that were back in between are gone anew', () => {
  const folder = pruning()
  folder.fate(1, 20)
  folder.pass(PRUNE_LIMIT.goneMs)
  folder.fate(0, 20)
  expect(folder.fate(1, 20)).toBe('wait')
})

test('nothing is deleted beside a manifest that was refused', () => {
  const folder = pruning()
  folder.fate(1, 20, true)
  folder.pass(PRUNE_LIMIT.goneMs)
  expect(folder.fate(1, 20, true)).toBe('wait')
  expect(folder.fate(1, 20)).toBe('delete')
})
