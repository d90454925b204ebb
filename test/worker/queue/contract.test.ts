import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Finished, CheckSource } from '../../../runners/check/check-source.ts'
import type { Reading } from '../../../runners/check/reading.ts'
import type { Task } from '../../../runners/check/task.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import {
  endLeases,
  raiseFence,
  rememberAnswer,
  stopChecks,
  tryStaticAgain,
} from '../../support/database/check-states.ts'
import type { MonitorOptions } from '../../support/database/queue-database.ts'
import { eventually } from '../../support/run/eventually.ts'
import { draw } from '../pictures/drawings.ts'
import { type TrustedSide, openTrustedSide } from './trusted-side.ts'

const LEASE_MS = 3_000
const MARK = { etag: '"e1"', lastModified: null, bodyHash: Buffer.alloc(16, 7) }
const TWO_REGIONS = { enabled: true, regions: [{ selector: '.a' }, { selector: '.b', label: 'Price' }] }

const values = (price: string, more: object = {}): Finished['reading'] => ({
  kind: 'values',
  fetchMethod: 'browser',
  mark: MARK,
  values: { price },
  warnings: [],
  ...more,
})
const finished = (task: Task, reading: Finished['reading'], ms = 0): Finished => ({
  task,
  reading,
  startedMs: Math.round(task.claimedMs),
  endedMs: Math.round(task.claimedMs) + ms,
})

const KINDS = {
  'in process': async (trusted: TrustedSide) => trusted.postgresCheckSource(),
  'over HTTP': (trusted: TrustedSide) => trusted.httpCheckSource(),
}

