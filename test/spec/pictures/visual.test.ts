import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createImageLinks } from '../../../api/auth/image-links.ts'
import { imageName } from '../../../store/images/images.ts'
import { MONITOR } from '../../support/api/monitor-requests.ts'
import { type Client } from '../../support/api/served-api.ts'
import { draw, look } from '../../worker/pictures/drawings.ts'
import { createVisualService, type VisualService } from './visual-service.ts'

interface Region {
  readonly regionIndex: number
  readonly label: string
  readonly changedPct: number
  readonly hasChanges: boolean
  readonly beforeUrl: string | null
  readonly afterUrl: string
  readonly diffUrl: string | null
}
interface RunImages {
  readonly kind: string
  readonly aggregateChangePct: number
  readonly hasChanges: boolean
  readonly regions: readonly Region[]
}

let service: VisualService
let me: Client
let page: Buffer
let other: Buffer
beforeAll(async () => {
  service = await createVisualService()
  me = service.served.me
  page = await draw()
  // Of 120,000 pixels 3,000, which is 2.5 %.
  other = await draw({ box: { x: 280, y: 30, width: 60, height: 50 } })
})
afterAll(() => service.close())

/** Fetches a signed address of ours; its host is the one under which people reach us. */
const fetchImage = (url: string) => fetch(service.served.baseUrl + new URL(url).pathname)

async function imagesOf(runId: string): Promise<RunImages> {
  const { status, body } = await me.get(`/v1/run-images/${runId}`)
  expect(status).toBe(200)
  return body as unknown as RunImages
}

async function bytesOf(url: string | null): Promise<Buffer> {
  const answer = await fetchImage(url ?? '')
  expect(answer.status).toBe(200)
  return Buffer.from(await answer.arrayBuffer())
}

async function payloadsOf(runId: string): Promise<Readonly<Record<string, unknown>>[]> {
  const { body } = await me.get(`/v1/runs/${runId}/deliveries`)
  return body.data.map(({ payload }) => payload as unknown as Readonly<Record<string, unknown>>)
}

const hook = { deliveries: [{ type: 'webhook', url: 'https://example.com/hook' }] }

