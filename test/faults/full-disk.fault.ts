import { expect, onTestFinished, test, type TestContext } from 'vitest'
import { startBreakablePostgres } from '../support/database/breakable-postgres.ts'
import { mountSmallDisk, type SmallDisk } from '../support/run/small-disk.ts'
import { until } from '../support/run/until.ts'
import { openApi, unexpected } from './api-process.ts'
import { type FaultService, openFaultService } from './fault-service.ts'
import { judgeInvariants } from './invariants.ts'
import { refusals } from './refusals.ts'

async function smallDisk(context: TestContext, megabytes: number): Promise<SmallDisk> {
  const disk = await mountSmallDisk(megabytes)
  if ('refused' in disk) {
    const line = `skipped: ${context.task.name}: may not mount a small file system (${disk.refused})`
    if (process.env['CI'] === 'true') throw new Error(`${line} (CI must not skip)`)
    process.stdout.write(`${line}\n`)
    return context.skip()
  }
  onTestFinished(() => disk[Symbol.asyncDispose]())
  return disk
}

async function goesOn(service: FaultService): Promise<void> {
  const checked = service.pages.requests()
  await until(
    () => service.pages.requests(),
    (seen) => seen > checked + service.monitors,
  )
}

test(
  'a full disk under the tables: workers wait, the API answers 503, and all go on by themselves when there is ' +
    'room.',
  async (context) => {
    const disk = await smallDisk(context, 128)
    await using postgres = await startBreakablePostgres({ mount: disk.path, onMount: 'tables' })
    await using service = await openFaultService({ url: postgres.url })
    await using api = await openApi({ adminUrl: postgres.url })
    const worker = await service.worker()
    await service.underLoad(async () => {
      await service.rounds(1)
      await disk.fill()
      await until(
        () => refusals(worker),
        (times) => times > 0,
      )
      expect(worker.stdout).toMatch(/No space left on device/)
      const asked = Array.from({ length: 40 }, (_, n) => api.call('POST', '/v1/monitors', monitorOf(n)))
      const answers = await Promise.all(asked)
      expect(unexpected(answers, 201)).toEqual([])
      expect(answers.some(({ status }) => status === 503)).toBe(true)
      await disk.empty()
      await goesOn(service)
      expect((await api.call('POST', '/v1/monitors', monitorOf(40))).status).toBe(201)
    })
    await service.caughtUp()
    await judgeInvariants(service)
    worker.signal('SIGTERM')
    expect(await worker.exited).toBe(0)
  },
)

test(
  "a full disk under Postgres' log, of which it dies: workers outlive it, and go on when there is room and it is " +
    'started again.',
  async (context) => {
    const disk = await smallDisk(context, 96)
    await using postgres = await startBreakablePostgres({
      mount: disk.path,
      onMount: 'log',
      settings: { max_wal_size: '48MB', min_wal_size: '32MB', wal_recycle: 'off' },
    })
    await using service = await openFaultService({ url: postgres.url })
    const worker = await service.worker()
    await service.underLoad(async () => {
      await service.rounds(1)
      const goOnWriting = async () => {
        // A checkpoint frees room again.
        await disk.fill()
        // What was laid out before it was full would last for a while.
        await service.query('select pg_switch_wal()').catch(() => null)
      }
      await until(
        () => goOnWriting().then(() => postgres.hasEnded),
        (hasEnded) => hasEnded,
      )
      await until(
        () => refusals(worker),
        (times) => times > 0,
      )
      await disk.empty()
      await postgres.start()
      await goesOn(service)
    })
    await service.caughtUp()
    await judgeInvariants(service)
    worker.signal('SIGTERM')
    expect(await worker.exited).toBe(0)
  },
)

const monitorOf = (n: number) => ({
  name: `Monitor ${n}`,
  url: 'http://127.0.0.1:9/',
  schedule_interval_seconds: 86_400,
  extract_config: { method: 'css', fields: { version: '.version' } },
  diff_predicate: { type: 'any_field_changes' },
})
