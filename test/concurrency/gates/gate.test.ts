import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { Gate } from '../../../concurrency/gates/gate.ts'
import { addMany, startAll, type TeamJob } from './team-jobs.ts'

const byName = (one = '', other = '') => one.localeCompare(other)

interface Job {
  readonly host: string
  readonly team: string
  readonly n: number
}

const job = (host: string, n = 0) => ({ host, n })

test('jobs of one host start in the order in which they came, up to its cap', () => {
  const gate = new Gate({ perHost: 2, total: 10 })
  for (let n = 0; n < 3; n++) gate.add(job('a', n))
  const [first, second, third] = [gate.next(), gate.next(), gate.next()]
  expect([first, second, third]).toEqual([job('a', 0), job('a', 1), undefined])
  if (first) gate.done(first)
  expect(gate.next()).toEqual(job('a', 2))
})

test('hosts take turns, so that many jobs of one host do not delay those of the others', () => {
  const gate = new Gate({ perHost: 100, total: 100 })
  for (let n = 0; n < 50; n++) gate.add(job('a', n))
  gate.add(job('b'))
  const hosts = [gate.next(), gate.next(), gate.next()].map((next) => next?.host)
  expect(hosts).toContain('b')
})

test('at a host, teams take turns, so that a job of one team does not wait for all those of another', () => {
  const gate = new Gate<{ host: string; team: string; n: number }>({ perHost: 8, total: 100 })
  for (let n = 0; n < 50; n++) gate.add({ host: 'a', team: 'x', n })
  const first = gate.next()
  for (const n of [50, 51]) gate.add({ host: 'a', team: 'y', n })
  const then = [gate.next(), gate.next(), gate.next()].map((next) => next?.n)
  expect([first?.n, ...then]).toEqual([0, 1, 50, 2])
  expect([gate.waitingAt('a'), gate.waitingAt('a', 'x'), gate.waitingAt('a', 'y')]).toEqual([48, 47, 1])
})

test('however much of one team waits at a host, it leaves a slot to another', () => {
  const gate = new Gate<{ host: string; team: string }>({ perHost: 3, total: 100 })
  for (let n = 0; n < 5; n++) gate.add({ host: 'a', team: 'x' })
  expect([gate.next(), gate.next(), gate.next()].map((next) => next?.team)).toEqual(['x', 'x', undefined])
  gate.add({ host: 'a', team: 'y' })
  expect(gate.next()?.team).toBe('y')
  expect(gate.next()).toBeUndefined()
})

test('slow jobs take half of the slots of a host, whoever they are of, and take turns with quick ones', () => {
  const gate = new Gate<{ host: string; team: string; n: number }>({ perHost: 4, total: 100 })
  for (let n = 0; n < 3; n++) for (const team of ['x', 'y']) gate.add({ host: 'a', team, n }, true)
  const started = [gate.next(), gate.next()]
  expect(gate.next()).toBeUndefined()
  gate.add({ host: 'a', team: 'z', n: 7 })
  gate.add({ host: 'a', team: 'x', n: 8 })
  gate.add({ host: 'a', team: 'x', n: 9 })
  expect([gate.next(), gate.next()].map((next) => next?.team).toSorted(byName)).toEqual(['x', 'z'])
  for (const one of started) if (one) gate.done(one)
  expect([gate.next(), gate.next()].map((next) => next?.n)).toEqual([1, 1])
})

test('what waits is handed back whole by a drain, and what was started counts until it is done', () => {
  const gate = new Gate({ perHost: 1, total: 2 })
  for (const host of ['a', 'a', 'b', 'b', 'c']) gate.add(job(host))
  const started = [gate.next(), gate.next()]
  expect(gate.next()).toBeUndefined()
  expect(gate.drain()).toHaveLength(3)
  expect([gate.waiting, gate.active, gate.next()]).toEqual([0, 2, undefined])
  for (const one of started) if (one) gate.done(one)
  expect(gate.active).toBe(0)
})

