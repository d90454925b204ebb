import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '../../../core/logger.ts'
import type { Task } from '../../../runners/check/task.ts'
import type { HttpLane } from '../../../runners/lane/http-lane.ts'
import { frameOutcome } from '../../../runners/lane/outcome-frame.ts'
import { OUTCOME_TYPE } from '../../../schema/lane.ts'
import { revokeRunnerTokens } from '../../../store/runner-tokens.ts'
import type { MonitorOptions } from '../../store/queue-world.ts'
import { eventually } from '../loop/eventually.ts'
import { openStoreProxy } from '../record/store-proxy.ts'
import { draw } from '../visual/drawings.ts'
import { type LaneWorld, openLaneWorld } from './lane-world.ts'

const VERBS = ['claim', 'heartbeat', 'complete', 'release'] as const
const MARK = { etag: null, last_modified: null, body_hash: null }
const VALUES = { kind: 'values', fetch_method: 'browser', mark: MARK, warnings: [] }

let lanes: LaneWorld
let team = ''
let job: { token: string; lane: HttpLane }
let png: Uint8Array
beforeAll(async () => {
  lanes = await openLaneWorld()
  team = await lanes.world.team()
  png = await draw()
})
beforeEach(async () => {
  const { token } = await lanes.token()
  job = { token, lane: await lanes.httpLane({ token }) }
})
afterEach(async () => {
  await lanes.world.setClock('0')
  await lanes.world.query('update checks set due_at = null, next_run_at = null, run_id = null')
})
afterAll(() => lanes[Symbol.asyncDispose]())

async function claimed(options: MonitorOptions & { visual?: object } = {}): Promise<Task> {
  const { visual, ...rest } = options
  const [no = 0] = await lanes.world.monitors(team, { queue: visual ? 'visual' : 'browser', ...rest })
  if (visual)
    await lanes.world.query('update monitors set visual_config = $2 where no = $1', [no, JSON.stringify(visual)])
  const task = (await job.lane.claim(10)).find((one) => one.no === no)
  if (!task) throw new Error('not claimed')
  return task
}

interface Answer {
  readonly status: number
  readonly code: string
  readonly paths: readonly string[]
}

async function post(verb: string, body: Buffer | string, headers: Record<string, string> = {}): Promise<Answer> {
  const type = verb === 'complete' ? OUTCOME_TYPE : 'application/json'
  const response = await fetch(`${lanes.laneUrl}/lane/${verb}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${job.token}`, 'content-type': type, ...headers },
    body: body as never,
  })
  const text = await response.text()
  if (response.ok) return { status: response.status, code: '', paths: [] }
  const { error } = JSON.parse(text) as { error: { code: string; details: { path: string }[]; requestId: string } }
  expect(error.requestId).toMatch(/./)
  return { status: response.status, code: error.code, paths: error.details.map(({ path }) => path) }
}

const outcome = (task: Task, more: object = {}) => ({
  no: task.no,
  fence: task.fence,
  started_ms: Math.round(task.claimedMs),
  ended_ms: Math.round(task.claimedMs),
  reading: VALUES,
  values: { price: '$1' },
  pictures: [] as number[],
  ...more,
})
const frame = (head: unknown, pictures: readonly Uint8Array[] = []) =>
  Buffer.concat(frameOutcome({ head: Buffer.from(JSON.stringify(head)), pictures }))

/** All that a verb could change. */
const state = () =>
  lanes.world.query(
    `select c.*, (select count(*) from runs r where r.monitor_no = c.no) as runs from checks c order by no`,
  )

