import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createHostGate } from '../../concurrency/host-gate.ts'

const byName = (one = '', other = '') => one.localeCompare(other)

interface Job {
  readonly host: string
  readonly team: string
  readonly n: number
}

const job = (host: string, n = 0) => ({ host, n })

test('jobs of one host start in the order in which they came, up to its cap', () => {
  const gate = createHostGate({ perHost: 2, total: 10 })
  for (let n = 0; n < 3; n++) gate.add(job('a', n))
  const [first, second, third] = [gate.next(), gate.next(), gate.next()]
  expect([first, second, third]).toEqual([job('a', 0), job('a', 1), undefined])
  if (first) gate.done(first)
  expect(gate.next()).toEqual(job('a', 2))
})

test('hosts take turns, so that a long line of one is no longer than the others for the rest', () => {
  const gate = createHostGate({ perHost: 100, total: 100 })
  for (let n = 0; n < 50; n++) gate.add(job('a', n))
  gate.add(job('b'))
  const hosts = [gate.next(), gate.next(), gate.next()].map((next) => next?.host)
  expect(hosts).toContain('b')
})

test('at a host, teams take turns, so that one of a team waits for no line of another', () => {
  const gate = createHostGate<{ host: string; team: string; n: number }>({ perHost: 8, total: 100 })
  for (let n = 0; n < 50; n++) gate.add({ host: 'a', team: 'x', n })
  const first = gate.next()
  for (const n of [50, 51]) gate.add({ host: 'a', team: 'y', n })
  const then = [gate.next(), gate.next(), gate.next()].map((next) => next?.n)
  expect([first?.n, ...then]).toEqual([0, 1, 50, 2])
  expect([gate.waitingAt('a'), gate.waitingAt('a', 'x'), gate.waitingAt('a', 'y')]).toEqual([48, 47, 1])
})

test('however much of one team waits at a host, it leaves a slot to another', () => {
  const gate = createHostGate<{ host: string; team: string }>({ perHost: 3, total: 100 })
  for (let n = 0; n < 5; n++) gate.add({ host: 'a', team: 'x' })
  expect([gate.next(), gate.next(), gate.next()].map((next) => next?.team)).toEqual(['x', 'x', undefined])
  gate.add({ host: 'a', team: 'y' })
  expect(gate.next()?.team).toBe('y')
  expect(gate.next()).toBeUndefined()
})

test('slow jobs take half of the slots of a host, whoever they are of, and take turns with quick ones', () => {
  const gate = createHostGate<{ host: string; team: string; n: number }>({ perHost: 4, total: 100 })
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
  const gate = createHostGate({ perHost: 1, total: 2 })
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
    fc.record({ add: fc.constantFrom('a', 'b', 'c', 'd'), team: fc.constantFrom('x', 'y'), isSlow: fc.boolean() }),
    fc.constant('next'),
    fc.constant('done'),
  )
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 300 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 1, max: 6 }),
      (steps, perHost, total) => {
        const gate = createHostGate<Job>({ perHost, total })
        const running: Job[] = []
        const seen = new Set<number>()
        let added = 0
        for (const what of steps) {
          if (typeof what === 'object') {
            gate.add({ host: what.add, team: what.team, n: added++ }, what.isSlow)
          } else if (what === 'done') {
            const ended = running.shift()
            if (ended) gate.done(ended)
          } else {
            const next = gate.next()
            if (next) {
              expect(seen.has(next.n)).toBe(false)
              seen.add(next.n)
              running.push(next)
            }
          }
          expect(running.length).toBeLessThanOrEqual(total)
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

test('keeps a team within its share of all slots, however many hosts it has', () => {
  const gate = createHostGate<{ host: string; team: string }>({ perHost: 2, total: 8, perTeam: 6 })
  const early = { host: 'early', team: 'few' }
  gate.add(early)
  expect(gate.next()).toBe(early)
  gate.done(early)
  for (let n = 0; n < 20; n++) gate.add({ host: `h${n}`, team: 'many' })
  const started = []
  for (let job = gate.next(); job; job = gate.next()) started.push(job)
  expect(started).toHaveLength(6)
  gate.add({ host: 'h19', team: 'few' })
  expect(gate.next()).toMatchObject({ team: 'few' })
  expect(gate.next()).toBeUndefined()
  // Every slot that the team gives back is used again, until nothing waits.
  for (let job = started.shift(); job; job = started.shift()) {
    gate.done(job)
    for (let next = gate.next(); next; next = gate.next()) started.push(next)
  }
  expect([gate.waiting, gate.active]).toEqual([0, 1])
})

test('gives a team every slot while it is alone', () => {
  const gate = createHostGate<{ host: string; team: string }>({ perHost: 1, total: 4, perTeam: 3 })
  for (let n = 0; n < 4; n++) gate.add({ host: `h${n}`, team: 'only' })
  expect(Array.from({ length: 4 }, () => gate.next())).not.toContain(undefined)
})

test('gives jobs of no team every slot', () => {
  const gate = createHostGate({ perHost: 1, total: 4, perTeam: 3 })
  for (let n = 0; n < 4; n++) gate.add({ host: `h${n}` })
  expect(Array.from({ length: 4 }, () => gate.next())).not.toContain(undefined)
})