test('whatever comes and ends, caps hold, nothing is lost and nothing starts twice', () => {
  const step = fc.oneof(
    fc.record({
      add: fc.constantFrom('a', 'b', 'c', 'd'),
      team: fc.constantFrom('', 'x', 'y', 'z'),
      isSlow: fc.boolean(),
    }),
    fc.constantFrom('next', 'done', 'remove', 'aside'),
  )
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 300 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom('turns', 'shares', 'fewest'),
      (given, perHost, total, policy) => {
        const gate = new Gate<Job>({ perHost, total, policy })
        const running: Job[] = []
        const waiting = new Set<Job>()
        const seen = new Set<number>()
        const aside = new Set<Job>()
        let added = 0
        const steps = {
          next() {
            const next = gate.next()
            if (!next) return
            expect(seen.has(next.n)).toBe(false)
            seen.add(next.n)
            waiting.delete(next)
            running.push(next)
          },
          done() {
            for (const ended of running.splice(0, 1)) gate.done(ended, ended.n % 3 === 0 ? 2_000 : 10)
          },
          remove() {
            for (const one of [...waiting].slice(0, 1)) {
              gate.remove(one)
              waiting.delete(one)
              seen.add(one.n)
            }
          },
          aside() {
            for (const one of running.slice(-1)) {
              gate.setAside(one)
              aside.add(one)
            }
          },
        }
        for (const what of given) {
          if (typeof what === 'object') {
            const one = { host: what.add, team: what.team, n: added++ }
            waiting.add(one)
            gate.add(one, what.isSlow)
          } else steps[what]()
          expect(running.filter((one) => !aside.has(one)).length).toBeLessThanOrEqual(total)
          expect(gate.active).toBe(running.length)
          for (const host of ['a', 'b', 'c', 'd'])
            expect(running.filter((one) => one.host === host).length).toBeLessThanOrEqual(perHost)
          expect(gate.waiting + seen.size).toBe(added)
        }
        for (let left = added - seen.size; left > 0;) {
          for (const ended of running.splice(0)) gate.done(ended)
          for (let next = gate.next(); next; next = gate.next()) {
            running.push(next)
            left--
          }
          expect(running.length > 0 || left === 0).toBe(true)
        }
        expect(gate.waiting).toBe(0)
      },
    ),
  )
})

const shared = (total: number) => new Gate<TeamJob>({ perHost: 1, total, policy: 'shares' })

test('teams take turns, however many hosts one of them has', () => {
  const gate = shared(128)
  addMany(gate, 'many', 100)
  addMany(gate, 'few', 2)
  expect(Array.from({ length: 4 }, () => gate.next()?.team)).toEqual(['many', 'few', 'many', 'few'])
})

test.each([3, 10, 40])('%i teams whose jobs never end leave slots to a team whose jobs are quick', (hanging) => {
  const gate = shared(128)
  const victim = () => {
    addMany(gate, 'victim', 1)
    const started = startAll(gate)
    for (const one of started) if (one.team === 'victim') gate.done(one, 20)
    return started.some(({ team }) => team === 'victim')
  }
  expect(victim()).toBe(true)
  for (let n = 0; n < hanging; n++) {
    addMany(gate, `hanging${n}`, 500)
    startAll(gate)
    expect(victim()).toBe(true)
  }
  // As many again come later.
  for (let n = 0; n < hanging; n++) addMany(gate, `hanging${n}`, 500)
  expect(victim()).toBe(true)
  expect(gate.active).toBeLessThanOrEqual(128 - 128 / 16)
})

