import { expect, test } from 'vitest'
import { createLogger } from '../../../core/logger.ts'
import { createTestApi } from '../../support/api/test-api.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'

const monitor = (name: string) => ({
  name,
  url: 'https://example.com/',
  schedule_interval_seconds: 3600,
  extract_config: { method: 'full_page' },
  diff_predicate: { type: 'any_field_changes' },
  deliveries: [{ type: 'webhook', url: 'https://example.com/hook' }],
  request_headers: { 'X-Token': 'abc' },
})

test('what cannot be opened is left out of its row and reported in the log; all else is shown', async () => {
  const lines: string[] = []
  const api = await createTestApi({ log: createLogger('error', { write: (line) => void lines.push(line) }) })
  try {
    const { api_key: key, team_id: team } = await api.owner()
    const [broken, whole] = [await make('Broken'), await make('Whole')]
    for (const id of [broken, whole])
      await api.sql(`
        insert into deliveries (id, monitor_no, team_id, run_id, type, target, host, payload)
        select gen_random_uuid(), no, team_id, gen_random_uuid(), 'webhook', deliveries, 'example.com', '{}'
          from monitors where id = '${id}'`)
    await changeMonitors(api, broken, { deliveries: Buffer.of(1), requestHeaders: Buffer.of(2) })

    const list = await api.call(key, 'GET', '/v1/monitors')
    expect(list).toMatchObject({
      status: 200,
      body: {
        data: [
          { name: 'Whole', deliveries: monitor('').deliveries, request_headers: { 'X-Token': 'abc' } },
          { name: 'Broken', deliveries: [], request_headers: null },
        ],
      },
    })
    for (const [method, path, body] of [
      ['GET', ''],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['POST', '/mute', { until: null }],
      ['POST', '/unmute'],
    ] as const)
      expect(await api.call(key, method, `/v1/monitors/${broken}${path}`, body)).toMatchObject({ status: 200 })
    // What needs the whole of it is refused, and loses nothing.
    const patched = await api.call(key, 'PATCH', `/v1/monitors/${broken}`, { name: 'Other' })
    for (const answer of [patched, await api.call(key, 'GET', `/v1/monitors/${broken}/manifest`)])
      expect(answer).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } })
    expect(lines.join('')).toContain(`monitor ${broken} has a secret that cannot be decrypted, and is shown without it`)
    expect(lines.join('')).not.toContain(whole)

    // Bound to its place: the monitors' own bytes do not open as a delivery's.
    const deliveries = await api.call(key, 'GET', '/v1/deliveries')
    expect(deliveries).toMatchObject({
      status: 200,
      body: { data: [{ destination: 'cannot be read' }, { destination: 'cannot be read' }] },
    })

    async function make(name: string): Promise<string> {
      const made = await api.call(key, 'POST', '/v1/monitors', monitor(name))
      expect([made.status, team]).toEqual([201, team])
      return String(made.body['id'])
    }
  } finally {
    await api.close()
  }
})