describe('A token', () => {
  const none = {
    'is missing': async () => ({}),
    'is no token': async () => ({ authorization: 'Bearer svc_x' }),
    'is one of nobody': async () => ({ authorization: `Bearer tdr_${'a'.repeat(36)}` }),
    'has a letter wrong': async () => ({ authorization: `Bearer ${job.token.slice(0, -1)}!` }),
    'has ended': async () => {
      const { token } = await lanes.token('short', 5)
      await lanes.world.setClock('6 seconds')
      return { authorization: `Bearer ${token}` }
    },
    'is revoked': async () => {
      const { token } = await lanes.token('revoked')
      expect(await revokeRunnerTokens(lanes.world.store, 'revoked')).toBe(1)
      expect(await revokeRunnerTokens(lanes.world.store, 'revoked')).toBe(0)
      return { authorization: `Bearer ${token}` }
    },
  }
  test.each(Object.entries(none))('that %s is refused by every verb, before its body is read.', async (_, given) => {
    const task = await claimed()
    const { authorization = '' } = (await given()) as { authorization?: string }
    const before = await state()
    for (const verb of VERBS)
      expect(await post(verb, frame(outcome(task)), { authorization })).toMatchObject({
        status: 401,
        code: 'UNAUTHORIZED',
      })
    expect(await state()).toEqual(before)
  })

  test('that ended says so to its runner once; what it held goes to another when the lease ends, as from a dead worker.', async () => {
    const { token } = await lanes.token('dying')
    const refusals: number[] = []
    const dying = await lanes.httpLane({ token, onRefused: ({ status }) => void refusals.push(status) })
    const [no] = await lanes.world.monitors(team, { queue: 'browser' })
    const [task] = await dying.claim(1)
    expect(task?.no).toBe(no)
    expect(dying.tokenMs()).toBeGreaterThan(890_000)
    await revokeRunnerTokens(lanes.world.store, 'dying')
    await expect(dying.heartbeat([])).rejects.toMatchObject({ status: 401 })
    await expect(dying.release(task ? [task] : [], 0)).rejects.toMatchObject({ status: 401 })
    expect(refusals).toEqual([401])
    expect(await job.lane.claim(1)).toEqual([])
    await lanes.world.setClock('61 seconds')
    expect((await job.lane.claim(1)).map(({ runId }) => runId)).toEqual([task?.runId])
  })

  test('touches only what was claimed with it, though the number and the fence be right.', async () => {
    const task = await claimed()
    const other = await lanes.httpLane()
    const before = await state()
    expect(await other.heartbeat([task])).toEqual(new Set())
    await other.release([task], 0)
    job = { ...job, token: (await lanes.token('another-job')).token }
    expect(await post('complete', frame(outcome(task)))).toMatchObject({ status: 409, code: 'CONFLICT' })
    expect(await state()).toEqual(before)
  })

  test('touches nothing that a worker claimed for itself, and nothing that was edited since.', async () => {
    await lanes.world.monitors(team, { queue: 'browser' })
    const [inProcess] = await lanes.postgresLane().claim(1)
    const edited = await claimed()
    await lanes.world.query('update checks set fence = fence + 1, holder = null where no = $1', [edited.no])
    const before = await state()
    for (const task of [inProcess, { ...edited, fence: edited.fence + 1 }]) {
      if (!task) throw new Error('nothing was claimed')
      expect(await job.lane.heartbeat([task])).toEqual(new Set())
      await job.lane.release([task], 0)
      expect((await post('complete', frame(outcome(task)))).status).toBe(409)
    }
    expect(await state()).toEqual(before)
  })

  test('is never logged.', () => {
    const lines: string[] = []
    const log = createLogger('info', { write: (line) => void lines.push(line) })
    log.info({ headers: { authorization: `Bearer ${job.token}` }, x: job.token }, `the token is ${job.token}`)
    expect(lines.join('')).not.toContain(job.token.slice(4))
    expect(lanes.log.join('')).not.toContain('tdr_0')
    expect(lanes.log.join('')).not.toContain(job.token)
  })
})

