import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Gate } from '../../../concurrency/gates/gate.ts'

interface Job {
  readonly host: string
  readonly team?: string
  readonly n: number
}

const job = (n: number, team = 'x'): Job => ({ host: `host${n}`, team, n })
const opened = (total: number) => new Gate<Job>({ perHost: total, total, policy: 'fewest' })

test('a newcomer waits for one of those before it, not for all', () => {
  const gate = opened(2)
  for (let n = 0; n < 20; n++) gate.add(job(n))
  const [first, second] = [gate.next(), gate.next()]
  gate.add(job(20))
  const then: (number | undefined)[] = []
  for (const one of [first, second]) {
    if (one) gate.done(one)
    then.push(gate.next()?.n)
  }
  expect(then).toContain(20)
})

test('nor do newcomers keep who came first from its turn', () => {
  const gate = opened(1)
  const started: (number | undefined)[] = []
  for (let n = 0; n < 10; n++) {
    gate.add(job(2 * n))
    gate.add(job(2 * n + 1))
    const next = gate.next()
    started.push(next?.n)
    if (next) gate.done(next)
  }
  expect(started.filter((_, index) => index % 2 === 0)).toEqual([0, 1, 2, 4, 5])
})

test('the team that has the fewest slots is next, at whatever host', () => {
  const gate = opened(4)
  for (let n = 0; n < 20; n++) gate.add(job(n, 'x'))
  gate.next()
  gate.next()
  gate.add(job(20, 'y'))
  gate.add(job(21, 'x'))
  expect([gate.next()?.team, gate.next()?.team]).toEqual(['y', 'x'])
})

test('slow ones leave a slot to the others, where there is more than one', () => {
  const gate = opened(3)
  for (let n = 0; n < 5; n++) gate.add(job(n), true)
  expect([gate.next()?.n, gate.next()?.n, gate.next()]).toEqual([0, 4, undefined])
  expect([gate.isFullOf('x', true), gate.isFullOf('x')]).toEqual([true, false])
  gate.add(job(7))
  expect(gate.next()?.n).toBe(7)
  const one = opened(1)
  one.add(job(1), true)
  expect(one.next()?.n).toBe(1)
})

test('whatever comes and ends, caps hold, nothing is lost and nothing starts twice', () => {
  const step = fc.oneof(
    fc.record({ host: fc.constantFrom('a', 'b', 'c'), team: fc.constantFrom('x', 'y'), isSlow: fc.boolean() }),
    fc.constantFrom('next', 'done'),
  )
  const caps = fc.record({ perHost: fc.integer({ min: 1, max: 3 }), total: fc.integer({ min: 1, max: 5 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), caps, (steps, { perHost, total }) => {
      const gate = new Gate<Job & { readonly isSlow: boolean }>({ perHost, total, policy: 'fewest' })
      const running: (Job & { readonly isSlow: boolean })[] = []
      const seen = new Set<number>()
      let added = 0
      const start = (): boolean => {
        const next = gate.next()
        if (!next) return false
        expect(seen.has(next.n)).toBe(false)
        seen.add(next.n)
        running.push(next)
        expect(running.length).toBeLessThanOrEqual(total)
        expect(running.filter(({ isSlow }) => isSlow).length).toBeLessThanOrEqual(Math.max(1, total - 1))
        expect(running.filter(({ host }) => host === next.host).length).toBeLessThanOrEqual(perHost)
        return true
      }
      for (const what of steps) {
        if (typeof what === 'object') gate.add({ ...what, n: added++ }, what.isSlow)
        else if (what === 'next') start()
        else for (const ended of running.splice(0, 1)) gate.done(ended)
        expect([gate.waiting + seen.size, gate.active]).toEqual([added, running.length])
      }
      do for (const ended of running.splice(0)) gate.done(ended)
      while (start())
      expect(seen.size).toBe(added)
      gate.add({ host: 'a', n: added, isSlow: false })
      expect(gate.drain()).toHaveLength(1)
      expect([gate.waiting, gate.waitingAt('a')]).toEqual([0, 0])
    }),
  )
})

test('more pages than are soon rendered are not wanted, except those of teams that have few waiting', () => {
  const gate = new Gate<Job>({ perHost: 1, total: 1, policy: 'fewest', mostAhead: 8 })
  for (let n = 0; n < 8; n++) gate.add(job(n))
  expect([gate.fullTeams(), gate.isFullOf('x')]).toEqual([['x'], false])
  for (let n = 8; n < 12; n++) gate.add(job(n))
  gate.add(job(16, 'y'))
  expect([gate.fullTeams(), gate.isFullOf('x'), gate.isFullOf('y'), gate.isFullOf('z')]).toEqual([
    ['x'],
    true,
    false,
    false,
  ])
})
