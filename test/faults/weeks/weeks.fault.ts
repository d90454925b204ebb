import { describe, expect, onTestFailed, onTestFinished, test } from 'vitest'
import { openCondensedLoad } from './condensed-load.ts'
import { type DayFigures, measureDay, tableOf } from './day-figures.ts'
import { growthOf } from './growth.ts'
import { openSmallWorld } from './small-world.ts'
import { BOUNDS, vacuum } from './tables.ts'
import { DAYS, openWeeksService, RETENTION_DAYS } from './weeks-service.ts'

/** The retention window is full on the first of them; of 60 days, what is kept for a month is on the second. */
const MEASURED = [DAYS / 3, (DAYS * 2) / 3, DAYS]
/** The heap after a collection, the series of the metrics, how many files: small differences are chance. */
const SAME = 1.1
/** There are five pictures, of which each has another size. */
const SAME_FILES = 1.5
/** Resident memory, which is not given back at once. */
const SAME_RESIDENT = 1.15
/** A thread that reads pages is alive on one of the days, and not on the other. It has a heap of its own. */
const THREAD_BYTES = 40e6
/** Of the same order. A check that begins within this time is not late: a loop looks once a second. */
const SAME_ORDER = 10
const PUNCTUAL_MS = 100
/** Connections are kept for the next request, some more or some fewer. One that leaks each day makes 16 of them. */
const SOME_CONNECTIONS = 10
/** A browser that is open on one of the days, and not on the other, has a dozen of them. */
const SOME_DESCRIPTORS = 20

/** Idle threads end. One that leaks each day makes 16 of them. */
const SOME_THREADS = 8

/** Returns how many event loops the process has: each thread has one. */
const loopsOf = ({ process }: DayFigures): number => process.descriptorKinds['anon_inode:[eventpoll'] ?? 0

describe(`${DAYS} days with ${RETENTION_DAYS} of retention`, () => {
  test('leave tables, files, memory, descriptors and lateness as they were', { timeout: 900_000 }, async () => {
    await using world = await openSmallWorld()
    await using service = await openWeeksService(world.base)
    const load = await openCondensedLoad(service, world)
    const days: DayFigures[] = []
    onTestFinished(() => void process.stdout.write(`${tableOf(days)}\n`))
    onTestFailed(() => void process.stdout.write(service.log().slice(-2_000)))
    for (let day = 1; day <= DAYS; day++) {
      await load.day(day)
      for (const half of [2 * day - 1, 2 * day]) {
        world.turn(half)
        await service.moveTo(half)
      }
      await vacuum(service.query)
      if (MEASURED.includes(day)) days.push(await measureDay(service, day))
    }

    const [early, middle, late] = days as [DayFigures, DayFigures, DayFigures]
    expect(Object.keys(late.store.tables).sort(), 'each table has its bound').toEqual(Object.keys(BOUNDS).sort())
    // As one text, so that a summary names the table.
    expect(growthOf(early.store.tables, middle.store.tables, late.store.tables).join('\n')).toBe('')
    // No month before this one is left. The next one may have been made.
    const [month, ...next] = late.store.partitions
    expect([month, next.length <= 1]).toEqual([`runs_${service.month()}`, true])
    expect(late.store.largeObjects).toBe(0)
    expect(late.store.sequences).toBe(early.store.sequences)
    expect(late.files.count).toBeLessThanOrEqual(early.files.count * SAME)
    expect(late.files.bytes).toBeLessThanOrEqual(early.files.bytes * SAME_FILES)
    expect(late.process.heap + late.process.external).toBeLessThanOrEqual(
      (early.process.heap + early.process.external) * SAME,
    )
    const moreThreads = Math.max(0, loopsOf(late) - loopsOf(early))
    expect(late.process.resident).toBeLessThanOrEqual(
      early.process.resident * SAME_RESIDENT + moreThreads * THREAD_BYTES,
    )
    expect(moreThreads).toBeLessThanOrEqual(SOME_THREADS)
    expect(late.connections).toBeLessThanOrEqual(early.connections + SOME_CONNECTIONS)
    expect(late.process.descriptors - late.connections).toBeLessThanOrEqual(
      early.process.descriptors - early.connections + SOME_DESCRIPTORS,
    )
    expect(late.series).toBeLessThanOrEqual(early.series * SAME)
    expect(late.lateness.median).toBeLessThanOrEqual(SAME_ORDER * Math.max(early.lateness.median, PUNCTUAL_MS))

    // Everything was at work.
    for (const hook of ['/hook/takes', '/hook/refuses', '/hook/gone'])
      expect(world.arrived.get(hook), hook).toBeGreaterThan(0)
    const filled = ['deliveries', 'notices', 'page_texts', 'run_images', 'prompt_answers', 'forgotten_runs']
    for (const table of filled) expect(late.store.tables[table]?.rows, table).toBeGreaterThan(0)
  })
})