describe('visual config', () => {
  test('when enabled, every check is compared with the picture of the run before', async () => {
    const id = await service.monitor(me)
    expect(await service.run(me, id, { pngs: [page] })).toMatchObject({ status: 'success', visual_change_pct: 0 })
    expect(await service.run(me, id, { pngs: [other] })).toMatchObject({ visual_change_pct: 2.5 })
    // With the second, not with the first.
    expect(await service.run(me, id, { pngs: [other] })).toMatchObject({ visual_change_pct: 0 })
    expect(await service.run(me, id, { pngs: [page] })).toMatchObject({ visual_change_pct: 2.5 })
  })

  test('deliveries fire when the changed-pixel area reaches thresholdPct, at it exactly, and not below', async () => {
    const at = await service.monitor(me, { thresholdPct: 2.5 }, hook)
    const above = await service.monitor(me, { thresholdPct: 2.51 }, hook)
    for (const id of [at, above]) await service.run(me, id, { pngs: [page] })
    const fired = await service.run(me, at, { pngs: [other] })
    const silent = await service.run(me, above, { pngs: [other] })
    expect([fired.delivery_triggered, silent.delivery_triggered]).toEqual([true, false])
    expect(await payloadsOf(fired.id)).toMatchObject([
      {
        run_id: fired.id,
        diff: { fields_changed: [], before: {}, after: {} },
        visual: { change_pct: 2.5, threshold_pct: 2.5 },
      },
    ])
  })

  test('the threshold is 1 percent by default', async () => {
    const id = await service.monitor(me, {}, hook)
    await service.run(me, id, { pngs: [page] })
    const small = await draw({ box: { x: 280, y: 30, width: 40, height: 29 } })
    expect(await service.run(me, id, { pngs: [small] })).toMatchObject({ delivery_triggered: false })
    await service.run(me, id, { pngs: [page] })
    const enough = await draw({ box: { x: 280, y: 30, width: 40, height: 30 } })
    expect(await service.run(me, id, { pngs: [enough] })).toMatchObject({
      visual_change_pct: 1,
      delivery_triggered: true,
    })
  })

  test('with a threshold of 0 any change fires, and none does not', async () => {
    const id = await service.monitor(me, { thresholdPct: 0 }, hook)
    await service.run(me, id, { pngs: [page] })
    expect(await service.run(me, id, { pngs: [page] })).toMatchObject({ delivery_triggered: false })
    const digit = await draw({ price: '1248' })
    expect(await service.run(me, id, { pngs: [digit] })).toMatchObject({ delivery_triggered: true })
  })

  test('the first run never fires, nor does the first after an edit of visual_config', async () => {
    const id = await service.monitor(me, { thresholdPct: 0 }, hook)
    expect(await service.run(me, id, { pngs: [page] })).toMatchObject({ delivery_triggered: false })
    await me.patch(`/v1/monitors/${id}`, { visual_config: { enabled: true, thresholdPct: 0, fullPage: false } })
    const first = await service.run(me, id, { pngs: [other] })
    expect(first).toMatchObject({ delivery_triggered: false, visual_change_pct: 0 })
    expect((await imagesOf(first.id)).regions).toMatchObject([{ beforeUrl: null, diffUrl: null }])
  })

  test('a run that fires twice over makes one delivery per destination, with a visual block', async () => {
    const id = await service.monitor(me, {}, hook)
    await service.run(me, id, { pngs: [page], price: '$1' })
    const both = await service.run(me, id, { pngs: [other], price: '$2' })
    expect(await payloadsOf(both.id)).toMatchObject([
      { diff: { fields_changed: ['price'], before: { price: '$1' } }, visual: { change_pct: 2.5, threshold_pct: 1 } },
    ])
    const fieldOnly = await service.run(me, id, { pngs: [other], price: '$3' })
    expect(await payloadsOf(fieldOnly.id)).toHaveLength(1)
    expect((await payloadsOf(fieldOnly.id))[0]).not.toHaveProperty('visual')
  })

  test('a picture of another size is a change, not an error', async () => {
    const id = await service.monitor(me, {}, hook)
    await service.run(me, id, { pngs: [page] })
    const grown = await service.run(me, id, { pngs: [await draw({ height: 400 })] })
    expect(grown).toMatchObject({ status: 'success', visual_change_pct: 25, delivery_triggered: true })
  })

  test('a region that is not on the page any more is a change, and the run says so', async () => {
    const regions = [{ selector: '#hero', label: 'Hero' }]
    const id = await service.monitor(me, { regions }, hook)
    await service.run(me, id, { pngs: [page] })
    const gone = await service.run(me, id, { pngs: [null] })
    expect(gone).toMatchObject({ status: 'success', delivery_triggered: true })
    expect(gone.visual_change_pct).toBeGreaterThan(99)
    expect(gone.warnings.join()).toContain('"Hero" was not found')
    expect((await service.run(me, id, { pngs: [null] })).visual_change_pct).toBe(0)
  })

  test('of regions that share a label, the run says which one is gone', async () => {
    const regions = [
      { selector: '#a', label: 'Hero' },
      { selector: '#b', label: 'Hero' },
    ]
    const id = await service.monitor(me, { regions }, hook)
    const { warnings } = await service.run(me, id, { pngs: [page, null] })
    expect(warnings).toEqual([expect.stringContaining('"Hero" (number 2) was not found')])
  })

  test('an edit of the threshold alone makes the next run a silent baseline, as each of visual_config', async () => {
    const id = await service.monitor(me, { thresholdPct: 90 }, hook)
    await service.run(me, id, { pngs: [page] })
    await me.patch(`/v1/monitors/${id}`, { visual_config: { enabled: true, thresholdPct: 0 } })
    const silent = await service.run(me, id, { pngs: [await draw({ price: '2' })] })
    expect(silent.delivery_triggered).toBe(false)
    expect((await service.run(me, id, { pngs: [page] })).delivery_triggered).toBe(true)
  })
})

