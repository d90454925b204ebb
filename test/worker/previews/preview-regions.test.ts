import { afterAll, expect, test, vi } from 'vitest'
import { createPolicy } from '../../../egress/policy.ts'
import { createPreviews } from '../../../worker/previews/previews.ts'
import { testBrowsers } from '../../support/browser/test-browsers.ts'
import { unpaidWork } from '../../support/database/spend-run.ts'
import { openSite, status } from '../../support/network/site.ts'

vi.setConfig({ testTimeout: 60_000 })

const browsers = testBrowsers()
const previews = createPreviews({
  egress: createPolicy({ allowPrivateCidrs: ['127.0.0.1/32'], neverAllow: [] }),
  browser: browsers,
})
afterAll(async () => {
  await previews.close()
  await browsers.close()
})

test('a preview warns of a region that is not on the page, and of no other', async () => {
  await using site = await openSite({ otherwise: status(404) })
  const url = site.page('/lamp', '<!doctype html><h1>Lamp</h1><p id="price">49</p>')
  const slot = previews.enter('team')
  if (slot.kind !== 'place') throw new Error('no slot')
  const shown = await slot.run(unpaidWork('team'), {
    url,
    extract_config: { method: 'css', fields: { name: 'h1' } },
    fetch_mode: 'auto',
    request_headers: null,
    request_config: null,
    visual_config: { enabled: true, regions: [{ selector: '#price' }, { selector: '#stock', label: 'Stock' }] },
  })
  slot.leave()
  expect(shown).toMatchObject({
    kind: 'done',
    preview: {
      status: 'success',
      fields: { name: 'Lamp' },
      warnings: ['The region "Stock" was not found on the page; its picture is empty.'],
    },
  })
})