test('a team that frees its slots quickly soon uses three quarters of them, and less when its jobs hang', () => {
  const gate = shared(128)
  gate.add({ host: 'other', team: 'other' })
  addMany(gate, 'quick', 10_000)
  let running = startAll(gate).filter(({ team }) => team === 'quick')
  expect(running.length).toBe(30)
  for (let round = 0; round < 4; round++) {
    for (const one of running) gate.done(one, 100)
    running = startAll(gate)
  }
  expect(running.length).toBeGreaterThan(90)
  expect(running.length).toBeLessThanOrEqual(96)
  // Only their time limit ends them: what was earned is used up.
  for (let round = 0; round < 2; round++) {
    for (const one of running) gate.done(one, 30_000)
    running = startAll(gate)
  }
  expect(running.length).toBe(30)
})

test.each([1_000, 2_000, 3_000])('a team whose jobs take %i ms soon uses what others leave idle', (tookMs) => {
  const gate = shared(128)
  gate.add({ host: 'other', team: 'other' })
  addMany(gate, 'steady', 3_000)
  let running = startAll(gate).filter(({ team }) => team === 'steady')
  for (let round = 0; round < 4; round++) {
    for (const one of running) gate.done(one, tookMs)
    running = startAll(gate)
  }
  expect(running.length).toBeGreaterThan(90)
})

test('jobs that wait for a silent name earn their team nothing', () => {
  const gate = shared(128)
  gate.add({ host: 'other', team: 'other' })
  addMany(gate, 'silent', 3_000)
  for (let round = 0; round < 4; round++)
    for (const one of startAll(gate)) if (one.team === 'silent') gate.done(one, 5_000)
  expect(startAll(gate)).toHaveLength(30)
})

afterEach(() => void vi.useRealTimers())

test('slots are left to a team that is checked once in hours, and not to one that has been away for days', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const gate = shared(128)
  addMany(gate, 'rare', 1)
  for (const one of startAll(gate)) gate.done(one, 20)
  addMany(gate, 'silent', 500)
  const silent = startAll(gate)
  for (let hour = 0; hour < 30; hour += 6) {
    vi.advanceTimersByTime(6 * 3_600_000)
    // Its jobs end by their time limit, and others start.
    for (const one of silent.splice(0)) gate.done(one, 30_000)
    silent.push(...startAll(gate))
    addMany(gate, 'silent', 500)
    addMany(gate, 'rare', 1)
    const rare = startAll(gate).filter(({ team }) => team === 'rare')
    expect(rare).toHaveLength(1)
    for (const one of rare) gate.done(one, 20)
  }
  vi.advanceTimersByTime(2 * 86_400_000)
  expect(startAll(gate).length + silent.length).toBe(128)
})

interface Simulated {
  readonly team: string
  readonly count: number
  readonly tookMs: number
  /** When its jobs come. Default 0. */
  readonly atMs?: number
}

/** Runs the jobs of teams through a gate of 128 slots. Returns how many jobs of each team started. */
function simulate(teams: readonly Simulated[], untilMs: number): Map<string, number> {
  const gate = shared(128)
  const started = new Map<string, number>()
  const running: { readonly job: TeamJob; readonly endsMs: number; readonly tookMs: number }[] = []
  const tookMs = new Map(teams.map((one) => [one.team, one.tookMs]))
  let n = 0
  for (let ms = 0; ms < untilMs; ms += 10) {
    for (const { team, count, atMs = 0 } of teams) if (atMs === ms) addMany(gate, team, count)
    for (let at = running.length - 1; at >= 0; at--) {
      const one = running[at]
      if (!one || one.endsMs > ms) continue
      running.splice(at, 1)
      gate.done(one.job, one.tookMs)
    }
    for (const job of startAll(gate)) {
      // Half as long to half as long again, so that they do not all end at once.
      const took = (tookMs.get(job.team) ?? 0) * (0.5 + ((n++ * 0.618) % 1))
      started.set(job.team, (started.get(job.team) ?? 0) + 1)
      running.push({ job, endsMs: ms + took, tookMs: took })
    }
  }
  return started
}

