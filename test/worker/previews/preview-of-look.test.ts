import { afterAll, expect, test } from 'vitest'
import { notAsked } from '../../../runners/check/look-documents.ts'
import { createExtractor } from '../../../runners/extract/pool/extractor.ts'
import { previewOfLook } from '../../../worker/previews/preview-of-look.ts'
import { NEVER } from '../../support/browser/test-browsers.ts'

const extractor = createExtractor({ threads: 1 })
afterAll(() => extractor.close())

const URL = 'https://shop.example/prices.csv'
const got = (body: string, contentType: string) => ({
  about: { ...notAsked().about, is_there: true, http_status: 200, content_type: contentType },
  document: { body: Buffer.from(body), contentType, url: URL },
})

test('a file is read as it was fetched, whatever a browser shows of it', async () => {
  const page = {
    documents: { fetched: got('Price\n5\n', 'text/csv'), rendered: got('Price,Stock\n6,7\n', 'text/csv') },
    browser_reason: 'needs_scripts',
  } as const
  for (const path of ['$.sheets[0].records[0].Price', '$.sheets[0].records[0].Stock']) {
    const config = {
      url: URL,
      extract_config: { method: 'json_path', read_as: 'document', fields: { it: path } },
      fetch_mode: 'auto',
      request_config: null,
      request_headers: null,
      visual_config: null,
    } as const
    expect(await previewOfLook(config, page, { extractor, signal: NEVER })).toMatchObject({
      status: 'success',
      fields: { it: path.endsWith('Price') ? 5 : null },
      fetch_method: 'static',
    })
  }
})
