import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { OVERVIEW_ORDERS } from '../../schema/overview/overview.ts'
import { shareOf } from '../results/stats.ts'

/** How long one question about the list takes, with so many monitors. */
export interface Answered {
  readonly monitors: number
  readonly what: string
  readonly p50Ms: number
  readonly p95Ms: number
}

interface Asked {
  readonly base: string
  readonly key: string
  readonly monitors: number
  readonly asks: number
}

/** Each leaves a tenth or a twentieth of the seeded monitors, but for what nobody has seen: all. */
const FILTERS = ['q=kettle+1', 'failing=true', 'label=team%3Dteam-3', 'status=active', 'unseen=true']
/** A key may make 100 requests a second. */
const EVERY_MS = 12

/** Measures pages of the overview by every order and some filters, and the counts. */
export async function measureAnswers({ base, key, monitors, asks }: Asked): Promise<Answered[]> {
  const dispatcher = new Agent({ connections: 1 })
  const headers = { authorization: `Bearer ${key}` }
  const answered = async (what: string, path: (nth: number) => string): Promise<Answered> => {
    const took: number[] = []
    for (let nth = 0; nth < asks + 3; nth += 1) {
      const from = performance.now()
      const { statusCode, body } = await request(base + path(nth), { dispatcher, headers })
      await body.text()
      if (statusCode !== 200) throw new Error(`${path(nth)} was answered with ${statusCode}`)
      took.push(performance.now() - from)
      await pause(Math.max(0, EVERY_MS - (performance.now() - from)))
    }
    // The first ones open the connection, and compile.
    return { monitors, what, p50Ms: shareOf(took.slice(3), 0.5), p95Ms: shareOf(took.slice(3), 0.95) }
  }
  try {
    const found: Answered[] = []
    const pages = Math.floor(monitors / 100)
    // Windows from the whole list, as somebody reads them who scrolls.
    for (const sort of OVERVIEW_ORDERS)
      found.push(
        await answered(`sort=${sort}`, (nth) => `/v1/overview?sort=${sort}&limit=100&page=${1 + ((nth * 37) % pages)}`),
      )
    for (const filter of FILTERS)
      found.push(
        await answered(decodeURIComponent(filter), (nth) => `/v1/overview?${filter}&limit=100&page=${1 + (nth % 5)}`),
      )
    found.push(await answered('counts', () => '/v1/overview/counts'))
    return found
  } finally {
    await dispatcher.close()
  }
}
