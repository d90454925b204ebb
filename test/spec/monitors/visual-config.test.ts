import { describe, expect, test } from 'vitest'
import { createMonitor, faultsOf } from '../../support/api/monitor-requests.ts'
import { serveApi } from '../../support/api/served-api.ts'
import { refusals, titled } from '../../support/run/case-titles.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi())

const rect = { x: 0, y: 0, width: 10, height: 10 }
const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item)
const on = (more: object) => ({ enabled: true, ...more })
const at = (path: string) => [`visual_config.${path}`]

describe('visual config', () => {
  test('the defaults are a threshold of 1, the full page and no regions', async () => {
    const created = await createMonitor(served.me, { visual_config: { enabled: true } })
    expect(created['visual_config']).toEqual({ enabled: true, thresholdPct: 1, fullPage: true, regions: [] })
  })

  test.each(
    titled<object>([
      { enabled: false },
      on({ thresholdPct: 0 }),
      on({ thresholdPct: 100 }),
      on({ thresholdPct: 0.25, fullPage: false }),
      on({ regions: times(20, { selector: '#hero', label: 'Hero' }) }),
      on({ regions: [{ rect: { x: 0.5, y: 0, width: 1, height: 1.5 } }, { rect, label: 'Top' }] }),
      on({ ignoreSelectors: times(20, '.ad') }),
      on({ viewport: { height: 240 } }),
      on({ viewport: { width: 320, height: 240 } }),
      on({ viewport: { width: 3840, height: 2160 } }),
    ]),
  )('takes %s', async (_, visual_config) => {
    expect(await createMonitor(served.me, { visual_config })).toMatchObject({ visual_config })
  })

  test.each(
    refusals<object>([
      [{}, at('enabled')],
      [{ enabled: 'yes' }, at('enabled')],
      [on({ thresholdPct: -0.1 }), at('thresholdPct')],
      [on({ thresholdPct: 100.1 }), at('thresholdPct')],
      [on({ fullPage: 1 }), at('fullPage')],
      [on({ regions: times(21, { rect }) }), at('regions')],
      [on({ regions: [{ label: 'Neither' }] }), at('regions[0]')],
      [on({ regions: [{ rect }, { rect, selector: '#a' }] }), [...at('regions[1].rect'), ...at('regions[1].selector')]],
      [on({ regions: [{ rect: { x: 0, y: 0, width: 1 } }] }), at('regions[0].rect.height')],
      [on({ regions: [{ rect: { ...rect, width: 0.5 } }] }), at('regions[0].rect.width')],
      [on({ regions: [{ rect: { ...rect, height: 0 } }] }), at('regions[0].rect.height')],
      [on({ regions: [{ selector: 'div[' }] }), at('regions[0].selector')],
      [on({ ignoreSelectors: times(21, '.ad') }), at('ignoreSelectors')],
      [on({ ignoreSelectors: ['.ad', '..ad'] }), at('ignoreSelectors[1]')],
      [on({ viewport: { width: 319, height: 240 } }), at('viewport.width')],
      [on({ viewport: { width: 3841, height: 240 } }), at('viewport.width')],
      [on({ viewport: { width: 320, height: 239 } }), at('viewport.height')],
      [on({ viewport: { width: 320, height: 2161 } }), at('viewport.height')],
      [on({ threshold: 1 }), at('threshold')],
    ]),
  )('refuses %s', async (_, visual_config, paths) => {
    expect(await faultsOf(served.me, { visual_config })).toEqual(paths)
  })
})
