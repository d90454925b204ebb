import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { frameOutcome } from '../../../runners/client/outcome-frame.ts'
import { OUTCOME_TYPE, RUNNER_API_HEADER } from '../../../schema/runner-api.ts'
import { openTcpProxy } from '../../support/network/tcp-proxy.ts'
import { eventually } from '../../support/run/eventually.ts'
import { type Asker, frame, MARK, openAsker, outcome, VALUES, VERBS, type Watched } from './asker.ts'

let asker: Asker
beforeAll(async () => {
  asker = await openAsker()
})
beforeEach(() => asker.newJob())
afterEach(() => asker.reset())
afterAll(() => asker[Symbol.asyncDispose]())

describe('a version of the runner API', () => {
  test.each(['2', '0', '1.0', 'one', ''])('that the worker does not speak is refused: %j', async (version) => {
    const task = await asker.claimed()
    const before = await asker.state()
    for (const verb of VERBS)
      expect(await asker.post(verb, frame(outcome(task)), { [RUNNER_API_HEADER]: version })).toEqual({
        status: 422,
        code: 'VALIDATION_ERROR',
        paths: [RUNNER_API_HEADER],
      })
    expect(await asker.state()).toEqual(before)
  })

  test('need not be named: runners of the first one did not', async () => {
    expect((await asker.post('heartbeat', '{"checks":[]}')).status).toBe(200)
    expect((await asker.post('heartbeat', '{"checks":[]}', { [RUNNER_API_HEADER]: '1' })).status).toBe(200)
  })

  test('is explained to a runner that starts with another one', async () => {
    const other = createServer((_request, response) => {
      response.writeHead(422, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: 'This worker speaks version 2 of the runner API.' } }))
    })
    other.listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const source = await asker.runnerApi.httpCheckSource({ url: `http://127.0.0.1:${port}` })
    await expect(source.greet()).rejects.toMatchObject({
      status: 422,
      isPassing: false,
      message: 'This worker speaks version 2 of the runner API.',
    })
    other.close()
  })
})