describe('GET /v1/run-images/{id}', () => {
  test('has kind, aggregateChangePct, hasChanges and the regions with their pictures', async () => {
    const regions = [{ rect: { x: 0, y: 0, width: 400, height: 300 }, label: 'Top' }, { selector: '#b' }]
    const id = await service.monitor(me, { regions })
    const first = await service.run(me, id, { pngs: [page, page] })
    expect(await imagesOf(first.id)).toMatchObject({
      kind: 'visual',
      aggregateChangePct: 0,
      hasChanges: false,
      regions: [
        { regionIndex: 0, label: 'Top', changedPct: 0, hasChanges: false, beforeUrl: null, diffUrl: null },
        { regionIndex: 1, label: 'region-2', changedPct: 0, hasChanges: false, beforeUrl: null, diffUrl: null },
      ],
    })

    const second = await imagesOf((await service.run(me, id, { pngs: [page, other] })).id)
    expect(second).toMatchObject({ aggregateChangePct: 1.25, hasChanges: true })
    const [same, changed] = second.regions
    expect(same).toMatchObject({ changedPct: 0, hasChanges: false, diffUrl: null })
    expect(changed).toMatchObject({ changedPct: 2.5, hasChanges: true })
    expect(await bytesOf(same?.beforeUrl ?? null)).toEqual(page)
    expect(await bytesOf(changed?.beforeUrl ?? null)).toEqual(page)
    expect(await bytesOf(changed?.afterUrl ?? null)).toEqual(other)
    expect(await look(await bytesOf(changed?.diffUrl ?? null), 300, 50)).toEqual({
      width: 400,
      height: 300,
      pixel: '#b52738',
    })
  })

  test('is 404 when the run has no visual capture, is under way, never was, or is another team’s', async () => {
    const id = await service.monitor(me)
    const run = await service.run(me, id, { pngs: [page] })
    const queued = await me.post(`/v1/monitors/${id}/run`)
    const stranger = await service.served.anotherTeam()
    expect((await stranger.get(`/v1/run-images/${run.id}`)).status).toBe(404)
    for (const missing of [queued.body.run_id, crypto.randomUUID(), 'x'])
      expect((await me.get(`/v1/run-images/${missing}`)).status).toBe(404)
  })

  test('a run without the visual layer has no visual_change_pct', async () => {
    const id = await service.monitor(me)
    const { body } = await me.post(`/v1/monitors/${id}/run`)
    expect((await me.get(`/v1/runs/${body.run_id}`)).body).not.toHaveProperty('visual_change_pct')
  })
})

describe('GET /v1/monitors/{id}/visual-history', () => {
  test('lists the runs that saw something, newest first, with small pictures', async () => {
    const id = await service.monitor(me)
    const runs = [await service.run(me, id, { pngs: [page] }), await service.run(me, id, { pngs: [other] })]
    const { body } = await me.get(`/v1/monitors/${id}/visual-history`)
    expect(body.data).toEqual([
      expect.objectContaining({ run_id: runs[1]?.id, change_pct: 2.5, has_changes: true }),
      expect.objectContaining({ run_id: runs[0]?.id, change_pct: 0, has_changes: false }),
    ])
    expect(Object.keys(body.data[0] ?? {})).toEqual(['run_id', 'started_at', 'change_pct', 'has_changes', 'thumb_url'])
    expect(await look(await bytesOf(body.data[0]?.['thumb_url'] ?? null))).toMatchObject({ width: 320, height: 240 })
    expect((await me.get(`/v1/monitors/${id}/visual-history?limit=1`)).body.data).toHaveLength(1)
  })

  test('takes a limit of 1 to 20', async () => {
    const id = await service.monitor(me)
    for (const limit of ['0', '21', 'x']) {
      const answer = await me.get(`/v1/monitors/${id}/visual-history?limit=${limit}`)
      expect(answer.status, limit).toBe(422)
    }
    expect((await me.get(`/v1/monitors/${id}/visual-history?limit=20`)).body.data).toEqual([])
  })

  test('is 404 for a monitor that is another team’s, deleted, or never was', async () => {
    const id = await service.monitor(me)
    const stranger = await service.served.anotherTeam()
    expect((await stranger.get(`/v1/monitors/${id}/visual-history`)).status).toBe(404)
    await me.delete(`/v1/monitors/${id}`)
    expect((await me.get(`/v1/monitors/${id}/visual-history`)).status).toBe(404)
  })
})

