import { createHash } from 'node:crypto'
import { spreadOf } from '../results/stats.ts'
import type { PageReader } from './page-reader.ts'
import { openPartsSite } from './parts-site.ts'
import { processorTimeMs } from './processor-time.ts'
import type { RecordedPage } from './recorded-pages.ts'

/** Milliseconds for one check of a page, as means over the pages. */
export interface Cost {
  readonly pages: number
  /** The response is known by its hash, so that nothing is read. */
  readonly unchanged: OneCost
  /** With the text that is kept to show what changed. */
  readonly sent: OneCost
  readonly text: OneCost
  readonly rendered: OneCost
}

export interface OneCost {
  readonly cpuMs: number
  readonly medianWallMs: number
}

const REPEATS = 5
const MORE_REPEATS = 50

/** Measures what one check of each page costs in each way, one after another. */
export async function measureCost(pages: readonly RecordedPage[], reader: PageReader): Promise<Cost> {
  const site = await openPartsSite()
  const each = async (
    times: number,
    read: (url: string, bodyHash: Uint8Array) => Promise<unknown>,
  ): Promise<OneCost> => {
    const wallTimesMs: number[] = []
    const before = await processorTimeMs()
    for (const { html, contentType } of pages) {
      const body = Buffer.from(html, 'latin1')
      const bodyHash = createHash('sha256').update(body).digest().subarray(0, 16)
      site.send({ body, contentType, fetchedText: '', scriptText: '' })
      for (let time = 0; time < times; time += 1) {
        const start = performance.now()
        await read(site.url, bodyHash)
        wallTimesMs.push(performance.now() - start)
      }
    }
    return {
      cpuMs: ((await processorTimeMs()) - before) / wallTimesMs.length,
      medianWallMs: spreadOf(wallTimesMs).median,
    }
  }
  try {
    // Threads are started and code is compiled before anything is measured; the browser is started after the direct
    // requests, because it uses processor time while it waits.
    await each(1, reader.sent)
    await each(1, reader.text)
    const unchanged = await each(MORE_REPEATS, reader.unchanged)
    const sent = await each(REPEATS, reader.sent)
    const text = await each(REPEATS, reader.text)
    await reader.rendered(site.url)
    return { pages: pages.length, unchanged, sent, text, rendered: await each(1, reader.rendered) }
  } finally {
    await site.close()
  }
}
