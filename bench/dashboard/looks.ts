import { startTestBrowser } from '../../test/support/browser/test-browser.ts'
import { openSite } from '../../test/support/network/site.ts'
import { startApiCommand } from '../api/api-command.ts'
import type { Spread } from '../results/stats.ts'
import type { Server } from '../support/database.ts'
import { insertOwner } from '../support/monitors.ts'
import { type FirstValue, measureFirstValue } from './first-value.ts'
import { measureElements } from './look-elements.ts'
import { ITEMS, itemsPage, SMALL_BOXES, smallBoxesPage } from './looked-pages.ts'
import { measurePointing, type Pointed } from './pointing.ts'

/** The size of the measurement. */
export interface LooksSize {
  /** Looks at a page. */
  readonly looks: number
  /** Renders of a page with its elements and without them. */
  readonly renders: number
  /** Places that the pointer goes to, elements that are pressed, and letters that are typed; 140 at most. */
  readonly points: number
  /** Starts of an empty installation. */
  readonly starts: number
}

export interface LooksFigures extends Pointed {
  readonly date: string
  readonly items: number
  readonly boxes: number
  /** From the request for a look to its answer. */
  readonly lookMs: readonly number[]
  /** A render with the elements over one without them. */
  readonly elements: Spread
  readonly firstValue: readonly FirstValue[]
}

/** Measures looks at pages, the screen on which somebody points at them, and the way to the first value. */
export async function measureLooks(
  server: Server,
  size: LooksSize,
  say: (line: string) => void,
): Promise<LooksFigures> {
  await using site = await openSite()
  await using browser = await startTestBrowser(600)
  const items = site.page('/items', itemsPage())
  say('renders with elements and without')
  const elements = await measureElements(items, size.renders)
  const firstValue: FirstValue[] = []
  say('from an empty installation to the first value')
  for (let nth = 0; nth < size.starts; nth += 1) firstValue.push(await measureFirstValue(browser.playwright))
  const database = await server.create('bench_looks')
  const { api_key: key, session_token: token } = await insertOwner(database)
  const api = await startApiCommand(database.url)
  try {
    say('looks')
    const lookMs = await measureAnswers(api.base, key, { url: items, count: size.looks })
    say('pointing')
    const pages = { items, boxes: site.page('/boxes', smallBoxesPage()) }
    const pointed = await measurePointing(browser.playwright, { base: api.base, token, pages, points: size.points })
    return {
      date: new Date().toISOString(),
      items: ITEMS,
      boxes: SMALL_BOXES,
      lookMs,
      elements,
      firstValue,
      ...pointed,
    }
  } finally {
    await api.stop()
    await database.close()
  }
}

interface Asked {
  readonly url: string
  readonly count: number
}

/** Looks at a page so many times. The first look, which starts the browser, is left out. */
async function measureAnswers(base: string, key: string, { url, count }: Asked): Promise<number[]> {
  const took: number[] = []
  for (let nth = 0; nth <= count; nth += 1) {
    const from = performance.now()
    const answer = await fetch(`${base}/v1/looks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`a look was answered with ${answer.status}: ${text.slice(0, 500)}`)
    const { picture, elements } = JSON.parse(text) as { picture: string | null; elements: readonly object[] }
    if (picture === null || elements.length < ITEMS) throw new Error('a look has no picture or too few elements')
    took.push(performance.now() - from)
  }
  return took.slice(1)
}
