import { expect, test } from 'vitest'
import { Gate } from '../../../concurrency/gates/gate.ts'
import { addMany, startAll, type TeamJob } from './team-jobs.ts'

test('a slot of a host that is at its cap goes to the team that has waited longest, however busy that team is', () => {
  const gate = new Gate<TeamJob>({ perHost: 2, total: 1_000 })
  const at = (team: string, host = 'common') => ({ host, team })
  const started: TeamJob[] = []
  for (const team of ['a', 'b', 'a', 'b']) gate.add(at(team))
  started.push(...startAll(gate))
  // The team with hundreds of other hosts has its turn at this one, and one that comes later has it after that.
  gate.add(at('busy'))
  for (let n = 0; n < 300; n++) gate.add(at('busy', `h${n}`))
  for (const _ of [1, 2]) gate.add(at('late'))
  const order: string[] = []
  while (started.length > 0) {
    const common = started.findIndex(({ host }) => host === 'common')
    const [ended] = started.splice(common === -1 ? 0 : common, 1)
    if (ended) gate.done(ended, 10)
    for (const one of startAll(gate)) {
      started.push(one)
      if (one.host === 'common') order.push(one.team)
    }
  }
  expect(order).toEqual(['b', 'a', 'busy', 'late', 'late'])
  expect([gate.waiting, gate.active]).toEqual([0, 0])
})

test('a slot of a host passes by the team that may start nothing now', () => {
  const gate = new Gate<TeamJob>({ perHost: 1, total: 16, policy: 'shares' })
  const common = { host: 'common', team: 'a' }
  gate.add(common)
  startAll(gate)
  addMany(gate, 'silent', 20)
  startAll(gate)
  for (const team of ['silent', 'quick']) gate.add({ host: 'common', team })
  expect(startAll(gate)).toEqual([])
  gate.done(common, 10)
  expect(startAll(gate)).toContainEqual({ host: 'common', team: 'quick' })
})

test('a slot of a host that teams wait for is soon used, however many other hosts the next one has', () => {
  const gate = new Gate<TeamJob>({ perHost: 1, total: 2 })
  const common = { host: 'common', team: 'a' }
  gate.add(common)
  startAll(gate)
  addMany(gate, 'busy', 300)
  for (const team of ['busy', 'late']) gate.add({ host: 'common', team })
  const started = startAll(gate)
  gate.done(common, 10)
  for (let n = 0; n < 2; n++) {
    started.push(...startAll(gate))
    gate.done(started.at(-1) ?? common, 10)
  }
  expect(started.slice(0, 3)).toContainEqual({ host: 'common', team: 'busy' })
})
