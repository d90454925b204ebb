import { expect, onTestFinished, test } from 'vitest'
import { migrate } from '../../store/db/migrate.ts'
import { openFaultService } from '../faults/fault-service.ts'
import { judgeInvariants } from '../faults/invariants.ts'
import { systemPostgres } from '../support/database/test-server.ts'
import { describeIf, hasProgram } from '../support/run/skip.ts'
import { keepLedger } from './ledger.ts'
import { startPatroni } from './patroni-cluster.ts'
import { SUPERUSER, TIMES } from './patroni-config.ts'
import { openPrimaryRouter } from './primary-router.ts'

const KILLS = Number(process.env['TIDEMARK_TEST_FAILOVERS'] ?? 20)
const MOST_AWAY_MS = 30_000
const isHere = systemPostgres(15) !== null && ['patroni', 'etcd'].every(hasProgram)

describeIf(isHere, 'install postgresql-15, patroni and etcd-server', { isBeyondCi: true })('three nodes', () => {
  test(`whose primary is killed ${KILLS} times under load lose nothing that was confirmed`, async () => {
    const cluster = await startPatroni()
    onTestFinished(() => cluster[Symbol.asyncDispose]())
    await cluster.whole()
    const router = await openPrimaryRouter(cluster.nodes)
    onTestFinished(() => router[Symbol.asyncDispose]())
    const { username, password } = SUPERUSER
    const url = `postgres://${username}:${password}@127.0.0.1:${router.port}/postgres`
    await expect
      .poll(
        () =>
          migrate(url).then(
            () => true,
            () => false,
          ),
        { timeout: 60_000 },
      )
      .toBe(true)
    const ledger = await keepLedger(url)
    const service = await openFaultService({ url })
    onTestFinished(() => service[Symbol.asyncDispose]())
    await Promise.all([service.worker(), service.worker()])

    const away: number[] = []
    await service.underLoad(async () => {
      for (let n = 0; n < KILLS; n++) {
        await service.rounds(1)
        const primary = await cluster.whole()
        const from = performance.now()
        await primary.kill()
        await ledger.next()
        away.push(performance.now() - from)
        process.stdout.write(`kill ${n + 1}: ${primary.name}, back after ${((away.at(-1) ?? 0) / 1000).toFixed(1)} s\n`)
        await primary.start()
      }
    })
    await cluster.whole()
    await ledger.stop()
    const kept = new Set((await service.query<{ n: number }>('select n from ledger')).map(({ n }) => n))
    expect(ledger.confirmed.filter((n) => !kept.has(n))).toEqual([])
    const sorted = away.toSorted((a, b) => a - b)
    process.stdout.write(
      `${KILLS} kills of the primary (ttl ${TIMES.ttl} s, loop_wait ${TIMES.loop_wait} s): written again after a ` +
        `median of ${((sorted[Math.floor(KILLS / 2)] ?? 0) / 1000).toFixed(1)} s, at most ` +
        `${((sorted.at(-1) ?? 0) / 1000).toFixed(1)} s; ${ledger.confirmed.length} rows confirmed, none lost\n`,
    )
    expect(sorted.at(-1)).toBeLessThan(MOST_AWAY_MS)
    // Webhooks that were claimed when the primary died wait for their lease.
    await service.setClock('31 seconds')
    await service.caughtUp(120_000)
    await judgeInvariants(service, { faults: KILLS })
  })
})
