import { expect, test } from 'vitest'
import pg from 'pg'
import { freshWorld } from './fault-test.ts'
import { judgeInvariants } from './invariants.ts'

test('a worker that is left one connection goes on with it; one that is left none waits', async () => {
  const world = await freshWorld()
  const worker = await world.worker()
  const leave = async (connections: number) => {
    await world.query(`alter role ${worker.role} connection limit ${connections}`)
    await world.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [worker.role])
  }
  await world.underLoad(async () => {
    await world.rounds(1)
    await leave(1)
    await world.rounds(2)
    await leave(0)
    const before = world.pages.requests()
    await world.query('select pg_sleep(3)')
    // What was claimed before is checked; what is found is kept until it can be recorded.
    expect(world.pages.requests() - before).toBeLessThanOrEqual(world.monitors)
    await leave(-1)
  })
  await world.setClock('31 seconds')
  await world.caughtUp()
  await judgeInvariants(world, { faults: 2 })
})

test(
  'a session that sits on rows of the queue for longer than a statement may take holds up those monitors, not the ' +
    'others, and loses nothing.',
  async () => {
    const world = await freshWorld()
    await Promise.all([world.worker(), world.worker()])
    const idler = new pg.Client({ connectionString: world.url })
    idler.on('error', () => {})
    await idler.connect()
    await world.underLoad(async () => {
      await idler.query('begin')
      await idler.query('select from checks where no <= 3 for update')
      await world.rounds(3)
      await world.query('select pg_sleep(6)')
      await idler.query('commit')
    })
    await idler.end()
    await world.caughtUp()
    await judgeInvariants(world)
  },
)
