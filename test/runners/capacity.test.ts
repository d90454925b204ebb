import { expect, test } from 'vitest'
import { capacityOf, type DocumentRoom } from '../../runners/capacity.ts'

test.each<[string, Parameters<typeof capacityOf>[0], [number, number], DocumentRoom]>([
  ['a worker of the chart on two cores', { cores: 2, memoryMb: 1280 }, [1, 5], { processes: 1, residentMb: 384 }],
  ['the same on a node of many cores', { cores: 64, memoryMb: 1280 }, [1, 5], { processes: 1, residentMb: 384 }],
  ['twice the memory', { cores: 64, memoryMb: 2560 }, [4, 10], { processes: 2, residentMb: 384 }],
  ['a laptop', { cores: 8, memoryMb: 16_384 }, [7, 64], { processes: 2, residentMb: 384 }],
  ['one core', { cores: 1, memoryMb: 16_384 }, [1, 64], { processes: 2, residentMb: 384 }],
  ['little memory', { cores: 4, memoryMb: 256 }, [1, 4], { processes: 1, residentMb: 192 }],
  ['the least that is for files', { cores: 2, memoryMb: 512 }, [1, 4], { processes: 1, residentMb: 192 }],
])(
  '%s has as many threads and large bodies as fit into its memory',
  (_, machine, [extractThreads, largeBodies], documents) => {
    expect(capacityOf(machine)).toEqual({ extractThreads, largeBodies, documents })
  },
)

test('what opens files leaves room to a process of 512 MB and more', () => {
  for (let memoryMb = 512; memoryMb < 4_096; memoryMb += 16) {
    const { documents } = capacityOf({ cores: 2, memoryMb })
    expect(documents.processes * documents.residentMb + 256, `${memoryMb} MB`).toBeLessThanOrEqual(memoryMb)
  }
})

test('what opens files never does less with more memory', () => {
  let before = capacityOf({ cores: 2, memoryMb: 256 }).documents
  for (let memoryMb = 257; memoryMb < 4_096; memoryMb += 1) {
    const { documents } = capacityOf({ cores: 2, memoryMb })
    expect(documents.residentMb, `${memoryMb} MB`).toBeGreaterThanOrEqual(before.residentMb)
    expect(documents.processes, `${memoryMb} MB`).toBeGreaterThanOrEqual(before.processes)
    before = documents
  }
})
