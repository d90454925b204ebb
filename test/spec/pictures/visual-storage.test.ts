import { sql } from 'slonik'
import Type from 'typebox'
import { afterEach, describe, expect, test } from 'vitest'
import { row } from '../../../store/db/row.ts'
import { sweepImages, type Swept } from '../../../store/images/image-sweep.ts'
import { imageName } from '../../../store/images/images.ts'
import type { ObjectStore } from '../../../store/objects/object-store.ts'
import { draw } from '../../worker/pictures/drawings.ts'
import { createVisualService, type VisualService } from './visual-service.ts'

let service: VisualService
afterEach(() => service.close())

const notice = row({ pool: Type.String(), level: Type.Integer() })
const image = row({ id: Type.String(), team_id: Type.String() })

/** Names that rows and references have, and those that are there. */
async function inventory(): Promise<{ rows: string[]; references: string[]; objects: string[] }> {
  const { store } = service.served.api.services
  const named = (all: readonly { id: string; team_id: string }[]) =>
    all.map(({ id, team_id }) => imageName(team_id, id)).sort()
  const rows = await store.any(sql.type(image)`select id, team_id from images`)
  const references = await store.any(sql.type(image)`
    select distinct id::uuid as id, team_id from (
      select thumb_id as id, team_id from run_images
      union all select thumb_id, team_id from visual_baselines
      union all select unnest(image_ids), team_id from visual_baselines
      union all select unnest(array[r->>'before', r->>'after', r->>'diff']::uuid[]), v.team_id
        from run_images v cross join lateral json_array_elements(v.regions) r
    ) named where id is not null`)
  return {
    rows: named(rows),
    references: named(references),
    objects: (await Array.fromAsync(service.objects.names())).sort(),
  }
}

/** Invariant I10: every reference has an object, and no object is without a row that leads to it. */
async function expectWhole(): Promise<void> {
  const { rows, references, objects } = await inventory()
  expect(
    references.filter((name) => !objects.includes(name)),
    'references without an object',
  ).toEqual([])
  expect(
    objects.filter((name) => !rows.includes(name)),
    'objects without a row',
  ).toEqual([])
}

function sweep(graceSeconds?: number): Promise<Swept> {
  const { store } = service.served.api.services
  const { signal } = new AbortController()
  return sweepImages({ store, objects: service.objects, signal, ...(graceSeconds !== undefined && { graceSeconds }) })
}

async function setClock(offset: string): Promise<void> {
  const { api } = service.served
  await api.sql(`alter database ${new URL(api.databaseUrl).pathname.slice(1)} set tidemark.clock_offset = '${offset}'`)
}

/** An object store that does what it is told after so many puts. */
const failing = (failAt: number, objects: ObjectStore): ObjectStore => {
  let puts = 0
  return {
    ...objects,
    put: async (name, bytes) => {
      puts += 1
      if (puts >= failAt) throw new Error('the disk is full')
      await objects.put(name, bytes)
    },
  }
}

describe('pictures in the object store', () => {
  test('are stored once while nothing changes, and three more where something does', async () => {
    service = await createVisualService()
    const { me } = service.served
    const id = await service.monitor(me)
    for (let run = 0; run < 3; run++) await service.run(me, id, { pngs: [await draw()] })
    expect((await inventory()).objects).toHaveLength(2)
    await service.run(me, id, { pngs: [await draw({ price: '7777' })] })
    expect((await inventory()).objects).toHaveLength(5)
    await expectWhole()
    const { body } = await me.get('/v1/usage')
    const sizes = await Promise.all((await inventory()).objects.map((name) => service.objects.get(name)))
    expect(body['screenshotBytesThisMonth']).toBe(sizes.reduce((sum, bytes) => sum + (bytes?.byteLength ?? 0), 0))
  })

  test('that could not be put fail the run, fire nothing, leave the baseline, and use no quota', async () => {
    service = await createVisualService('scale', (objects) => failing(4, objects))
    const { me } = service.served
    const id = await service.monitor(me, {}, { deliveries: [{ type: 'webhook', url: 'https://example.com/hook' }] })
    await service.run(me, id, { pngs: [await draw()] })
    const used = (await me.get('/v1/usage')).body['screenshotBytesThisMonth']
    const run = await service.run(me, id, { pngs: [await draw({ box: { x: 0, y: 0, width: 200, height: 200 } })] })
    expect(run).toMatchObject({ status: 'error', delivery_triggered: false })
    expect(run).not.toHaveProperty('visual_change_pct')
    expect(run.error_message).toContain('could not be stored')
    expect((await me.get('/v1/usage')).body['screenshotBytesThisMonth']).toBe(used)
    await expectWhole()
    await sweep()
    expect((await inventory()).objects).toHaveLength(2)
    await expectWhole()
  })

  test('of a worker that died between object and record are swept out after a grace period, no others', async () => {
    service = await createVisualService()
    const { me, api } = service.served
    const id = await service.monitor(me)
    await service.run(me, id, { pngs: [await draw()] })
    // The record of the next run finds its store closed: the objects are there, their references are not.
    await api.sql(`alter table run_images add constraint closed check (change_pct = 0) not valid`)
    const lost = await service.run(me, id, { pngs: [await draw({ price: '7777' })] })
    expect(lost.status).toBe('error')
    expect((await inventory()).objects).toHaveLength(5)
    await expectWhole()

    expect(await sweep()).toEqual({ runs: 0, images: 0 })
    await setClock('61 minutes')
    expect(await sweep()).toEqual({ runs: 0, images: 3 })
    const { objects, references } = await inventory()
    expect(objects).toEqual(references)
  })

  test('are deleted when retention hides their run, but for the one that the next run is compared with', async () => {
    service = await createVisualService('free')
    const { me } = service.served
    const id = await service.monitor(me)
    const first = await service.run(me, id, { pngs: [await draw()] })
    await service.run(me, id, { pngs: [await draw({ price: '7777' })] })
    await setClock('15 days')
    expect((await me.get(`/v1/run-images/${first.id}`)).status).toBe(404)
    expect((await me.get(`/v1/monitors/${id}/visual-history`)).body.data).toEqual([])
    // Of the first its picture, of the second the overlay; the small one of both and the last picture stay.
    expect(await sweep()).toMatchObject({ runs: 2 })
    await expectWhole()
    expect((await inventory()).objects).toEqual((await inventory()).references)
    expect((await inventory()).objects).toHaveLength(2)
  })

  test('of a deleted monitor go with its runs', async () => {
    service = await createVisualService('free')
    const { me } = service.served
    const id = await service.monitor(me)
    const run = await service.run(me, id, { pngs: [await draw()] })
    await me.delete(`/v1/monitors/${id}`)
    await sweep()
    expect((await me.get(`/v1/run-images/${run.id}`)).status).toBe(200)
    await setClock('15 days')
    expect(await sweep()).toEqual({ runs: 1, images: 2 })
    expect(await inventory()).toEqual({ rows: [], references: [], objects: [] })
  })
})

