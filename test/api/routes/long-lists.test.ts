import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { LIST_LIMITS } from '../../../schema/list-limits.ts'
import { createMonitor, MONITOR } from '../../support/api/monitor-requests.ts'
import { seedDelivery, seedRun, seedRuns } from '../../support/api/seeded-runs.ts'
import { serveApi } from '../../support/api/served-api.ts'
import { dropRun } from '../../support/database/change-runs.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi('scale'))

const KIB = 1024
/** Four values of 60 KiB, as a page with long texts has them. */
const large = (mark: string) =>
  Object.fromEntries([1, 2, 3, 4].map((n) => [`field${n}`, `${mark}${n} ${'x'.repeat(60 * KIB)}`]))
const diffOf = (before: object, after: object) => ({ fields_changed: Object.keys(after), before, after })

const monitor = async (more: object = {}) => (await createMonitor(served.me, { ...MONITOR, ...more })).id
const read = async (path: string) => (await served.me.get(path)).body as unknown as { data: Row[]; pagination: object }
type Row = Readonly<Record<string, unknown>> & { readonly id: string }

describe('a list of runs', () => {
  test('has the beginning of values over 16 KiB and names them, and a run by its id has all of it', async () => {
    const id = await monitor()
    const [before, after] = [
      { ...large('old'), price: '1' },
      { ...large('new'), price: '2' },
    ]
    const run = await seedRun(served.api.services, id, { extracted: after, diff: diffOf(before, after) })
    const { data } = await read(`/v1/monitors/${id}/runs`)
    const whole = (await served.me.get(`/v1/runs/${run}`)).body
    expect(whole).toMatchObject({ extracted: after, diff: { before, after } })
    expect(whole).not.toHaveProperty('truncated')
    const listed = data.find((each) => each.id === run) as Row & { extracted: Record<string, string>; diff: object }
    expect(listed.extracted['price']).toBe('2')
    expect(listed.extracted['field1']).toBe(after['field1' as keyof typeof after].slice(0, LIST_LIMITS.valueBytes))
    expect(listed.diff).toMatchObject({ fields_changed: Object.keys(after), before: { price: '1' } })
    const fields = ['field1', 'field2', 'field3', 'field4']
    const paths = ['extracted', 'diff.before', 'diff.after'].flatMap((part) => fields.map((name) => `${part}.${name}`))
    // The order is that of the values. These tests store them by Postgres, which has an order of its own.
    expect(new Set(listed['truncated'] as string[])).toEqual(new Set(paths))
  })

  test('is the same whether it is answered at once or in groups', async () => {
    const id = await monitor()
    for (let n = 0; n < 12; n++)
      await seedRun(served.api.services, id, {
        extracted: { n, ...large(`run ${n} "é\n`), small: [1, null, { a: 'b' }] },
        ...(n % 3 === 0 && { diff: diffOf({ n: n - 1 }, { n }) }),
        warnings: [`warning ${n}`],
      })
    const sent = served.api.services.lists.figures().counts.sent
    const { data, pagination } = await read(`/v1/monitors/${id}/runs?limit=100`)
    expect(served.api.services.lists.figures().counts.sent).toBe(sent + 1)
    expect(pagination).toMatchObject({ page: 1, limit: 100, total: 12, totalPages: 1, hasMore: false })
    const single: Row[] = []
    for (let page = 1; page <= 12; page++)
      single.push(...(await read(`/v1/monitors/${id}/runs?limit=1&page=${page}`)).data)
    expect(served.api.services.lists.figures().counts.sent).toBe(sent + 1)
    expect(data).toEqual(single)
    expect(data.map((row) => Object.keys(row))).toEqual(single.map((row) => Object.keys(row)))
  })

  test('ends with the connection when a run is deleted while it is sent', async () => {
    const id = await monitor()
    const extracted = Object.fromEntries(fields(16).map((name) => [name, 'z'.repeat(16 * KIB - 100)]))
    const run = await seedRun(served.api.services, id, { extracted })
    // More than the buffers of two sockets.
    await seedRuns(served.api.services, id, { count: 99, from: -100, extracted })
    const answer = await begun(`/v1/monitors/${id}/runs?limit=100`)
    // The oldest run is in the last group.
    await dropRun(served.api, run)
    await expect(textOf(answer)).rejects.toThrow('aborted')
    expect(served.api.services.lists.figures()).toMatchObject({ bytesUnderWay: 0, waiting: 0 })
  })
})

describe('a list of deliveries', () => {
  test('has the beginning of values over 16 KiB of its payload, at once and in groups', async () => {
    const id = await monitor()
    const [before, after] = [large('old'), { ...large('new'), price: '2' }]
    const run = await seedRun(served.api.services, id, { extracted: after })
    const payload = { version: '1', diff: diffOf(before, after), lists: { field1: { added: ['y'.repeat(20 * KIB)] } } }
    const ids = await Promise.all([1, 2, 3].map(() => seedDelivery(served.api.services, run, { payload })))
    const whole = (await served.me.get(`/v1/deliveries/${ids[0] ?? ''}`)).body
    expect(whole['payload']).toMatchObject(payload)
    const atOnce = (await read(`/v1/deliveries?monitor_id=${id}&limit=1`)).data[0]
    expect(Object.keys(atOnce?.['payload'] as object)).toEqual(['id', 'version', 'diff', 'lists'])
    expect(atOnce?.['truncated']).toEqual(
      expect.arrayContaining(['payload.diff.before.field1', 'payload.diff.after.field4', 'payload.lists.field1']),
    )
    expect(JSON.stringify(atOnce).length).toBeLessThan(160 * KIB)
    for (const path of [`/v1/deliveries?monitor_id=${id}`, `/v1/runs/${run}/deliveries`]) {
      const { data } = await read(path)
      expect(data).toHaveLength(3)
      expect(data.find((row) => row.id === atOnce?.id)).toEqual(atOnce)
    }
  })
})

describe('a list of monitors', () => {
  test('is whole however large, those that are deleted meanwhile included', async () => {
    const { owner, ...me } = await served.anotherTeam()
    const header = Object.fromEntries(fields(20).map((name) => [`x-${name}`, 'v'.repeat(2_048)]))
    const ids: string[] = []
    for (let n = 0; n < 8; n++) {
      const name = `Large ${n}`
      ids.push((await createMonitor(me, { ...MONITOR, name, request_headers: header })).id)
    }
    const { body } = await me.get('/v1/monitors?limit=100')
    const single = await Promise.all(ids.toReversed().map(async (id) => (await me.get(`/v1/monitors/${id}`)).body))
    expect(body.data).toEqual(single)
    expect(body.data.map((row) => Object.keys(row))).toEqual(single.map((row) => Object.keys(row)))
    expect(served.api.services.lists.figures().bytesUnderWay).toBe(0)
    expect(owner.team_id).not.toBe(served.owner.team_id)
  })
})

const fields = (count: number) => Array.from({ length: count }, (_, n) => `field${n}`)

/** Returns an answer whose head has arrived, and whose body is not read yet. */
async function begun(path: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${served.owner.api_key}` }
  const request = get(served.baseUrl + path, { agent: false, headers })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  expect(answer.statusCode).toBe(200)
  return answer
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
