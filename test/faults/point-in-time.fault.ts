import { expect, onTestFinished, test } from 'vitest'
import { migrate } from '../../store/db/migrate.ts'
import { idsOfRuns } from '../support/database/finished-runs.ts'
import { systemPostgres } from '../support/database/test-server.ts'
import { describeIf } from '../support/run/skip.ts'
import { until } from '../support/run/until.ts'
import { startArchivedPostgres } from './archived-postgres.ts'
import { openFaultService } from './fault-service.ts'

const binaries = systemPostgres(15)

describeIf(binaries !== null, 'install postgresql-15')('a Postgres that is restored to a point in time', () => {
  test('has every run from before it and none from after it, and workers that ran all along go on', async () => {
    if (!binaries) return
    const postgres = await startArchivedPostgres(binaries)
    onTestFinished(() => postgres[Symbol.asyncDispose]())
    await migrate(postgres.url)
    const service = await openFaultService({ url: postgres.url })
    onTestFinished(() => service[Symbol.asyncDispose]())
    await service.worker()
    let [before, after]: [string[], string[]] = [[], []]
    await service.underLoad(async () => {
      await service.rounds(1)
      await postgres.backUp()
      await service.rounds(2)
      before = await idsOfRuns(service.query)
      const [point] = await service.query<{ time: string }>('select clock_timestamp()::text as time')
      await service.rounds(2)
      after = (await idsOfRuns(service.query)).filter((id) => !before.includes(id))
      await postgres.restore(point?.time ?? '')
      await until(
        () => service.query('select pg_is_in_recovery() as isIn').catch(() => []),
        (rows) => rows.length === 1,
      )
    })
    const restored = new Set(await idsOfRuns(service.query))
    expect(before.filter((id) => !restored.has(id))).toEqual([])
    expect(after.length).toBeGreaterThan(0)
    // What was recorded between the list and the point in time may be there.
    expect(after.filter((id) => restored.has(id)).length).toBeLessThan(after.length / 2)
    await service.caughtUp()
  })
})
