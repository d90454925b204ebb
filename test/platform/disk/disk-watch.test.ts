import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { DiskState } from '../../../core/disk-guard.ts'
import { createDiskWatch, type DiskPlace } from '../../../platform/disk/disk-watch.ts'
import { fullestFolder } from '../../../platform/disk/folder-space.ts'
import type { DiskPlaceName } from '../../../schema/disk.ts'

const GB = 1_000_000_000

/** A place that is as full as the test says. */
function place(name: DiskPlaceName, size = 100 * GB): DiskPlace & { used: number | null } {
  const own = {
    name,
    used: 0 as number | null,
    measure: async () => (own.used === null ? null : { used: own.used, size }),
  }
  return own
}

const watchOf = (...places: DiskPlace[]) => {
  const seen: (readonly DiskState[])[] = []
  const watch = createDiskWatch({
    places,
    onLook: async (states) => void seen.push(states),
    onFault: (error) => {
      throw error
    },
  })
  return { watch, seen }
}

describe('A disk that fills', () => {
  test.each([
    [89.9, 0],
    [90, 90],
    [94.9, 90],
    [95, 95],
    [100, 95],
  ])('at %s %% is at level %s', async (percent, level) => {
    const disk = place('data_folder')
    disk.used = percent * GB
    const { watch, seen } = watchOf(disk)
    await watch.look()
    expect(seen).toEqual([[{ place: 'data_folder', used: percent * GB, size: 100 * GB, level }]])
    expect(watch.full === null).toBe(level < 95)
  })

  test('stays at its level until two percent points are free again', async () => {
    const disk = place('data_folder')
    const { watch } = watchOf(disk)
    const levels: unknown[] = []
    for (const percent of [95, 94, 93.5, 93, 91, 89, 88.5, 88, 89, 90]) {
      disk.used = percent * GB
      await watch.look()
      levels.push([percent, watch.states[0]?.level])
    }
    expect(levels).toEqual([
      [95, 95],
      [94, 95],
      [93.5, 90],
      [93, 90],
      [91, 90],
      [89, 90],
      [88.5, 0],
      [88, 0],
      [89, 0],
      [90, 90],
    ])
  })

  test('of two terabytes has room as long as 10 GB are left', async () => {
    const disk = place('data_folder', 2000 * GB)
    const { watch } = watchOf(disk)
    const levels: unknown[] = []
    for (const left of [100, 20.1, 20, 10.1, 10, 0]) {
      disk.used = (2000 - left) * GB
      await watch.look()
      levels.push([left, watch.states[0]?.level])
    }
    expect(levels).toEqual([
      [100, 0],
      [20.1, 0],
      [20, 90],
      [10.1, 90],
      [10, 95],
      [0, 95],
    ])
  })

  test('and is a limit that somebody has set counts as it is, however large', async () => {
    const database = place('database', 2000 * GB)
    database.used = 1900 * GB
    const { watch } = watchOf(database)
    await watch.look()
    expect(watch.full).toMatchObject({ place: 'database', level: 95 })
  })

  test('is the fullest one of those that are nearly full', async () => {
    const [disk, database] = [place('data_folder'), place('database')]
    disk.used = 96 * GB
    database.used = 120 * GB
    const { watch } = watchOf(disk, database)
    await watch.look()
    expect(watch.full).toMatchObject({ place: 'database' })
    database.used = null
    await watch.look()
    expect(watch.full).toMatchObject({ place: 'data_folder' })
  })
})

test('the figures of a folder are those of df, and a folder that is not there yet has none', async () => {
  const missing = join(tmpdir(), 'tidemark-no-such-folder')
  expect(await fullestFolder([missing])).toBeNull()
  const found = await fullestFolder([missing, tmpdir()])
  expect(found?.used).toBeGreaterThan(0)
  expect(found?.size).toBeGreaterThan(found?.used ?? Infinity)
})
