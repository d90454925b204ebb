import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { OUTCOME_TYPE } from '../../../schema/runner-api.ts'
import { type Asker, frame, openAsker, outcome, VALUES, VERBS } from './asker.ts'

let asker: Asker
beforeAll(async () => {
  asker = await openAsker()
})
beforeEach(() => asker.newJob())
afterEach(() => asker.reset())
afterAll(() => asker[Symbol.asyncDispose]())

describe('garbage', () => {
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

  test('is refused by each verb, never answered as an internal error, and changes nothing', async () => {
    await asker.claimed()
    const before = await asker.state()
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...VERBS), noise, fc.constantFrom(...types), async (verb, body, type) => {
        const { status } = await asker.post(verb, body, { 'content-type': type })
        expect(status).toBeGreaterThanOrEqual(400)
        expect(status).toBeLessThan(500)
      }),
      { numRuns: 300 },
    )
    expect(await asker.state()).toEqual(before)
  }, 60_000)

  test('instead of one part of an outcome is refused, and changes nothing', async () => {
    const task = await asker.claimed({ visual: { enabled: true } })
    const before = await asker.state()
    const good = outcome(task, { reading: { ...VALUES, shots: [0] }, pictures: [asker.png.length] })
    const paths = Object.keys(good) as (keyof typeof good)[]
    const inside = Object.keys(good.reading)
    const bad = fc.oneof(fc.constantFrom(null, -1, 0.5, 2 ** 60, '', 'x', true, [], {}, [null], [[0]]), fc.jsonValue())
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths, ...inside.map((key) => `reading.${key}`)),
        bad,
        async (path, value) => {
          const [key = '', inner] = path.split('.')
          const was = inner === undefined ? good[key as keyof typeof good] : good.reading[inner as 'kind']
          fc.pre(JSON.stringify(was) !== JSON.stringify(value))
          // Values that the monitor may have, times and warnings that a runner may tell.
          fc.pre(!['values', 'started_ms', 'ended_ms', 'reading.warnings', 'reading.mark'].includes(path))
          const head =
            inner === undefined ? { ...good, [key]: value } : { ...good, reading: { ...good.reading, [inner]: value } }
          const { status } = await asker.post('complete', frame(head, [asker.png]))
          expect([path, value, status >= 400 && status < 500]).toEqual([path, value, true])
        },
      ),
      { numRuns: 300 },
    )
    expect(await asker.state()).toEqual(before)
    expect((await asker.post('complete', frame(good, [asker.png]))).status).toBe(204)
  }, 60_000)
})