describe('an outcome', () => {
  const VISUAL = { enabled: true, regions: [{ selector: '.a' }, { selector: '.b' }] }
  const shots = (places: unknown) => ({ reading: { ...VALUES, shots: places } })
  const lies: Record<string, [object, string, Watched & { pictures?: number }]> = {
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
    'comes from a layer that was not to be tried': [
      { reading: { ...VALUES, fetch_method: 'static' } },
      'reading.fetch_method',
      {},
    ],
    'failed at a layer that was not to be tried': [
      {
        reading: {
          kind: 'failed',
          fetch_method: 'static',
          fault: { code: 'timeout', message: 'Late.' },
          retry_after_ms: 0,
        },
        values: undefined,
      },
      'reading.fetch_method',
      {},
    ],
    'comes through a proxy': [{ reading: { ...VALUES, fetch_method: 'proxy' } }, 'reading.fetch_method', {}],
    'moves pictures to a layer without eyes': [
      { reading: { kind: 'moved', queue: 'browser', reason: 'refused' }, values: undefined },
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
  test.each(Object.entries(lies))('that %s is refused with the path, and changes nothing', async (_, lie) => {
    const [more, path, { pictures: count = 0, ...options }] = lie
    const task = await asker.claimed(options)
    const before = await asker.state()
    const pictures = Array.from({ length: count }, () => asker.png)
    const answer = await asker.post(
      'complete',
      frame(outcome(task, { pictures: pictures.map(({ length }) => length), ...more }), pictures),
    )
    expect(answer).toMatchObject({ status: 422, code: 'VALIDATION_ERROR' })
    expect(answer.paths).toContain(path)
    expect(await asker.state()).toEqual(before)
  })

  test('whose picture is none is refused', async () => {
    const task = await asker.claimed({ visual: { enabled: true } })
    const fake = Buffer.from('GIF89a and what follows it, for more than a few bytes')
    const head = outcome(task, { ...shots([0]), pictures: [fake.length] })
    expect((await asker.post('complete', frame(head, [fake]))).paths).toEqual(['pictures[0]'])
  })

  const whole = () => asker.claimed().then((task) => frame(outcome(task)))
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
        const head = JSON.stringify(outcome(await asker.claimed(), { values: { price: 0 } }))
        const deep = head.replace('"price":0', `"price":${'['.repeat(300_000)}${']'.repeat(300_000)}`)
        return Buffer.concat(frameOutcome({ head: Buffer.from(deep), pictures: [] }))
      },
      422,
    ],
    'is larger than any may be': [async () => Buffer.alloc(67 * 1024 * 1024), 413],
  }
  test.each(Object.entries(broken))('that %s is refused', async (_, [body, status]) => {
    const sent = await body()
    const before = await asker.state()
    expect((await asker.post('complete', sent)).status).toBe(status)
    expect(await asker.state()).toEqual(before)
  })

  test('of another type is refused, and so are too large JSON and an invalid address or method', async () => {
    const task = await asker.claimed()
    expect((await asker.post('complete', frame(outcome(task)), { 'content-type': 'application/json' })).status).toBe(
      422,
    )
    expect((await asker.post('complete', JSON.stringify({}), { 'content-type': 'application/json' })).status).toBe(415)
    expect((await asker.post('claim', '{}', { 'content-type': OUTCOME_TYPE })).status).toBe(415)
    expect((await asker.post('claim', '{}', { 'content-type': 'text/html' })).status).toBe(415)
    expect((await asker.post('heartbeat', `{"checks":[${' '.repeat(70_000)}]}`)).status).toBe(413)
    expect((await asker.post('steal', '{}')).status).toBe(404)
    expect((await fetch(`${asker.runnerApi.runnerApiUrl}/runner/claim`)).status).toBe(404)
  })

  test('whose sender goes away in the middle harms nobody', async () => {
    const { port, hostname } = new URL(asker.runnerApi.runnerApiUrl)
    const socket = connect(Number(port), hostname)
    const head =
      `POST /runner/complete HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${asker.job.token}\r\ncontent-type: ` +
      `${OUTCOME_TYPE}\r\ncontent-length: 1000\r\n\r\n1234`
    socket.write(head, () => socket.destroy())
    await once(socket, 'close')
    expect(await asker.job.source.heartbeat([])).toEqual(new Set())
  })

  test('is not given a time before its run or in the future', async () => {
    const task = await asker.claimed()
    expect((await asker.post('complete', frame(outcome(task, { started_ms: 5, ended_ms: 2 ** 47 })))).status).toBe(204)
    const [run] = await asker.runnerApi.database.runs(task.no)
    expect(run?.start_offset_ms).toBe(0)
    expect(run?.duration_ms).toBeLessThan(60_000)
  })

  test('is cut to what a run keeps, whatever its runner says', async () => {
    const task = await asker.claimed()
    expect(
      (await asker.post('complete', frame(outcome(task, { values: { price: 'x'.repeat(200_000) } })))).status,
    ).toBe(204)
    const [run] = await asker.runnerApi.database.runs(task.no)
    expect(String(run?.extracted?.['price'])).toMatch(/truncated sha256/)
    expect(String(run?.extracted?.['price']).length).toBeLessThan(70_000)
  })

  test('that the runner API refuses fails its run, which says so, instead of being repeated', async () => {
    const task = await asker.claimed()
    const mark = { etag: null, lastModified: null, bodyHash: null }
    const reading = { kind: 'values', fetchMethod: 'browser', mark, values: { nobody: 'x' }, warnings: [] } as const
    const at = Math.round(task.claimedMs)
    await asker.job.source.complete({ task, reading, startedMs: at, endedMs: at })
    expect(await asker.runnerApi.database.runs(task.no)).toMatchObject([{ status: 'error', error_code: 'internal' }])
  })

  test('whose pictures are too large together fails its run, which says what to do', async () => {
    const regions = Array.from({ length: 6 }, (_, index) => ({ selector: `.a${index}` }))
    const task = await asker.claimed({ visual: { enabled: true, regions } })
    const mark = { etag: null, lastModified: null, bodyHash: null }
    const large = Buffer.alloc(14 * 1024 * 1024)
    const shown = regions.map((_, index) => ({ region: `region-${index + 1}`, width: 1, height: 1, png: large }))
    const values = { price: '$1' }
    const reading = { kind: 'values', fetchMethod: 'browser', mark, values, warnings: [], shots: shown } as const
    const at = Math.round(task.claimedMs)
    await asker.job.source.complete({ task, reading, startedMs: at, endedMs: at })
    expect(await asker.runnerApi.database.runs(task.no)).toMatchObject([
      { error_code: 'too_large', error_message: expect.stringContaining('fewer regions') },
    ])
  })

  test('whose answer was lost on its way is sent again, and is one run', async () => {
    await using way = await openTcpProxy(asker.runnerApi.runnerApiUrl)
    asker.job = {
      ...asker.job,
      source: await asker.runnerApi.httpCheckSource({ token: asker.job.token, url: way.url }),
    }
    const task = await asker.claimed()
    way.swallowAnswerTo('/runner/complete')
    const mark = { etag: null, lastModified: null, bodyHash: null }
    const reading = { kind: 'values', fetchMethod: 'browser', mark, values: { price: '$1' }, warnings: [] } as const
    await asker.job.source.complete({ task, reading, startedMs: 0, endedMs: 0 })
    expect(way.resets).toBeGreaterThan(0)
    expect(await asker.runnerApi.database.runs(task.no)).toHaveLength(1)
    expect((await asker.runnerApi.database.check(task.no)).runs_total).toBe(1)
  })

  test('waits when too many are under way, and is taken over then', async () => {
    const small = await asker.runnerApi.serve({ budgetBytes: 3_000 })
    asker.job = {
      ...asker.job,
      source: await asker.runnerApi.httpCheckSource({ token: asker.job.token, url: small.url }),
    }
    const { port, hostname } = new URL(small.url)
    const slow = connect(Number(port), hostname)
    const head =
      `POST /runner/complete HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${asker.job.token}\r\ncontent-type: ` +
      `${OUTCOME_TYPE}\r\ncontent-length: 2900\r\n\r\n1234`
    slow.write(head)
    const task = await asker.claimed()
    const mark = { etag: null, lastModified: null, bodyHash: null }
    const reading = { kind: 'values', fetchMethod: 'browser', mark, values: { price: '$1' }, warnings: [] } as const
    const logged = asker.runnerApi.log.length
    const done = asker.job.source.complete({ task, reading, startedMs: 0, endedMs: 0 })
    await eventually(
      () => asker.runnerApi.log.slice(logged),
      (lines) => lines.some((line) => line.includes('Too many outcomes')),
    )
    expect(await asker.runnerApi.database.runs(task.no)).toEqual([])
    slow.destroy()
    await done
    expect(await asker.runnerApi.database.runs(task.no)).toHaveLength(1)
  })

  test('whose model is asked by a worker that stops is asked for elsewhere, and recorded once', async () => {
    asker.runnerApi.model.says(() => {})
    const stopping = await asker.runnerApi.serve()
    const source = await asker.runnerApi.httpCheckSource({ token: asker.job.token, url: stopping.url })
    const task = await asker.claimed({ extract: { method: 'prompt', prompt: 'How much is it?' } })
    const mark = { etag: null, lastModified: null, bodyHash: null }
    const reading = { kind: 'text', fetchMethod: 'browser', mark, text: 'A page of a stopping worker', warnings: [] }
    const finished = { task, reading: reading as never, startedMs: 0, endedMs: 0 }
    const asked = asker.runnerApi.model.questions.length
    const lost = new AbortController()
    const done = source.complete(finished, lost.signal)
    await eventually(
      () => asker.runnerApi.model.questions.length,
      (count) => count > asked,
    )
    await stopping.close()
    expect(await asker.runnerApi.database.runs(task.no)).toEqual([])
    lost.abort()
    await done
    asker.runnerApi.model.says('$7')
    await asker.job.source.complete(finished)
    expect(await asker.runnerApi.database.runs(task.no)).toMatchObject([{ extracted: { result: '$7' } }])
  })
})
