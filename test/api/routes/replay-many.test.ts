import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_REPLAYED, REPLAY_BATCH } from '../../../schema/run/delivery-replay.ts'
import { createMonitor } from '../../support/api/monitor-requests.ts'
import { seedDelivery, seedRun } from '../../support/api/seeded-runs.ts'
import { type ServedApi, serveApi } from '../../support/api/served-api.ts'

const REPLAY = '/v1/deliveries/replay'

let served: ServedApi
let monitor = ''
let run = ''
beforeAll(async () => {
  served = await serveApi('unlimited')
  monitor = (await createMonitor(served.me, { name: 'Kettle' })).id
  run = await seedRun(served.api.services, monitor, { triggered: true })
})
afterAll(() => served.close())

const seed = (status: 'success' | 'failed' | 'dead' | 'pending', to = 'https://example.com/hook') =>
  seedDelivery(served.api.services, run, { status, config: { type: 'webhook', url: to } })

const stateOf = async (id: string) => {
  const { status, attempts, next_attempt_at: next } = (await served.me.get(`/v1/deliveries/${id}`)).body
  return { status, attempts, isDue: next !== null }
}

const audited = async () => {
  const owner = served.as(served.owner.session_token)
  const { body } = await owner.get('/v1/team/audit?action=delivery.replayed&limit=100')
  return body.data as unknown as readonly { readonly target_id: string; readonly metadata: object }[]
}

describe('deliveries are sent again', () => {
  test('by their ids, each with its result', async () => {
    const [dead, sent] = [await seed('dead'), await seed('success')]
    const unknown = '01a1fdda-7d9b-7133-82bc-55eff54399c9'
    const { body, status } = await served.me.post(REPLAY, { ids: [dead, sent, unknown, dead.toUpperCase()] })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      queued: 1,
      failed: 2,
      results: [
        { id: dead, ok: true },
        { id: sent, ok: false, error: { code: 'CONFLICT' } },
        { id: unknown, ok: false, error: { code: 'NOT_FOUND' } },
      ],
    })
    expect(await stateOf(dead)).toEqual({ status: 'pending', attempts: 0, isDue: true })
    const lines = await audited()
    expect(lines.filter(({ target_id: id }) => id === dead)).toMatchObject([
      { metadata: { run_id: run, previous_status: 'dead' } },
    ])
    expect(lines.some(({ target_id: id }) => id === sent)).toBe(false)
  })

  test('by a filter with the number that it leaves, and not those that it does not leave', async () => {
    const to = 'https://many.example.com/hook'
    const wanted = [await seed('dead', to), await seed('failed', to)]
    const others = [await seed('dead'), await seed('success', to)]
    const filter = { q: 'many.example', monitor_id: monitor }
    expect((await served.me.post(REPLAY, { filter, expected: 2 })).body).toEqual({ queued: 2, failed: 0, results: [] })
    for (const id of wanted) expect(await stateOf(id)).toMatchObject({ status: 'pending' })
    expect((await stateOf(others[0] ?? '')).status).toBe('dead')
    expect((await stateOf(others[1] ?? '')).status).toBe('success')
  })

  test('not at all where the filter leaves another number by now, which the refusal says', async () => {
    const to = 'https://counted.example.com/hook'
    const id = await seed('dead', to)
    const { status, body } = await served.me.post(REPLAY, { filter: { q: 'counted' }, expected: 2 })
    expect(status).toBe(409)
    expect(body.error).toMatchObject({
      code: 'CONFLICT',
      message: 'The filter leaves 1 failed or dead delivery and not 2.',
    })
    expect((await stateOf(id)).status).toBe('dead')
  })

  test('in batches, each with one line of the audit log a delivery', async () => {
    const count = REPLAY_BATCH + 3
    const to = 'https://batch.example.com/hook'
    await Promise.all(Array.from({ length: count }, () => seed('dead', to)))
    const before = (await auditCount()) ?? 0
    const { body } = await served.me.post(REPLAY, { filter: { q: 'batch.example' }, expected: count })
    expect(body).toEqual({ queued: count, failed: 0, results: [] })
    expect(((await auditCount()) ?? 0) - before).toBe(count)
  })

  test.each([
    [{}],
    [{ ids: [] }],
    [{ ids: ['1'] }],
    [{ filter: {} }],
    [{ expected: 3 }],
    [{ filter: { status: 'pending' }, expected: 3 }],
    [{ filter: {}, expected: 0 }],
    [{ filter: {}, expected: MAX_REPLAYED + 1 }],
    [{ filter: { colour: 'red' }, expected: 1 }],
  ])('not by what is no request: %j', async (body) => {
    const answer = await served.me.post(REPLAY, body)
    expect(answer.status).toBe(422)
    expect(answer.body.error.details).not.toHaveLength(0)
  })

  test('not those of another team', async () => {
    const id = await seed('dead', 'https://foreign.example.com/hook')
    const stranger = await served.anotherTeam()
    expect((await stranger.post(REPLAY, { ids: [id] })).body).toMatchObject({ queued: 0, failed: 1 })
    expect((await stranger.post(REPLAY, { filter: { q: 'foreign' }, expected: 1 })).status).toBe(409)
    expect((await stateOf(id)).status).toBe('dead')
  })
})

const auditCount = async () => {
  const owner = served.as(served.owner.session_token)
  const { body } = await owner.get('/v1/team/audit?action=delivery.replayed&limit=1')
  return (body.pagination as { readonly total?: number }).total
}
