import { expect, test } from 'vitest'
import { decideRunners } from '../../../operator/runners/decide-runners.ts'
import type { RunnerJob } from '../../../operator/runners/runner-job.ts'

const NOW = 1_000_000

const job = (name: string, more: Partial<RunnerJob> = {}): RunnerJob => ({
  name,
  isIsolated: false,
  isSuspended: false,
  isFinished: false,
  isDeleted: false,
  isWaiting: false,
  ...more,
})

const seen = (more: Partial<Parameters<typeof decideRunners>[0]> = {}) => ({
  jobs: [],
  released: new Map<string, { isIsolated: boolean }>(),
  tokens: [],
  demand: { due: 0, leased: 0 },
  isolated: [] as number[],
  slots: 4,
  max: 10,
  waitingSince: new Map<string, number>(),
  nowMs: NOW,
  startMs: 300_000,
  isIsolatedNext: true,
  ...more,
})

test.each([
  ['nothing waits', { due: 0, leased: 0 }, 0],
  ['one check is due', { due: 1, leased: 0 }, 1],
  ['checks fill a pod', { due: 3, leased: 1 }, 1],
  ['one check more than a pod has slots', { due: 4, leased: 1 }, 2],
  ['a flood waits', { due: 10_000, leased: 0 }, 10],
])('wants as many pods as the checks need, and no more than the limit: %s', (_, demand, want) => {
  expect(decideRunners(seen({ demand }))).toMatchObject({ want, have: 0 })
})

test('creates what is missing, and at most five at once', () => {
  expect(decideRunners(seen({ demand: { due: 9, leased: 0 } })).create).toBe(3)
  expect(decideRunners(seen({ demand: { due: 9, leased: 0 }, jobs: [job('a')] })).create).toBe(2)
  expect(decideRunners(seen({ demand: { due: 900, leased: 0 } })).create).toBe(5)
})

test('does nothing while it does not know which Jobs there are', () => {
  const unknown = seen({ jobs: null, demand: { due: 9, leased: 0 }, tokens: ['a'] })
  expect(decideRunners(unknown)).toEqual({ want: 3, have: null, create: 0, isolate: [], remove: [], revoke: [] })
})

test('counts a Job that was released and is not seen yet, once', () => {
  const demand = { due: 1, leased: 0 }
  expect(decideRunners(seen({ demand, released: new Map([['a', { isIsolated: false }]]) }))).toMatchObject({
    have: 1,
    create: 0,
  })
  const shown = seen({
    demand,
    released: new Map([['a', { isIsolated: false }]]),
    jobs: [job('a', { isSuspended: true })],
  })
  expect(decideRunners(shown)).toMatchObject({ have: 1, create: 0, remove: [] })
})

test('counts no Job that has ended, that is deleted, or that is removed now', () => {
  const jobs = [
    job('ended', { isFinished: true }),
    job('deleted', { isDeleted: true }),
    job('orphan', { isSuspended: true }),
    job('stuck', { isWaiting: true }),
    job('starting', { isWaiting: true }),
  ]
  const waitingSince = new Map([
    ['stuck', NOW - 300_001],
    ['starting', NOW - 299_999],
  ])
  expect(decideRunners(seen({ jobs, waitingSince, demand: { due: 8, leased: 0 } }))).toMatchObject({
    have: 1,
    create: 1,
    remove: [
      { name: 'orphan', why: 'orphan' },
      { name: 'stuck', why: 'not_started' },
    ],
  })
})

test('removes no pod that works, however few checks there are', () => {
  expect(decideRunners(seen({ jobs: [job('a'), job('b')] }))).toMatchObject({ want: 0, have: 2, create: 0, remove: [] })
})

