import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { faultsOf } from '../../support/api/monitor-requests.ts'
import { startWatching, type Watching } from '../../support/api/watching.ts'
import { linesPdf, tableOf } from '../../support/documents/files.ts'

const table = (price: number) =>
  tableOf('Prices', [
    ['SKU', 'Price'],
    ['K-8', 7],
    ['K-9', price],
  ])
const extract_config = {
  method: 'json_path',
  read_as: 'document',
  fields: { price: "$.sheets[?@.name == 'Prices'].records[?@.SKU == 'K-9'].Price" },
}
const TERMS = { extract_config: { method: 'full_page', read_as: 'document' } }

describe('read_as document', () => {
  let watching: Watching
  beforeAll(async () => {
    watching = await startWatching()
  })
  afterAll(() => watching.close())

  test('reads a cell of a workbook, and fires when it differs', async () => {
    const watched = await watching.watch(table(19.9), { extract_config })
    expect(watched.baseline).toMatchObject({ status: 'success', extracted: { price: [19.9] } })
    watched.set(table(18))
    expect(await watched.run()).toMatchObject({
      fired: true,
      diff: { before: { price: [19.9] }, after: { price: [18] } },
    })
  })

  test('compares the text of a PDF, and not its bytes', async () => {
    const watched = await watching.watch(linesPdf(['Terms', 'Delivery takes two days.']), TERMS)
    expect(watched.baseline).toMatchObject({ status: 'success' })
    const again = linesPdf(['Terms', 'Delivery takes two days.']).toString('latin1')
    watched.set(Buffer.from(again.replace('%PDF-1.7', '%PDF-1.6'), 'latin1'))
    expect(await watched.run()).toMatchObject({ status: 'success', fired: false })
    watched.set(linesPdf(['Terms', 'Delivery takes three days.']))
    expect(await watched.run()).toMatchObject({ status: 'success', fired: true })
  })

  test('keeps its baseline where a file is damaged, and compares the next whole one with it', async () => {
    const watched = await watching.watch(table(5), { extract_config })
    watched.set(table(6).subarray(0, -40))
    expect(await watched.run()).toMatchObject({
      ...{ status: 'error', error_code: 'unreadable_document', extracted: {}, fired: false },
      error_message: expect.stringContaining('The file is damaged'),
    })
    watched.set('<!doctype html><p>Sign in')
    expect(await watched.run()).toMatchObject({ error_code: 'unreadable_document' })
    watched.set(table(6))
    expect(await watched.run()).toMatchObject({ fired: true, diff: { before: { price: [5] }, after: { price: [6] } } })
  })

  test('makes the next run a silent baseline when it is set or removed', async () => {
    const watched = await watching.watch(linesPdf(['Terms']), { extract_config: { method: 'full_page' } })
    const path = `/v1/monitors/${watched.id}`
    expect(await watching.served.me.patch(path, TERMS)).toMatchObject({ status: 200, body: TERMS })
    watched.set(linesPdf(['Other terms']))
    expect(await watched.run()).toMatchObject({ fired: false, diff: {} })
    watched.set(linesPdf(['New terms']))
    expect(await watched.run()).toMatchObject({ fired: true })
  })

  test('is no JSON and no page to selectors without it', async () => {
    const watched = await watching.watch(linesPdf(['Terms']), {
      extract_config: { method: 'json_path', fields: { it: '$' } },
    })
    expect(watched.baseline).toMatchObject({ status: 'error', error_code: 'wrong_type' })
  })

  test.each([
    ['in a browser', { fetch_mode: 'browser' }],
    ['with pictures', { visual_config: { enabled: true } }],
  ])('is refused %s, by its path', async (_, more) => {
    expect(await faultsOf(watching.served.me, { extract_config, ...more })).toEqual(['extract_config.read_as'])
  })
})