test('GET /v1/monitors has visual=true for monitors with the layer, false for those without', async () => {
  const client = await service.served.anotherTeam()
  const on = await service.monitor(client)
  const off = (await client.post('/v1/monitors', { ...MONITOR, visual_config: { enabled: false } })).body.id
  const ids = async (visual: boolean) =>
    (await client.get(`/v1/monitors?visual=${visual}`)).body.data.map(({ id }) => id)
  expect(await ids(true)).toEqual([on])
  expect(await ids(false)).toEqual([off])
})

describe('signed addresses', () => {
  let url: string
  beforeAll(async () => {
    const run = await service.run(me, await service.monitor(me), { pngs: [page] })
    url = (await imagesOf(run.id)).regions[0]?.afterUrl ?? ''
  })

  test('open a picture without credentials, as a PNG that nothing else can be taken for', async () => {
    const answer = await fetchImage(url)
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, max-age=60',
      'referrer-policy': 'no-referrer',
      'content-security-policy': "default-src 'none'; sandbox",
    })
  })

  test('are 403 when any byte of them is another', async () => {
    const path = new URL(url).pathname
    const token = path.slice(path.lastIndexOf('/') + 1)
    const taken: string[] = []
    for (const at of Array.from(token).keys()) {
      const wrong = `${token.slice(0, at)}${token[at] === 'a' ? 'b' : 'a'}${token.slice(at + 1)}`
      if ((await fetch(`${service.served.baseUrl}/v1/images/${wrong}`)).status !== 403) taken.push(wrong)
    }
    for (const wrong of [token.slice(0, -1), `${token}a`, token.toUpperCase(), `.${token}`, 'x', '%00'])
      if ((await fetch(`${service.served.baseUrl}/v1/images/${wrong}`)).status === 200) taken.push(wrong)
    expect(taken).toEqual([])
  })

  test('are over after five minutes, by the clock', async () => {
    const name = new URL(service.served.api.databaseUrl).pathname.slice(1)
    const until = async (offset: string) => {
      await service.served.api.sql(`alter database ${name} set tidemark.clock_offset = '${offset}'`)
      return (await fetchImage(url)).status
    }
    expect(await until('4 minutes')).toBe(200)
    expect(await until('301 seconds')).toBe(403)
    expect(await until('0 seconds')).toBe(200)
  })

  test('of another installation’s key open nothing', async () => {
    const { teamId, imageId } = service.served.api.services.imageLinks.read(url.slice(url.lastIndexOf('/') + 1)) ?? {}
    const forged = createImageLinks('another key', service.served.baseUrl).sign(teamId ?? '', imageId ?? '', Date.now())
    expect((await fetch(forged)).status).toBe(403)
    const stranger = await service.served.anotherTeam()
    const theirs = service.served.api.services.imageLinks.sign(stranger.owner.team_id, imageId ?? '', Date.now())
    expect((await fetchImage(theirs)).status).toBe(404)
    expect(await service.objects.get(imageName(teamId ?? '', imageId ?? ''))).not.toBeNull()
  })
})