for (const [kind, open] of Object.entries(KINDS))
  describe(`the check source ${kind}`, () => {
    let trusted: TrustedSide
    let source: CheckSource
    let team = ''
    beforeAll(async () => {
      trusted = await openTrustedSide(LEASE_MS)
      source = await open(trusted)
      team = await trusted.database.team()
    })
    afterEach(async () => {
      trusted.proxy.mend()
      await trusted.database.setClock('0')
      await stopChecks(trusted.database, 'all')
    })
    afterAll(() => trusted[Symbol.asyncDispose]())

    async function monitor(options: MonitorOptions & { visual?: object; model?: boolean } = {}): Promise<number> {
      const { visual, ...rest } = options
      const queue = visual ? 'visual' : 'browser'
      const [no = 0] = await trusted.database.monitors(team, { queue, ...rest })
      if (visual) await changeMonitors(trusted.database, no, { visualConfig: visual })
      return no
    }
    async function claimed(no: number): Promise<Task> {
      const task = (await source.claim(10)).find((one) => one.no === no)
      if (!task) throw new Error(`the check ${no} was not claimed`)
      return task
    }
    /** Due, claimed, ended with this, and the last run of it. */
    async function ended(no: number, reading: Finished['reading']) {
      await endLeases(trusted.database, no)
      const task = await claimed(no)
      await source.complete(finished(task, reading))
      const run = (await trusted.database.runs(no)).at(-1)
      expect(run?.id).toBe(task.runId)
      return { ...run, task }
    }
    const moved = (seconds: number) => trusted.database.setClock(`${seconds} seconds`)

    test('gives out what is rendered, most overdue first, no more than asked for, and nothing twice', async () => {
      await trusted.database.monitors(team, { count: 2 })
      const late = await monitor({ dueSeconds: 900 })
      const nos = [late, await monitor({ dueSeconds: 500 }), await monitor({ dueSeconds: 100 })]
      const first = await source.claim(2)
      const second = await source.claim(10)
      expect(first.map(({ no }) => no)).toEqual(nos.slice(0, 2))
      expect(second.map(({ no }) => no)).toEqual(nos.slice(2))
      expect(await source.claim(10)).toEqual([])
    })

    test('takes its queues in turn, so that one that is always full does not starve the other', async () => {
      const many = await trusted.database.monitors(team, { queue: 'browser', count: 30 })
      const no = await monitor({ visual: { enabled: true } })
      const taken = [...(await source.claim(5)), ...(await source.claim(5))].map((task) => task.no)
      expect(taken).toContain(no)
      expect(taken.some((one) => many.includes(one))).toBe(true)
    })

    test(
      'tells of a check all that it takes to do it, and of its team nothing, or whose turn it is where that stays ' +
        'in the process.',
      async () => {
        const no = await monitor({
          url: 'https://example.com:8443/a?b',
          headers: { 'X-Key': 'k' },
          visual: TWO_REGIONS,
        })
        await rememberAnswer(trusted.database, no, {
          etag: '"e"',
          bodyHash: Buffer.from('00112233445566778899aabbccddeeff', 'hex'),
        })
        const before = performance.now()
        const { team: turn, teamKey, ...task } = await claimed(no)
        expect(turn).toBe(kind === 'in process' ? team : undefined)
        // What stands for the team elsewhere does not tell its id.
        expect(teamKey).toEqual(kind === 'in process' ? team : expect.stringMatching(/^[0-9a-f]{32}$/))
        expect(task).toEqual({
          kind: 'page',
          no,
          fence: 1,
          runId: expect.stringMatching(/^[0-9a-f-]{36}$/),
          monitorId: expect.stringMatching(/^[0-9a-f-]{36}$/),
          queue: 'visual',
          url: 'https://example.com:8443/a?b',
          host: 'https://example.com:8443',
          extract: { method: 'css', fields: { price: '.price' } },
          request: null,
          visual: TWO_REGIONS,
          headers: { 'X-Key': 'k' },
          obstacle: null,
          triesStatic: false,
          reason: 'configured',
          last: { etag: '"e"', lastModified: null, bodyHash: Buffer.from('00112233445566778899aabbccddeeff', 'hex') },
          dueMs: expect.any(Number),
          claimedMs: expect.any(Number),
          claimedAt: expect.any(Number),
        })
        expect(task.claimedAt).toBeGreaterThanOrEqual(before)
        expect(JSON.stringify(task)).not.toContain(team)
      },
    )

    test('extends leases, and answers those that it still has', async () => {
      const [kept, gone] = [await monitor(), await monitor()]
      const tasks = await source.claim(10)
      await moved(2)
      expect(await source.heartbeat(tasks)).toEqual(new Set([kept, gone]))
      await raiseFence(trusted.database, gone)
      await moved(4)
      const { due_ms: before } = await trusted.database.check(kept)
      expect(await source.heartbeat(tasks)).toEqual(new Set([kept]))
      const check = await trusted.database.check(kept)
      // The lease that it was claimed with has ended, and the first heartbeat's is not the last.
      expect((check.due_ms ?? 0) - check.now_ms).toBeGreaterThan(0)
      expect((check.due_ms ?? 0) - (before ?? 0)).toBeGreaterThan(1_500)
      expect(await source.heartbeat([])).toEqual(new Set())
    })

    test('lets an unextended lease go to somebody else, and who had it changes nothing any more', async () => {
      const no = await monitor()
      const old = await claimed(no)
      await moved(4)
      const another = await (await KINDS[kind as keyof typeof KINDS](trusted)).claim(10)
      expect(another.map(({ runId, fence }) => [runId, fence])).toEqual([[old.runId, old.fence + 1]])
      const before = await trusted.database.check(no)
      expect(await source.heartbeat([old])).toEqual(new Set())
      await source.release([old], 0)
      await source.complete(finished(old, values('$1')))
      await source.complete(finished(old, { kind: 'moved', queue: 'browser', reason: 'refused' }))
      expect({ ...(await trusted.database.check(no)), now_ms: 0 }).toEqual({ ...before, now_ms: 0 })
      expect(await trusted.database.runs(no)).toEqual([])
    })

    test('records values, then what is unchanged, then a change; an outcome that comes twice is one run', async () => {
      const no = await monitor()
      const { task } = await ended(no, values('$1'))
      await source.complete(finished(task, values('$9')))
      expect(await trusted.database.check(no)).toMatchObject({ etag: '"e1"', runs_total: 1 })
      const same = await ended(no, { kind: 'unchanged', fetchMethod: 'browser', mark: MARK })
      expect(same.task).toMatchObject({ last: MARK })
      expect(same).toMatchObject({ status: 'success', reading_id: task.runId })
      const changed = await ended(no, values('$2', { warnings: ['Something was cut.'] }))
      expect(changed).toMatchObject({ diff: { fields_changed: ['price'] }, warnings: ['Something was cut.'] })
      expect(await trusted.database.runs(no)).toHaveLength(3)
    })

    test('keeps the time that a check took', async () => {
      const no = await monitor()
      const task = await claimed(no)
      await moved(2)
      await source.complete(finished(task, values('$1'), 1_234))
      expect(await trusted.database.runs(no)).toMatchObject([{ duration_ms: 1_234 }])
    })

    test('records a failure with its reason', async () => {
      const no = await monitor()
      const fault = { code: 'blocked', message: 'The site answered with status 403.' } as const
      const run = await ended(no, { kind: 'failed', fetchMethod: 'browser', fault, retryAfterMs: 0, status: 403 })
      expect(run).toMatchObject({ status: 'error', error_code: 'blocked', error_message: fault.message })
      expect((await trusted.database.check(no)).failures).toBe(1)
    })

    test('keeps what a page may hold and JSON may not, as the store can', async () => {
      const no = await monitor()
      const run = await ended(no, values('a\0b\ud800c \\u0000'))
      expect(run.extracted).toEqual({ price: 'a\ufffdb\ufffdc \\u0000' })
    })

    test('records pictures of regions, one that was not found too, and what changed in them', async () => {
      const no = await monitor({ visual: TWO_REGIONS })
      const [one, other] = await Promise.all([draw({ price: '1' }), draw({ price: '2' })])
      const shots = (png: Uint8Array) => [
        { region: 'region-1', width: 400, height: 300, png },
        { region: 'Price', width: 0, height: 0, png: null },
      ]
      const first = await ended(no, values('$1', { shots: shots(one) }))
      expect(first).toMatchObject({ status: 'success', warnings: [expect.stringContaining('"Price" was not found')] })
      await ended(no, values('$1', { shots: shots(other) }))
      const seen = await trusted.database.query<{ has_changes: boolean; regions: { label: string }[] }>(
        'select has_changes, regions from run_images where monitor_no = $1 order by run_id',
        [no],
      )
      expect(seen).toMatchObject([
        { has_changes: false, regions: [{ label: 'region-1' }, { label: 'Price' }] },
        { has_changes: true, regions: [{ label: 'region-1' }, { label: 'Price' }] },
      ])
    })

    test('hands the run over to the queue of another layer, due at once', async () => {
      const no = await monitor()
      const task = await claimed(no)
      await source.complete(finished(task, { kind: 'moved', queue: 'browser', reason: 'needs_scripts' }))
      const again = await claimed(no)
      expect(again).toMatchObject({ runId: task.runId, queue: 'browser', fence: task.fence + 2 })
      expect(await trusted.database.runs(no)).toEqual([])
    })

    test('remembers the layer that a page turned out to need', async () => {
      const no = await monitor()
      await tryStaticAgain(trusted.database, no)
      const { task } = await ended(no, values('$1', { remember: 'static' }))
      expect(task).toMatchObject({ triesStatic: true })
      expect(await trusted.database.check(no)).toMatchObject({ queue: 'static' })
    })

    describe('takes text to the model', () => {
      const text = (page: string): Reading & { kind: 'text' } => {
        return { kind: 'text', text: page, fetchMethod: 'browser', mark: MARK, warnings: [] }
      }
      const prompt = () => monitor({ extract: { method: 'prompt', prompt: 'What does it cost?' } })

      test('and records its answer, whatever the page contains', async () => {
        trusted.model.says('It costs $5')
        expect(await ended(await prompt(), text('The kettle\0 costs \ud800 $5'))).toMatchObject({
          extracted: { result: 'It costs $5' },
        })
      })

      test('and records nothing when the check is lost before it answers', async () => {
        trusted.model.says(() => {})
        const no = await prompt()
        const task = await claimed(no)
        const lost = new AbortController()
        const asked = trusted.model.questions.length
        const done = source.complete(finished(task, text('A page that is asked about for long')), lost.signal)
        await eventually(
          () => trusted.model.questions.length,
          (count) => count > asked,
        )
        const from = performance.now()
        lost.abort()
        await done
        await eventually(
          () => trusted.model.load.now,
          (now) => now === 0,
        )
        // Not when the model's own time was over, which is half a minute.
        expect(performance.now() - from).toBeLessThan(20_000)
        expect(await trusted.database.runs(no)).toEqual([])
        expect((await trusted.database.check(no)).run_id).toBe(task.runId)
      })
    })

    test('gives checks back, due after the delay', async () => {
      const no = await monitor()
      const task = await claimed(no)
      await source.release([task], 2_000)
      const check = await trusted.database.check(no)
      expect(check.fence).toBe(task.fence + 1)
      expect((check.due_ms ?? 0) - check.now_ms).toBeGreaterThan(1_000)
      await moved(3)
      expect((await claimed(no)).runId).toBe(task.runId)
    })

    test('rejects a claim while the store is away, and records what ended then when it is back', async () => {
      const no = await monitor()
      const task = await claimed(no)
      trusted.proxy.cut()
      await expect(source.claim(1)).rejects.toBeInstanceOf(Error)
      await expect(source.heartbeat([task])).rejects.toBeInstanceOf(Error)
      const done = source.complete(finished(task, values('$3')))
      await eventually(
        () => trusted.log,
        (lines) => lines.some((line) => /(the store|the runner API) is away/.test(line)),
      )
      trusted.proxy.mend()
      await done
      expect(await trusted.database.runs(no)).toMatchObject([{ id: task.runId, extracted: { price: '$3' } }])
    })
  })