describe('screenshotBytesPerMonth', () => {
  test('is shown with the limits; the free trial has 209715200', async () => {
    service = await createVisualService('free')
    const { body } = await service.served.me.get('/v1/usage')
    expect(body).toMatchObject({ screenshotBytesThisMonth: 0, limits: { screenshotBytesPerMonth: 209_715_200 } })
  })

  test('used up, fields go on and the run says its picture is not kept; an equal one is still compared', async () => {
    service = await createVisualService('free')
    const { me, api } = service.served
    const id = await service.monitor(me, {}, { deliveries: [{ type: 'webhook', url: 'https://example.com/hook' }] })
    await service.run(me, id, { pngs: [await draw()], price: '$1' })
    await api.sql('update team_usage set screenshot_bytes_used = 209715200 - 100')
    const run = await service.run(me, id, { pngs: [await draw({ price: '7777' })], price: '$2' })
    expect(run).toMatchObject({ status: 'success', delivery_triggered: true })
    expect(run.warnings.join()).toContain('209,715,200 bytes of screenshots are used up')
    expect(run).not.toHaveProperty('visual_change_pct')
    expect((await me.get(`/v1/run-images/${run.id}`)).status).toBe(404)
    expect((await me.get('/v1/usage')).body['screenshotBytesThisMonth']).toBe(209_715_100)
    expect((await service.run(me, id, { pngs: [await draw()] })).visual_change_pct).toBe(0)
    await expectWhole()
  })

  test('is a notice to the team once at 80 percent and once when pictures no longer fit', async () => {
    service = await createVisualService('free')
    const { me, api } = service.served
    const id = await service.monitor(me)
    const { store } = api.services
    const sentEvents = async () =>
      (
        await store.any(sql.type(notice)`
          select detail->>'pool' as pool, (detail->>'threshold_pct')::int as level
          from notice_events where kind = 'quota' order by created_at`)
      ).map(({ pool, level }) => `${pool} ${level}`)
    await service.run(me, id, { pngs: [await draw()] })
    expect(await sentEvents()).toEqual([])
    await api.sql('update team_usage set screenshot_bytes_used = 209715200 * 0.8 - 100')
    await service.run(me, id, { pngs: [await draw({ price: '7777' })] })
    expect(await sentEvents()).toEqual(['pictures 80'])
    await api.sql('update team_usage set screenshot_bytes_used = 209715200 - 100')
    for (const price of ['1111', '2222']) await service.run(me, id, { pngs: [await draw({ price })] })
    expect(await sentEvents()).toEqual(['pictures 80', 'pictures 100'])
  })

  test('is never overspent by checks that end at the same time', async () => {
    service = await createVisualService('free')
    const { me, api } = service.served
    const ids = await Promise.all(Array.from({ length: 4 }, () => service.monitor(me)))
    const page = await draw()
    await api.sql(`update team_usage set screenshot_bytes_used = 209715200 - ${page.byteLength * 2 + 5000}`)
    for (const id of ids) await me.post(`/v1/monitors/${id}/run`)
    await service.checkAll({ pngs: [page] })
    expect((await me.get('/v1/usage')).body['screenshotBytesThisMonth']).toBeLessThanOrEqual(209_715_200)
    await expectWhole()
  })
})

test('on a disk that is nearly full, fields go on and the run says why its picture is not kept', async () => {
  let reason: string | null = null
  service = await createVisualService('scale', undefined, { refusal: (what) => reason && `${what}: ${reason}` })
  const { me } = service.served
  const id = await service.monitor(me)
  await service.run(me, id, { pngs: [await draw()], price: '$1' })
  const used = async () => (await me.get('/v1/usage')).body['screenshotBytesThisMonth']
  const before = await used()
  reason = 'The disk is full'
  const run = await service.run(me, id, { pngs: [await draw({ price: '7777' })], price: '$2' })
  expect(run).toMatchObject({
    status: 'success',
    warnings: ["pictures: The disk is full: this run's pictures were neither kept nor compared."],
  })
  expect(run).not.toHaveProperty('visual_change_pct')
  expect(await used()).toBe(before)
  reason = null
  expect((await service.run(me, id, { pngs: [await draw({ price: '7777' })] })).visual_change_pct).toBeGreaterThan(0)
  await expectWhole()
})
