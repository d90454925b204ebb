import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createVisualService, type VisualService } from '../../spec/pictures/visual-service.ts'
import {
  googlePage,
  openSearchedEngines,
  resultUrls,
  type SearchedEngines,
} from '../../support/browser/searched-engines.ts'
import { draw } from '../pictures/drawings.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

describe('what lists show of a run with pictures', () => {
  let service: VisualService
  beforeAll(async () => {
    service = await createVisualService()
  })
  afterAll(() => service.close())

  test('is a change where the picture changed by the threshold, and none below it', async () => {
    const { me } = service.served
    const id = await service.monitor(me, { thresholdPct: 5 })
    const run = async (box: { x: number; y: number; width: number; height: number } | null) =>
      service.run(me, id, { pngs: [await draw(box ? { box } : {})], by: 'browser' })
    const changes = async () => (await me.get('/v1/changes')).body.data as unknown as readonly object[]
    await run(null)
    await run({ x: 0, y: 0, width: 3, height: 3 })
    expect(await changes()).toEqual([])
    const { id: runId } = await run({ x: 0, y: 0, width: 700, height: 600 })
    expect(await changes()).toMatchObject([
      { run_id: runId, fields: [], visual_change_pct: expect.any(Number), fired: true, silence: expect.any(String) },
    ])
    expect((await me.get('/v1/overview')).body.data).toMatchObject([
      { last_change: { run_id: runId, field: '', before: null, after: null, more: 0 }, unseen: true },
    ])
  })
})

describe('what lists show of a search', () => {
  let serp: SearchedEngines
  beforeAll(async () => {
    serp = await openSearchedEngines()
    await serp.work({ country: 'us' })
  })
  afterAll(() => serp[Symbol.asyncDispose]())

  const shown = (no: number) =>
    serp.database.query<object>(
      `select c.last_change_id is not null as changed, b.summary,
         (select json_agg(r.change order by r.id) from runs r
           where r.monitor_no = c.no and r.change is not null) as changes
       from checks c join baselines b on b.no = c.no where c.no = $1`,
      [no],
    )

  test('is its rank: the first one is no change, and a rank that moved is one', async () => {
    const no = await serp.add(await serp.database.team(), { target: 'b.example', threshold: 50 })
    serp.answer(() => googlePage(['https://a.example/', 'https://b.example/']))
    await serp.check(no)
    const value = { field: 'rank', text: '#2' }
    expect(await shown(no)).toEqual([
      { changed: false, summary: { value, change: null, spark: { field: 'rank', points: [2] } }, changes: null },
    ])
    serp.answer(() => googlePage(['https://b.example/', 'https://a.example/']))
    const { delivery_triggered: told } = await serp.check(no)
    expect(told).toBe(false)
    const moved = { field: 'rank', before: '#2', after: '#1' }
    expect(await shown(no)).toMatchObject([
      {
        changed: true,
        summary: { change: { ...moved, more: 0 }, spark: { points: [2, 1] } },
        changes: [{ fields: [moved] }],
      },
    ])
  })

  test('is the number of its results where it has no target', async () => {
    const no = await serp.add(await serp.database.team(), { mode: 'full_analysis' })
    serp.answer(() => googlePage(resultUrls(3)))
    await serp.check(no)
    await serp.check(no)
    expect(await shown(no)).toMatchObject([
      { changed: false, summary: { value: { text: '3 results' } }, changes: null },
    ])
    serp.answer(() => googlePage(resultUrls(2)))
    await serp.check(no)
    expect(await shown(no)).toMatchObject([
      { changed: true, summary: { value: { text: '2 results' }, change: { after: '2 results, 1 gone' } } },
    ])
  })
})