describe('An outcome', () => {
  const VISUAL = { enabled: true, regions: [{ selector: '.a' }, { selector: '.b' }] }
  const shots = (places: unknown) => ({ reading: { ...VALUES, shots: places } })
  const lies: Record<string, [object, string, MonitorOptions & { visual?: object; pictures?: number }]> = {
    'names a field that the monitor has not': [{ values: { prize: '$1' } }, 'values.prize', {}],
    'has values that are none': [{ values: ['$1'] }, 'values', {}],
    'has no values': [{ values: undefined }, 'values', {}],
    'has values with a failure': [
      { reading: { kind: 'failed', fault: { code: 'timeout', message: 'Late.' }, retry_after_ms: 0 } },
      'values',
      {},
    ],
    'has a fault that does not exist': [
      {
        reading: { kind: 'failed', fault: { code: 'bad_luck', message: 'x' }, retry_after_ms: 0 },
        values: undefined,
      },
      'reading.fault.code',
      {},
    ],
    'is unchanged from nothing': [
      { reading: { kind: 'unchanged', fetch_method: 'browser', mark: MARK }, values: undefined },
      'reading.kind',
      {},
    ],
    'remembers a layer that was never chosen': [{ reading: { ...VALUES, remember: 'static' } }, 'reading.remember', {}],
    'answers what the model was to be asked': [
      {},
      'reading.kind',
      { extract: { method: 'prompt', prompt: 'How much is it?' } },
    ],
    'brings text where none is asked for': [
      { reading: { ...VALUES, kind: 'text', text: 'x' }, values: undefined },
      'reading.kind',
      {},
    ],
    'comes through a proxy': [{ reading: { ...VALUES, fetch_method: 'proxy' } }, 'reading.fetch_method', {}],
    'moves pictures to a layer without eyes': [
      { reading: { kind: 'moved', queue: 'browser', why: 'x' }, values: undefined },
      'reading.queue',
      { visual: VISUAL },
    ],
    'has a key of the runner`s own': [{ team_id: 'x' }, 'team_id', {}],
    'shows a picture that does not exist': [shots([0, 7]), 'reading.shots[1]', { visual: VISUAL, pictures: 1 }],
    'shows a picture twice': [shots([0, 0]), 'reading.shots[1]', { visual: VISUAL, pictures: 1 }],
    'shows no picture that it brings': [shots([0, null]), 'pictures[1]', { visual: VISUAL, pictures: 2 }],
    'has a shot too few': [shots([0]), 'reading.shots', { visual: VISUAL, pictures: 1 }],
    'has no shots': [{}, 'reading.shots', { visual: VISUAL }],
    'has shots that nobody asked for': [shots([0]), 'reading.shots', { pictures: 1 }],
  }
  test.each(Object.entries(lies))('that %s is refused with the path, and changes nothing.', async (_, lie) => {
    const [more, path, { pictures: count = 0, ...options }] = lie
    const task = await claimed(options)
    const before = await state()
    const pictures = Array.from({ length: count }, () => png)
    const answer = await post(
      'complete',
      frame(outcome(task, { pictures: pictures.map(({ length }) => length), ...more }), pictures),
    )
    expect(answer).toMatchObject({ status: 422, code: 'VALIDATION_ERROR' })
    expect(answer.paths).toContain(path)
    expect(await state()).toEqual(before)
  })

  test('whose picture is none is refused.', async () => {
    const task = await claimed({ visual: { enabled: true } })
    const fake = Buffer.from('GIF89a and what follows it, for more than a few bytes')
    const head = outcome(task, { ...shots([0]), pictures: [fake.length] })
    expect((await post('complete', frame(head, [fake]))).paths).toEqual(['pictures[0]'])
  })

  const whole = () => claimed().then((task) => frame(outcome(task)))
  const broken: Record<string, [() => Promise<Buffer | string>, number]> = {
    'is empty': [async () => Buffer.alloc(0), 422],
    'is too short for a length': [async () => Buffer.from([0, 0]), 422],
    'is cut off': [async () => (await whole()).subarray(0, -5), 422],
    'goes on too long': [async () => Buffer.concat([await whole(), Buffer.from('more')]), 422],
    'says that it is 4 GiB long': [async () => Buffer.from([255, 255, 255, 255, 123]), 422],
    'is no JSON': [async () => Buffer.concat(frameOutcome({ head: Buffer.from('{'), pictures: [] })), 422],
    'is no UTF-8': [async () => Buffer.concat(frameOutcome({ head: Buffer.from([0x22, 0xff]), pictures: [] })), 422],
    'is a list': [async () => frame([]), 422],
    'is nested deeper than a stack': [
      async () => Buffer.concat(frameOutcome({ head: Buffer.from('['.repeat(500_000)), pictures: [] })),
      422,
    ],
    'has values nested deeper than a stack': [
      async () => {
        const head = JSON.stringify(outcome(await claimed(), { values: { price: 0 } }))
        const deep = head.replace('"price":0', `"price":${'['.repeat(300_000)}${']'.repeat(300_000)}`)
        return Buffer.concat(frameOutcome({ head: Buffer.from(deep), pictures: [] }))
      },
      422,
    ],
    'is larger than any may be': [async () => Buffer.alloc(67 * 1024 * 1024), 413],
  }
  test.each(Object.entries(broken))('that %s is refused.', async (_, [body, status]) => {
    const sent = await body()
    const before = await state()
    expect((await post('complete', sent)).status).toBe(status)
    expect(await state()).toEqual(before)
  })

  test('of another type is refused, and so is JSON that is too large, and an address or method that is none.', async () => {
    const task = await claimed()
    expect((await post('complete', frame(outcome(task)), { 'content-type': 'application/json' })).status).toBe(422)
    expect((await post('complete', JSON.stringify({}), { 'content-type': 'application/json' })).status).toBe(415)
    expect((await post('claim', '{}', { 'content-type': OUTCOME_TYPE })).status).toBe(415)
    expect((await post('claim', '{}', { 'content-type': 'text/html' })).status).toBe(415)
    expect((await post('heartbeat', `{"checks":[${' '.repeat(70_000)}]}`)).status).toBe(413)
    expect((await post('steal', '{}')).status).toBe(404)
    expect((await fetch(`${lanes.laneUrl}/lane/claim`)).status).toBe(404)
  })

  test('whose sender goes away in the middle harms nobody.', async () => {
    const { port, hostname } = new URL(lanes.laneUrl)
    const socket = connect(Number(port), hostname)
    const head = `POST /lane/complete HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${job.token}\r\ncontent-type: ${OUTCOME_TYPE}\r\ncontent-length: 1000\r\n\r\n1234`
    socket.write(head, () => socket.destroy())
    await once(socket, 'close')
    expect(await job.lane.heartbeat([])).toEqual(new Set())
  })

  test('is not given a time before its run or in the future.', async () => {
    const task = await claimed()
    expect((await post('complete', frame(outcome(task, { started_ms: 5, ended_ms: 2 ** 47 })))).status).toBe(204)
    const [run] = await lanes.world.runs(task.no)
    expect(run?.start_offset_ms).toBe(0)
    expect(run?.duration_ms).toBeLessThan(60_000)
  })

  test('is cut to what a run keeps, whatever its runner says.', async () => {
    const task = await claimed()
    expect((await post('complete', frame(outcome(task, { values: { price: 'x'.repeat(200_000) } })))).status).toBe(204)
    const [run] = await lanes.world.runs(task.no)
    expect(String(run?.extracted?.['price'])).toMatch(/truncated sha256/)
    expect(String(run?.extracted?.['price']).length).toBeLessThan(70_000)
  })

  test('that the lane will not have fails its run, which says so, instead of being made again and again.', async () => {
    const task = await claimed()
    const mark = { etag: null, lastModified: null, bodyHash: null }
    const reading = { kind: 'values', fetchMethod: 'browser', mark, values: { nobody: 'x' }, warnings: [] } as const
    const at = Math.round(task.claimedMs)
    await job.lane.complete({ task, reading, startedMs: at, endedMs: at })
    expect(await lanes.world.runs(task.no)).toMatchObject([{ status: 'error', error_code: 'internal' }])
  })

  test('whose pictures are too large together fails its run, which says what to do.', async () => {
    const regions = Array.from({ length: 6 }, (_, index) => ({ selector: `.a${index}` }))
    const task = await claimed({ visual: { enabled: true, regions } })
    const mark = { etag: null, lastModified: null, bodyHash: null }
    const large = Buffer.alloc(14 * 1024 * 1024)
    const shown = regions.map((_, index) => ({ region: `region-${index + 1}`, width: 1, height: 1, png: large }))
    const values = { price: '$1' }
    const reading = { kind: 'values', fetchMethod: 'browser', mark, values, warnings: [], shots: shown } as const
    const at = Math.round(task.claimedMs)
    await job.lane.complete({ task, reading, startedMs: at, endedMs: at })
    expect(await lanes.world.runs(task.no)).toMatchObject([
      { error_code: 'too_large', error_message: expect.stringContaining('fewer regions') },
    ])
  })

  test('whose answer was lost on its way is sent again, and is one run.', async () => {
    await using way = await openStoreProxy(lanes.laneUrl)
    job = { ...job, lane: await lanes.httpLane({ token: job.token, url: way.url }) }
    const task = await claimed()
    way.swallowAnswerTo('/lane/complete')
    const mark = { etag: null, lastModified: null, bodyHash: null }
    const reading = { kind: 'values', fetchMethod: 'browser', mark, values: { price: '$1' }, warnings: [] } as const
    await job.lane.complete({ task, reading, startedMs: 0, endedMs: 0 })
    expect(way.swallowed).toBeGreaterThan(0)
    expect(await lanes.world.runs(task.no)).toHaveLength(1)
    expect((await lanes.world.check(task.no)).runs_total).toBe(1)
  })

  test('waits when too many are under way, and is taken over then.', async () => {
    const small = await lanes.serve({ budgetBytes: 3_000 })
    job = { ...job, lane: await lanes.httpLane({ token: job.token, url: small.url }) }
    const { port, hostname } = new URL(small.url)
    const slow = connect(Number(port), hostname)
    const head = `POST /lane/complete HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${job.token}\r\ncontent-type: ${OUTCOME_TYPE}\r\ncontent-length: 2900\r\n\r\n1234`
    slow.write(head)
    const task = await claimed()
    const mark = { etag: null, lastModified: null, bodyHash: null }
    const reading = { kind: 'values', fetchMethod: 'browser', mark, values: { price: '$1' }, warnings: [] } as const
    const logged = lanes.log.length
    const done = job.lane.complete({ task, reading, startedMs: 0, endedMs: 0 })
    await eventually(
      () => lanes.log.slice(logged),
      (lines) => lines.some((line) => line.includes('Too many outcomes')),
    )
    expect(await lanes.world.runs(task.no)).toEqual([])
    slow.destroy()
    await done
    expect(await lanes.world.runs(task.no)).toHaveLength(1)
  })

  test('whose model is asked by a worker that stops is asked for elsewhere, and recorded once.', async () => {
    lanes.model.says(() => {})
    const stopping = await lanes.serve()
    const lane = await lanes.httpLane({ token: job.token, url: stopping.url })
    const task = await claimed({ extract: { method: 'prompt', prompt: 'How much is it?' } })
    const mark = { etag: null, lastModified: null, bodyHash: null }
    const reading = { kind: 'text', fetchMethod: 'browser', mark, text: 'A page of a stopping worker', warnings: [] }
    const finished = { task, reading: reading as never, startedMs: 0, endedMs: 0 }
    const asked = lanes.model.questions.length
    const lost = new AbortController()
    const done = lane.complete(finished, lost.signal)
    await eventually(
      () => lanes.model.questions.length,
      (count) => count > asked,
    )
    await stopping.close()
    expect(await lanes.world.runs(task.no)).toEqual([])
    lost.abort()
    await done
    lanes.model.says('$7')
    await job.lane.complete(finished)
    expect(await lanes.world.runs(task.no)).toMatchObject([{ extracted: { result: '$7' } }])
  })
})

