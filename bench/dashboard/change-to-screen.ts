import type { Browser, BrowserContext } from 'playwright-core'
import type { Database } from '../support/database.ts'
import { startWorkerProcess } from '../support/worker-process.ts'
import { signedIn, type SignedIn } from './signed-in.ts'

interface Watched extends SignedIn {
  readonly database: Database
  /** Another price each time. */
  readonly page: string
  readonly changes: number
}

/** The text of the first row, which is that of the first name. */
const ROW = `document.querySelector('[role=rowgroup] [role=row]:has(a)')?.innerText`

/**
 * Measures how long after the record of a change the list shows it, in ms. The change is found by a worker, and told by
 * the stream of events. The record's time and that of the screen are of one clock.
 */
export async function measureChanges(browser: Browser, watched: Watched): Promise<readonly number[]> {
  const { database, page: url, changes } = watched
  const { no } = await database.one<{ no: string }>(
    `update monitors set url = $1 where name = 'Kettle 1' returning no`,
    [url],
  )
  const worker = await startWorkerProcess(database.url)
  const context = await signedIn(browser, watched)
  try {
    return await changesOf(context, { ...watched, no, changes })
  } finally {
    await context.close()
    await worker.stop()
  }
}

async function changesOf(context: BrowserContext, { base, database, no, changes }: Watched & { readonly no: string }) {
  const page = await context.newPage()
  const stream = page.waitForResponse((answer) => answer.url().includes('/v1/events'))
  await page.goto(`${base}/?sort=name`)
  await page.waitForFunction(`(${ROW})?.includes('Kettle 1')`)
  await stream
  const took: number[] = []
  for (let nth = 0; nth <= changes; nth += 1) {
    const before = await page.evaluate<string>(`(${ROW}).match(/[€$] ?[\\d.]+/)[0]`)
    await database.client.query('update checks set due_at = clock(), next_run_at = clock() where no = $1', [no])
    const shown = await page.waitForFunction(
      `(${ROW}).match(/[€$] ?[\\d.]+/)[0] !== ${JSON.stringify(before)} && Date.now()`,
      undefined,
      { polling: 'raf' },
    )
    const { at } = await database.one<{ at: number }>(
      'select (extract(epoch from last_run_at) * 1000)::float8 as at from checks where no = $1',
      [no],
    )
    // At the first one the page may still read what it missed before its stream.
    if (nth > 0) took.push(Number(await shown.jsonValue()) - at)
  }
  return took
}
