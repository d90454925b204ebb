import { expect, test } from 'vitest'
import { Gate } from '../../../concurrency/gates/gate.ts'
import { addMany, startAll, type TeamGate, type TeamJob } from './team-jobs.ts'

/** Offers jobs of these teams again and again, as claims do. Returns the most that waited. */
function offerClaims(gate: TeamGate, teams: readonly string[], { rounds = 40, size = 64 } = {}): number {
  let n = 0
  let most = 0
  for (let round = 0; round < rounds; round++) {
    const full = new Set(gate.fullTeams())
    const open = teams.filter((team) => !full.has(team))
    for (let taken = 0; taken < size && open.length > 0; taken++) {
      const team = open[taken % open.length] ?? ''
      if (!gate.isFullOf(team)) gate.add({ host: `${team} ${n++}`, team })
    }
    startAll(gate)
    most = Math.max(most, gate.waiting)
  }
  return most
}
const named = (count: number) => Array.from({ length: count }, (_, n) => `team${n}`)
const bounded = () => new Gate<TeamJob>({ perHost: 1, total: 16, policy: 'shares', mostAhead: 128 })

test.each([1, 2, 10, 100, 500])('however many hosts they are at, few jobs of %i teams wait', (count) => {
  const gate = bounded()
  const most = offerClaims(gate, named(count))
  expect(most).toBeLessThan(2.5 * 128 + count)
  expect(gate.isFullOf('new')).toBe(false)
  addMany(gate, 'new', 1)
  // The even part of 500 teams is one job.
  if (count < 128) expect(gate.fullTeams()).not.toContain('new')
})

test('teams whose jobs were quick and then hang have few waiting, too, and leave room for others', () => {
  const gate = bounded()
  const teams = named(10)
  for (const team of teams) for (let n = 0; n < 16; n++) gate.add({ host: `${team} quick ${n}`, team })
  for (let left = startAll(gate); left.length > 0; left = startAll(gate)) for (const one of left) gate.done(one, 10)
  expect(offerClaims(gate, teams)).toBeLessThan(2.5 * 128)
  expect(gate.fullTeams()).toHaveLength(10)
  expect(offerClaims(gate, [...teams, 'late'])).toBeLessThan(2.5 * 128)
  expect(gate.waitingAt('late 0', 'late') + Number(gate.fullTeams().includes('late'))).toBeGreaterThan(0)
})

test('a team that has little waiting is not full, however much of another one waits', () => {
  const gate = bounded()
  gate.add({ host: 'other', team: 'other' })
  offerClaims(gate, ['many'])
  addMany(gate, 'few', 10)
  expect(gate.fullTeams()).toEqual(['many'])
  expect([gate.isFullOf('few'), gate.isFullOf('other')]).toEqual([false, false])
})

test('no more come of a team that has its part; a few that come all the same are taken', () => {
  const gate = bounded()
  addMany(gate, 'only', 127)
  expect([gate.fullTeams(), gate.isFullOf('only')]).toEqual([[], false])
  addMany(gate, 'only', 64)
  expect([gate.fullTeams(), gate.isFullOf('only')]).toEqual([['only'], false])
  addMany(gate, 'only', 1)
  expect(gate.isFullOf('only')).toBe(true)
})
