import pg from 'pg'
import { expect, test } from 'vitest'
import { freshService } from './fault-test.ts'
import { judgeInvariants } from './invariants.ts'

test('a worker that is left one connection goes on with it; one that is left none waits', async () => {
  const service = await freshService()
  const worker = await service.worker()
  const leave = async (connections: number) => {
    await service.query(`alter role ${worker.role} connection limit ${connections}`)
    await service.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [worker.role])
  }
  await service.underLoad(async () => {
    await service.rounds(1)
    await leave(1)
    await service.rounds(2)
    await leave(0)
    const before = service.pages.requests()
    await service.query('select pg_sleep(3)')
    // What was claimed before is checked; what is found is kept until it can be recorded.
    expect(service.pages.requests() - before).toBeLessThanOrEqual(service.monitors)
    await leave(-1)
  })
  await service.setClock('31 seconds')
  await service.caughtUp()
  await judgeInvariants(service, { faults: 2 })
})

test(
  'a session that sits on rows of the queue for longer than a statement may take holds up those monitors, not the ' +
    'others, and loses nothing.',
  async () => {
    const service = await freshService()
    await Promise.all([service.worker(), service.worker()])
    const idler = new pg.Client({ connectionString: service.url })
    idler.on('error', () => {})
    await idler.connect()
    await service.underLoad(async () => {
      await idler.query('begin')
      await idler.query('select from checks where no <= 3 for update')
      await service.rounds(3)
      await service.query('select pg_sleep(6)')
      await idler.query('commit')
    })
    await idler.end()
    await service.caughtUp()
    await judgeInvariants(service)
  },
)