test('removes pods that have not started while there is no more work for them', () => {
  const jobs = [job('runs'), ...['one', 'two', 'new'].map((name) => job(name, { isWaiting: true }))]
  const waitingSince = new Map([
    ['one', NOW - 10_001],
    ['two', NOW - 10_001],
    ['new', NOW - 9_999],
  ])
  const none = decideRunners(seen({ jobs, waitingSince, tokens: ['runs', 'one', 'two'] }))
  expect(none).toMatchObject({ want: 0, have: 2, create: 0, revoke: ['one', 'two'] })
  expect(none.remove).toEqual(['one', 'two'].map((name) => ({ name, why: 'not_needed' })))
  const some = seen({ jobs, waitingSince, demand: { due: 9, leased: 0 } })
  expect(decideRunners(some)).toMatchObject({ want: 3, have: 3, create: 0, remove: [{ name: 'one' }] })
  const all = seen({ jobs, waitingSince, demand: { due: 16, leased: 0 } })
  expect(decideRunners(all)).toMatchObject({ want: 4, have: 4, remove: [] })
})

test('leaves a pod of an isolated check that has not started', () => {
  const jobs = [job('own', { isIsolated: true, isWaiting: true })]
  const waitingSince = new Map([['own', NOW - 10_001]])
  expect(decideRunners(seen({ jobs, waitingSince })).remove).toEqual([])
})

test('revokes the tokens of Jobs that have ended or are gone', () => {
  const jobs = [job('runs'), job('ended', { isFinished: true })]
  const tokens = ['runs', 'ended', 'gone', 'fresh']
  expect(decideRunners(seen({ jobs, tokens, released: new Map([['fresh', { isIsolated: false }]]) })).revoke).toEqual([
    'ended',
    'gone',
  ])
})

test('gives each isolated check a pod of its own, within the same limit, and counts them apart', () => {
  const own = job('own', { isIsolated: true })
  expect(decideRunners(seen({ isolated: [7, 8], jobs: [own] }))).toMatchObject({ have: 0, create: 0, isolate: [7, 8] })
  const demand = { due: 1, leased: 0 }
  expect(decideRunners(seen({ demand, jobs: [own] }))).toMatchObject({ want: 1, have: 0, create: 1 })
  expect(decideRunners(seen({ max: 3, isolated: [7, 8, 9], jobs: [own] })).isolate).toEqual([7, 8])
})

test('lets neither kind of check keep the other one out', () => {
  const both = seen({ max: 4, isolated: [1, 2, 3, 4, 5, 6], demand: { due: 900, leased: 0 } })
  expect(decideRunners(both)).toMatchObject({ create: 2, isolate: [1, 2] })
})

test('gives a single free pod to the kind that has fewer', () => {
  const flood = { max: 3, demand: { due: 1_000, leased: 0 }, isolated: [7, 8] }
  const own = (name: string) => job(name, { isIsolated: true })
  for (const isIsolatedNext of [true, false]) {
    const shared = seen({ ...flood, isIsolatedNext, jobs: [job('a'), job('b')] })
    expect(decideRunners(shared)).toMatchObject({ create: 0, isolate: [7] })
    const isolated = seen({ ...flood, isIsolatedNext, jobs: [own('a'), own('b')] })
    expect(decideRunners(isolated)).toMatchObject({ create: 1, isolate: [] })
  }
})

test('gives a single pod to one kind after the other', () => {
  const flood = { max: 1, demand: { due: 1_000, leased: 0 }, isolated: [7, 8] }
  expect(decideRunners(seen({ ...flood, isIsolatedNext: true }))).toMatchObject({ create: 0, isolate: [7] })
  expect(decideRunners(seen({ ...flood, isIsolatedNext: false }))).toMatchObject({ create: 1, isolate: [] })
  // A turn that nobody waits for is not lost.
  expect(decideRunners(seen({ ...flood, isolated: [], isIsolatedNext: true }))).toMatchObject({ create: 1 })
  expect(decideRunners(seen({ ...flood, demand: { due: 0, leased: 0 }, isIsolatedNext: false })).isolate).toEqual([7])
})