describe('Garbage', () => {
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)),
    fc.json({ maxDepth: 4 }),
    fc.constantFrom(
      '',
      'null',
      '{}',
      '{"limit":1e999}',
      '{"limit":0}',
      '{"checks":[{"no":1e300,"fence":-1}]}',
      '"\\ud800"',
    ),
    fc.constantFrom('{"__proto__":{"limit":1}}', `{"checks":${'['.repeat(5_000)}`, '{"checks":[{}],"delay_ms":"0"}'),
  )
  const types = ['application/json', OUTCOME_TYPE, 'text/plain', 'application/json; charset=utf-16', '']

  test('is refused by each verb, never answered as a fault of ours, and changes nothing.', async () => {
    await claimed()
    const before = await state()
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...VERBS), noise, fc.constantFrom(...types), async (verb, body, type) => {
        const { status } = await post(verb, body, { 'content-type': type })
        expect(status).toBeGreaterThanOrEqual(400)
        expect(status).toBeLessThan(500)
      }),
      { numRuns: 300 },
    )
    expect(await state()).toEqual(before)
  }, 60_000)

  test('in the place of one part of an outcome is refused, and changes nothing.', async () => {
    const task = await claimed({ visual: { enabled: true } })
    const before = await state()
    const good = outcome(task, { reading: { ...VALUES, shots: [0] }, pictures: [png.length] })
    const places = Object.keys(good) as (keyof typeof good)[]
    const inside = Object.keys(good.reading)
    const bad = fc.oneof(fc.constantFrom(null, -1, 0.5, 2 ** 60, '', 'x', true, [], {}, [null], [[0]]), fc.jsonValue())
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...places, ...inside.map((key) => `reading.${key}`)),
        bad,
        async (place, value) => {
          const [key = '', inner] = place.split('.')
          const was = inner === undefined ? good[key as keyof typeof good] : good.reading[inner as 'kind']
          fc.pre(JSON.stringify(was) !== JSON.stringify(value))
          // Values that the monitor may have, times and warnings that a runner may tell.
          fc.pre(!['values', 'started_ms', 'ended_ms', 'reading.warnings', 'reading.mark'].includes(place))
          const head =
            inner === undefined ? { ...good, [key]: value } : { ...good, reading: { ...good.reading, [inner]: value } }
          const { status } = await post('complete', frame(head, [png]))
          expect([place, value, status >= 400 && status < 500]).toEqual([place, value, true])
        },
      ),
      { numRuns: 300 },
    )
    expect(await state()).toEqual(before)
    expect((await post('complete', frame(good, [png]))).status).toBe(204)
  }, 60_000)
})
