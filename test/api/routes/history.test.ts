import { expect, test } from 'vitest'
import { History, type HistoryRow } from '../../../schema/run/history.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { createMonitor } from '../../support/api/monitor-requests.ts'
import { seedRun, seedRuns } from '../../support/api/seeded-runs.ts'
import { serveApi } from '../../support/api/served-api.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi('unlimited'))

const rowsOf = async (path: string): Promise<readonly HistoryRow[]> => {
  const { status, body } = await served.me.get(`${path}/runs/export/json`)
  expect([status, checkerOf(History).validate(body)]).toMatchObject([200, { ok: true }])
  return body['data'] as unknown as readonly HistoryRow[]
}
const linesOf = async (path: string): Promise<readonly string[]> => {
  const headers = { authorization: `Bearer ${served.owner.api_key}` }
  const answer = await fetch(`${served.baseUrl}${path}/runs/export`, { headers })
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/csv/)])
  return (await answer.text()).split('\r\n').slice(0, -1)
}
const seed = (id: string, run: object) => seedRun(served.api.services, id, run)

test('the history of a page has each run that did not find the same again, the newest first', async () => {
  const { id } = await createMonitor(served.me)
  const first = await seed(id, { age: '60 s', durationMs: 1000, extracted: { price: '$20', more: [1, 2] } })
  await seed(id, { age: '50 s', readingId: first })
  await seed(id, { age: '40 s', durationMs: 0, status: 'error', errorCode: 'timeout' })
  const last = await seed(id, { age: '30 s', extracted: { price: '=1+1', other: null }, triggered: true })
  const rows = await rowsOf(`/v1/monitors/${id}`)
  expect(rows.map(({ status, fired, error_code, values }) => [status, fired, error_code, values])).toEqual([
    ['success', true, null, { price: '=1+1', other: null }],
    ['error', null, 'timeout', null],
    ['success', null, null, { price: '$20', more: [1, 2] }],
  ])
  const [head, newest, failed, oldest] = await linesOf(`/v1/monitors/${id}`)
  expect(head).toBe('"at","run_id","status","fired","error_code","other","price","other_fields"')
  expect(newest).toContain(`"${last}","success","true","","","'=1+1",""`)
  expect(failed).toMatch(/"error","","timeout","","",""$/)
  expect(oldest).toMatch(/"success","","","","\$20","\{""more"":\[1,2\]\}"$/)
  const [, between] = rows
  const cut = await served.me.get(`/v1/monitors/${id}/runs/export/json?to=${between?.at}`)
  expect((cut.body['data'] as unknown as readonly unknown[]).length).toBe(1)
})

test('the history of a search has its rank, the number of its results and what stood beside them', async () => {
  const search = { name: 'Rank', keyword: 'kettle', schedule_interval_seconds: 600, target_domain: 'example.com' }
  const { id } = (await served.me.post('/v1/serp-monitors?paused=true', search)).body
  const results = [{ position: 1 }, { position: 2 }]
  const first = await seed(String(id), { age: '30 s', results, rank: 2, aiOverview: true })
  await seed(String(id), { age: '25 s', readingId: first, rank: 2, aiOverview: true })
  // The results are as before, and the overview is gone.
  await seed(String(id), { age: '20 s', readingId: first, rank: 2, aiOverview: false })
  const values = { rank: 2, results: 2, ai_overview: true, featured_snippet: null }
  const rows = await rowsOf(`/v1/serp-monitors/${id}`)
  expect(rows.map((row) => row.values)).toEqual([{ ...values, ai_overview: false }, values])
  const lines = await linesOf(`/v1/serp-monitors/${id}`)
  expect(lines[0]).toBe(
    '"at","run_id","status","fired","error_code","rank","results","ai_overview","featured_snippet","other_fields"',
  )
  expect(lines[2]).toMatch(/"2","2","true","",""$/)
})

test('a long history is read in batches, each row once, and large values end a batch before', async () => {
  const { id } = await createMonitor(served.me)
  await seedRuns(served.api.services, id, { count: 1_200, extracted: { price: 1 } })
  await seedRuns(served.api.services, id, { count: 20, from: 2_000, extracted: { text: 'x'.repeat(900_000) } })
  const rows = await rowsOf(`/v1/monitors/${id}`)
  expect(rows).toHaveLength(1_220)
  expect(new Set(rows.map(({ run_id: run }) => run)).size).toBe(1_220)
})

test('has the columns of the newest run with values, also behind many that failed', async () => {
  const { id } = await createMonitor(served.me)
  await seed(id, { age: '1200 s', extracted: { price: -5 } })
  for (const age of ['9 s', '8 s']) await seed(id, { age, status: 'error', errorCode: 'timeout' })
  const [head, , , ...others] = await linesOf(`/v1/monitors/${id}`)
  expect(head).toBe('"at","run_id","status","fired","error_code","price","other_fields"')
  // A number is no formula.
  expect(others.at(-1)).toMatch(/"-5",""$/)
})

test('a monitor without runs has an empty history, and that of another team is not there', async () => {
  const { id } = await createMonitor(served.me)
  expect(await rowsOf(`/v1/monitors/${id}`)).toEqual([])
  expect(await linesOf(`/v1/monitors/${id}`)).toEqual(['"at","run_id","status","fired","error_code","other_fields"'])
  const stranger = await served.anotherTeam()
  for (const path of ['runs/export', 'runs/export/json'])
    expect((await stranger.get(`/v1/monitors/${id}/${path}`)).status).toBe(404)
})
