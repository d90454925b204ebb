import { expect, test } from 'vitest'
import type { Reading } from '../../../runners/check/reading.ts'
import { previewOf } from '../../../worker/previews/preview.ts'
import { NEVER } from '../../support/browser/test-browsers.ts'

test('a preview names only fields of its configuration as emptied, each once, whatever a runner sends', async () => {
  const reading: Reading = {
    kind: 'values',
    fetchMethod: 'static',
    mark: { etag: null, lastModified: null, bodyHash: null },
    values: { price: '', stock: '' },
    warnings: [],
    emptied: ['stock', 'of nobody', 'price', 'stock', '__proto__'],
  }
  const config = {
    url: 'https://shop.example/',
    extract_config: { method: 'css', fields: { price: 'b', stock: 'i', title: 'h1' } },
    fetch_mode: 'auto',
    request_config: null,
    request_headers: null,
    visual_config: null,
  } as const
  const ports = { signal: NEVER, startedAt: performance.now(), extractor: undefined as never }
  expect(await previewOf(reading, config, ports)).toMatchObject({ emptied: ['price', 'stock'] })
  const none = await previewOf({ ...reading, emptied: ['of nobody'] }, config, ports)
  expect(none).not.toHaveProperty('emptied')
})
