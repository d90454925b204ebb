import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createVisualService, type VisualService } from '../../spec/pictures/visual-service.ts'
import { draw } from '../pictures/drawings.ts'

let service: VisualService
let id: string
beforeEach(async () => {
  service = await createVisualService()
  const deliveries = [{ type: 'webhook', url: 'https://example.com/hook' }]
  id = await service.monitor(service.served.me, { thresholdPct: 1 }, { deliveries })
})
afterEach(() => service.close())

const PAGE = {}
const CHANGED = { box: { x: 0, y: 0, width: 200, height: 200 } }
/** The page as the site shows it to the address of the proxy. */
const ELSEWHERE = { box: { x: 100, y: 100, width: 300, height: 200 } }
const ELSEWHERE_CHANGED = { box: { x: 20, y: 300, width: 300, height: 200 } }

const seen = async (by: 'browser' | 'proxy', drawing: Parameters<typeof draw>[0]) => {
  const run = await service.run(service.served.me, id, { pngs: [await draw(drawing)], by })
  return { fired: run.delivery_triggered, warned: run.warnings.join().includes('by another layer') }
}
const SILENT = { fired: false, warned: false }
const WARNED = { fired: false, warned: true }
const FIRED = { fired: true, warned: false }

describe('pictures of a page that two layers draw', () => {
  test('are compared with each other where both see the same page: no message, and a change fires once', async () => {
    expect(await seen('browser', PAGE)).toEqual(SILENT)
    expect(await seen('proxy', PAGE)).toEqual(SILENT)
    expect(await seen('proxy', CHANGED)).toEqual(FIRED)
    expect(await seen('browser', CHANGED)).toEqual(SILENT)
  })

  test('never fire by a change of the layer, there and back again, where the proxy sees another page', async () => {
    expect(await seen('browser', PAGE)).toEqual(SILENT)
    expect(await seen('proxy', ELSEWHERE)).toEqual(WARNED)
    for (let round = 0; round < 2; round++) {
      expect(await seen('browser', PAGE)).toEqual(SILENT)
      expect(await seen('proxy', ELSEWHERE)).toEqual(SILENT)
      expect(await seen('proxy', ELSEWHERE)).toEqual(SILENT)
    }
  })

  test('fire where the layer itself sees a change, and not again for the same change by the other', async () => {
    await seen('browser', PAGE)
    await seen('proxy', ELSEWHERE)
    expect(await seen('proxy', ELSEWHERE_CHANGED)).toEqual(FIRED)
    expect(await seen('browser', CHANGED)).toEqual(WARNED)
    expect(await seen('browser', CHANGED)).toEqual(SILENT)
  })

  test('fire on the way back where the page changed while the other layer drew it', async () => {
    await seen('browser', PAGE)
    expect(await seen('proxy', ELSEWHERE)).toEqual(WARNED)
    expect(await seen('browser', CHANGED)).toEqual(FIRED)
  })

  test('keep a change that came together with a change of the layer until the first one is back', async () => {
    await seen('browser', PAGE)
    expect(await seen('proxy', CHANGED)).toEqual(WARNED)
    expect(await seen('browser', CHANGED)).toEqual(FIRED)
  })

  test('are those of their own run after an edit, whichever layer draws it', async () => {
    await seen('browser', PAGE)
    await seen('proxy', ELSEWHERE)
    await service.served.me.patch(`/v1/monitors/${id}`, { visual_config: { enabled: true, thresholdPct: 2 } })
    expect(await seen('browser', CHANGED)).toEqual(SILENT)
    expect(await seen('proxy', CHANGED)).toEqual(SILENT)
  })
})
