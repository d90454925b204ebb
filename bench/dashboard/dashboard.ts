import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { createPolicy } from '../../egress/policy.ts'
import { startBrowser } from '../../runners/browser/chromium/one-browser.ts'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { startApiCommand } from '../api/api-command.ts'
import type { Server } from '../support/database.ts'
import { type InBrowser, measureList } from './in-browser.ts'
import { seedTeam } from './seed.ts'

/** The size of the measurement. */
export interface DashboardSize {
  /** Numbers of monitors. The list is opened in a browser with the first. */
  readonly monitors: readonly number[]
  /** Requests for each order. */
  readonly asks: number
  /** Times that the list is opened. */
  readonly loads: number
}

interface Answered {
  readonly monitors: number
  readonly what: string
  readonly p50Ms: number
  readonly p95Ms: number
}

export interface DashboardFigures extends DashboardSize {
  readonly date: string
  readonly answers: readonly Answered[]
  readonly browser: InBrowser
}

const ORDERS = ['-last_change', 'name', '-failures', '-last_run', '-created']

/** Measures pages of the overview by each order, and the list of monitors in a browser. */
export async function measureDashboard(
  server: Server,
  size: DashboardSize,
  say: (line: string) => void,
): Promise<DashboardFigures> {
  const answers: Answered[] = []
  let browser: InBrowser | null = null
  for (const monitors of size.monitors) {
    say(`the dashboard with ${monitors} monitors`)
    const database = await server.create(`bench_dashboard_${monitors}`)
    const owner = await seedTeam(database, monitors)
    const api = await startApiCommand(database.url)
    try {
      answers.push(...(await measureAnswers(api.base, owner, { monitors, asks: size.asks })))
      browser ??= await inBrowser(api.base, owner, size.loads)
    } finally {
      await api.stop()
      await database.close()
    }
  }
  if (browser === null) throw new RangeError('no number of monitors')
  return { ...size, date: new Date().toISOString(), answers, browser }
}

interface Asked {
  readonly monitors: number
  readonly asks: number
}

async function measureAnswers(base: string, owner: CreatedOwner, { monitors, asks }: Asked): Promise<Answered[]> {
  const dispatcher = new Agent({ connections: 1 })
  const headers = { authorization: `Bearer ${owner.api_key}` }
  const timesOf = async (path: (nth: number) => string) => {
    const took: number[] = []
    for (let nth = 0; nth < asks + 3; nth += 1) {
      const from = performance.now()
      const { statusCode, body } = await request(base + path(nth), { dispatcher, headers })
      await body.text()
      if (statusCode !== 200) throw new Error(`${path(nth)} was answered with ${statusCode}`)
      took.push(performance.now() - from)
    }
    // The first ones open the connection, and compile.
    return { p50Ms: shareOf(took.slice(3), 0.5), p95Ms: shareOf(took.slice(3), 0.95) }
  }
  try {
    const found: Answered[] = []
    const pages = Math.floor(monitors / 100)
    // Windows from the whole list, as somebody reads them who scrolls.
    for (const sort of ORDERS) {
      const path = (nth: number) => `/v1/overview?sort=${sort}&limit=100&page=${1 + ((nth * 37) % pages)}`
      found.push({ monitors, what: `sort=${sort}`, ...(await timesOf(path)) })
    }
    found.push({ monitors, what: 'counts', ...(await timesOf(() => '/v1/overview/counts')) })
    return found
  } finally {
    await dispatcher.close()
  }
}

/** Returns the value below which a share of them is. */
function shareOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

async function inBrowser(base: string, owner: CreatedOwner, loads: number): Promise<InBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-bench-browser-'))
  const browser = await startBrowser(
    {
      egress: createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] }),
      path: null,
      dataDir: folder,
      socket: null,
      processMb: 1024,
      work: { cpuSeconds: 600, threads: 100 },
    },
    true,
  )
  try {
    return await measureList(browser.playwright, { base, token: owner.session_token, loads })
  } finally {
    browser.kill()
    await browser.ended
    await rm(folder, { recursive: true, force: true })
  }
}
