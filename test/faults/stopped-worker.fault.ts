import { expect, test } from 'vitest'
import { freshWorld } from './fault-test.ts'
import { judgeInvariants } from './invariants.ts'

test('Workers replaced one by one by SIGTERM under load: each drains and ends well within 25 s, and nothing is lost or sent twice.', async () => {
  const world = await freshWorld()
  world.pages.slowDown(300)
  let [old, other] = await Promise.all([world.worker(), world.worker()])
  await world.underLoad(async () => {
    for (let n = 0; n < 3; n++) {
      await world.rounds(0.3 + world.chance.below(10) / 10)
      const from = performance.now()
      old.signal('SIGTERM')
      expect(await old.exited).toBe(0)
      expect(performance.now() - from).toBeLessThan(25_000)
      ;[old, other] = [other, await world.worker()]
    }
  })
  await world.caughtUp()
  await judgeInvariants(world)
})
