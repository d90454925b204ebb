import { onTestFinished, test } from 'vitest'
import { describeIf, hasProgram } from '../support/run/skip.ts'
import { freshService } from './fault-test.ts'
import { judgeInvariants } from './invariants.ts'
import { startPgBouncer } from './pgbouncer.ts'

describeIf(hasProgram('pgbouncer'), 'install pgbouncer')('behind PgBouncer', () => {
  test('in session mode, which is killed and started again: no run and no delivery is lost or made twice', async () => {
    const service = await freshService()
    const pooler = await startPgBouncer(service.url, { mode: 'session', poolSize: 12 })
    onTestFinished(() => pooler[Symbol.asyncDispose]())
    await Promise.all([service.worker({ url: pooler.url }), service.worker({ url: pooler.url })])
    await service.underLoad(async () => {
      await service.rounds(1)
      for (let n = 0; n < 3; n++) {
        await pooler.restart()
        await service.rounds(1)
      }
    })
    // A webhook that was claimed when the pooler died waits for its lease of half a minute.
    await service.setClock('31 seconds')
    await service.caughtUp()
    await judgeInvariants(service, { faults: 4 })
  })
})
