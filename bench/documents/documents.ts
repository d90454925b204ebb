import { buffer } from 'node:stream/consumers'
import PDFDocument from 'pdfkit'
import type { Page } from '../../runners/extract/page.ts'
import { createExtractor, type Extractor } from '../../runners/extract/pool/extractor.ts'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import { tableOf } from '../../test/support/documents/files.ts'
import { type Spread, spreadOf } from '../results/stats.ts'

/** Milliseconds from a fetched file or page to its values. */
export interface DocumentTimes {
  readonly date: string
  /** With the start of the process that opens files. */
  readonly firstMs: number
  readonly cases: readonly { readonly name: string; readonly goalMs: number | null; readonly ms: Spread }[]
}

/** The size of the measurement. */
export interface DocumentsSize {
  readonly rounds: number
  readonly pages: number
  readonly rows: number
}

interface Case {
  readonly name: string
  /** Null: there is none. */
  readonly goalMs: number | null
  readonly page: Page
  readonly config: ExtractConfig
}

/** Reads each file in turn, as a worker does: its process and its threads are warm, and nothing else is read. */
export async function measureDocuments(size: DocumentsSize, say: (line: string) => void): Promise<DocumentTimes> {
  const cases = await casesOf(size)
  const extractor = createExtractor({ threads: 1 })
  try {
    say('documents')
    const [first] = cases
    const firstMs = first ? await timed(extractor, first) : Number.NaN
    // The first round compiles.
    for (const one of cases) await timed(extractor, one)
    const times = new Map(cases.map((one): [Case, number[]] => [one, []]))
    for (let round = 0; round < size.rounds; round += 1)
      for (const [one, taken] of times) taken.push(await timed(extractor, one))
    const measured = [...times].map(([{ name, goalMs }, taken]) => ({ name, goalMs, ms: spreadOf(taken) }))
    return { date: new Date().toISOString(), firstMs, cases: measured }
  } finally {
    await extractor.close()
  }
}

/** The body is copied: a large one is transferred to a thread, and is empty afterwards. */
async function timed(extractor: Extractor, { name, page, config }: Case): Promise<number> {
  const body = Buffer.from(page.body)
  const since = performance.now()
  const read = await extractor.extract({ ...page, body }, config)
  const ms = performance.now() - since
  if (!read.ok) throw new Error(`${name}: ${read.fault.message}`)
  return ms
}

async function casesOf({ pages, rows }: DocumentsSize): Promise<readonly Case[]> {
  const file = (body: Uint8Array): Page => ({ body, contentType: null, url: 'https://site.example/file' })
  const list = [['SKU', 'Name', 'Price'], ...Array.from({ length: rows }, (_, at) => [`K-${at}`, `Lamp ${at}`, at / 4])]
  const price = `$.sheets[0].records[?@.SKU == 'K-${rows - 1}'].Price`
  const product = { price: '$.product.price', availability: '$.product.availability' }
  const workbook = file(tableOf('Prices', list))
  const shop: Page = { ...file(Buffer.from(shopPage())), contentType: 'text/html' }
  const document = { read_as: 'document' } as const
  return [
    {
      name: `a PDF of ${pages} pages, its text`,
      goalMs: pages === 20 ? 400 : null,
      page: file(await pdfOf(pages)),
      config: { method: 'full_page', ...document },
    },
    {
      name: `a workbook of ${rows} rows, one cell by its row`,
      goalMs: rows === 10_000 ? 600 : null,
      page: workbook,
      config: { method: 'json_path', ...document, fields: { price } },
    },
    {
      name: `the same by css, all cells of a column`,
      goalMs: null,
      page: workbook,
      config: { method: 'css', ...document, fields: { names: 'td:nth-child(2)[]' } },
    },
    {
      name: `structured data of a page of ${Math.round(shop.body.byteLength / 1024)} KiB`,
      goalMs: null,
      page: shop,
      config: { method: 'json_path', read_as: 'structured_data', fields: product },
    },
  ]
}

const SENTENCE = 'The harbour office is open from Monday to Friday between eight and five, and on Saturday until noon. '

async function pdfOf(pages: number): Promise<Buffer> {
  const file = new PDFDocument({ size: 'A4', margin: 72 })
  const read = buffer(file)
  file.font('Helvetica').fontSize(10)
  for (let page = 1; page <= pages; page += 1) {
    if (page > 1) file.addPage()
    for (let at = 0; at < 12; at += 1) file.text(`${page}.${at} ${SENTENCE.repeat(3)}`).moveDown(1)
  }
  file.end()
  return read
}

/** A page of a shop, with the product twice and much beside it. */
function shopPage(): string {
  const offer = { '@type': 'Offer', price: '19.90', availability: 'https://schema.org/InStock' }
  const product = { '@context': 'https://schema.org', '@type': 'Product', name: 'Lamp', sku: 'K-9', offers: offer }
  const others = Array.from(
    { length: 600 },
    (_, at) => `<div class="card"><a href="/p/${at}"><b>Lamp ${at}</b></a><p>${SENTENCE}</p><i>$${at}.90</i></div>`,
  )
  return (
    `<!doctype html><title>Lamp</title><meta property="og:title" content="Lamp"><script type="application/ld+json">` +
    `${JSON.stringify(product)}</script><div itemscope itemtype="https://schema.org/Product"><h1 itemprop="name">Lamp` +
    `</h1><span itemprop="sku">K-9</span></div>${others.join('')}`
  )
}