const busy = (count: number, tookMs = 200): Simulated[] =>
  Array.from({ length: count }, (_, n) => ({ team: `busy${n}`, count: 5_000, tookMs }))
const silent = (count: number, atMs = 0): Simulated[] =>
  Array.from({ length: count }, (_, n) => ({ team: `silent${n}`, count: 500, tookMs: 30_000, atMs }))

test('a new team among busy ones that are proven has its checks made soon, and they keep nearly all slots', () => {
  const started = simulate([...busy(10, 1_000), { team: 'new', count: 20, tookMs: 500, atMs: 10_000 }], 30_000)
  expect(started.get('new')).toBe(20)
  const ofBusy = busy(10).reduce((sum, { team }) => sum + (started.get(team) ?? 0), 0)
  expect(ofBusy).toBeGreaterThan(0.85 * 128 * 30)
})

test('a team whose sites take five seconds has a slot at least, however busy the others are', () => {
  const started = simulate([...busy(10), { team: 'late', count: 20, tookMs: 5_000, atMs: 10_000 }], 40_000)
  expect(started.get('late')).toBeGreaterThanOrEqual(5)
})

test('silent teams take no more than what is left to new ones from busy teams, nor from one that checks rarely', () => {
  const rare = [9_000, 20_000, 30_000].map((atMs) => ({ team: 'rare', count: 1, tookMs: 100, atMs }))
  const started = simulate([...rare, ...busy(3), ...silent(40, 10_000)], 40_000)
  expect(started.get('rare')).toBe(3)
  const ofBusy = busy(3).reduce((sum, { team }) => sum + (started.get(team) ?? 0), 0)
  expect(ofBusy).toBeGreaterThan(0.75 * 3 * 5_000)
})

test('what a slow team leaves waiting is bounded, and does not count as work ahead', () => {
  const gate = shared(16)
  gate.add({ host: 'other', team: 'other' })
  addMany(gate, 'slow', 15)
  expect(gate.isFullOf('slow')).toBe(false)
  startAll(gate)
  addMany(gate, 'slow', 16)
  expect(gate.isFullOf('slow')).toBe(true)
  expect(gate.fullTeams()).toEqual(['slow'])
  expect(gate.isFullOf('other')).toBe(false)
  expect(gate.waiting).toBeGreaterThan(16)
  expect(gate.ahead).toBe(0)
})

test('jobs that nobody wants any more narrow no window, except those that used a slot for seconds', () => {
  const gate = shared(128)
  gate.add({ host: 'other', team: 'other' })
  addMany(gate, 'edited', 10_000)
  let running = startAll(gate).filter(({ team }) => team === 'edited')
  const round = (end: (one: TeamJob) => void) => {
    for (const one of running) end(one)
    running = startAll(gate)
    return running.length
  }
  // They earn it nothing either.
  expect(round((one) => gate.drop(one))).toBe(30)
  expect(round((one) => gate.drop(one, 100))).toBe(30)
  for (let n = 0; n < 4; n++) round((one) => gate.done(one, 100))
  const busy = running.length
  expect(busy).toBeGreaterThan(90)
  for (let n = 0; n < 5; n++) expect(round((one) => gate.drop(one, n * 100))).toBe(busy)
  for (let n = 0; n < 2; n++) round((one) => gate.drop(one, 30_000))
  expect(running.length).toBe(30)
})

test('gives a team every slot while it is alone', () => {
  const gate = shared(4)
  addMany(gate, 'only', 5)
  expect(startAll(gate)).toHaveLength(4)
  expect(gate.isFullOf('only')).toBe(false)
})

test('gives jobs of no team every slot', () => {
  const gate = new Gate({ perHost: 1, total: 4, policy: 'shares' })
  for (let n = 0; n < 4; n++) gate.add({ host: `h${n}` })
  expect(Array.from({ length: 4 }, () => gate.next())).not.toContain(undefined)
})
