import { expect, test } from 'vitest'
import { capacityOf } from '../../runners/capacity.ts'

test.each([
  ['a worker of the chart on two cores', { cores: 2, memoryMb: 1280 }, { extractThreads: 1, largeBodies: 5 }],
  ['the same on a node of many cores', { cores: 64, memoryMb: 1280 }, { extractThreads: 1, largeBodies: 5 }],
  ['twice the memory', { cores: 64, memoryMb: 2560 }, { extractThreads: 4, largeBodies: 10 }],
  ['a laptop', { cores: 8, memoryMb: 16_384 }, { extractThreads: 7, largeBodies: 64 }],
  ['one core', { cores: 1, memoryMb: 16_384 }, { extractThreads: 1, largeBodies: 64 }],
  ['little memory', { cores: 4, memoryMb: 256 }, { extractThreads: 1, largeBodies: 4 }],
])('%s has as many threads and large bodies as fit into its memory', (_, machine, capacity) => {
  expect(capacityOf(machine)).toEqual(capacity)
})
