import type { Browser } from 'playwright-core'
import { startTestBrowser } from '../../test/support/browser/test-browser.ts'
import { startApiCommand } from '../api/api-command.ts'
import type { Stage } from '../checks/throughput.ts'
import { type Answered, measureAnswers } from './answers.ts'
import { type BesideStreams, measureBesideStreams, type StreamsSize } from './beside-streams.ts'
import { measureChanges } from './change-to-screen.ts'
import { type InBrowser, measureList } from './in-browser.ts'
import { seedTeam } from './seed.ts'

/** The size of the measurement. */
export interface DashboardSize {
  /** Numbers of monitors. The list is opened with the first, and changes are awaited with the last. */
  readonly monitors: readonly number[]
  /** Requests for each order and filter. */
  readonly asks: number
  /** Times that the list is opened. */
  readonly loads: number
  /** Changes that are awaited on the screen. */
  readonly changes: number
  readonly streams: StreamsSize
}

export interface DashboardFigures {
  readonly date: string
  readonly monitors: readonly number[]
  readonly answers: readonly Answered[]
  readonly browser: InBrowser
  /** From the record of a change to the screen, with the most monitors. */
  readonly changesMs: readonly number[]
  readonly streams: readonly BesideStreams[]
}

/** Measures pages of the overview, the list of monitors in a browser, and what the streams of events cost. */
export async function measureDashboard(
  stage: Pick<Stage, 'server' | 'base'>,
  size: DashboardSize,
  say: (line: string) => void,
): Promise<DashboardFigures> {
  await using browser = await startTestBrowser(600)
  const answers: Answered[] = []
  let list: InBrowser | null = null
  let changesMs: readonly number[] = []
  for (const monitors of size.monitors) {
    say(`the dashboard with ${monitors} monitors`)
    const found = await measureWith(stage, browser.playwright, { size, monitors, hasList: list === null })
    answers.push(...found.answers)
    list ??= found.list
    changesMs = found.changesMs
  }
  if (list === null) throw new RangeError('no number of monitors')
  say(`checks beside ${size.streams.streams} streams of events`)
  const streams = await measureBesideStreams(stage, size.streams)
  return { date: new Date().toISOString(), monitors: size.monitors, answers, browser: list, changesMs, streams }
}

interface With {
  readonly size: DashboardSize
  readonly monitors: number
  readonly hasList: boolean
}

async function measureWith(
  { server, base: target }: Pick<Stage, 'server' | 'base'>,
  browser: Browser,
  { size, monitors, hasList }: With,
) {
  const database = await server.create(`bench_dashboard_${monitors}`)
  const { api_key: key, session_token: token } = await seedTeam(database, monitors)
  const api = await startApiCommand(database.url)
  const person = { base: api.base, token }
  try {
    const answers = await measureAnswers({ base: api.base, key, monitors, asks: size.asks })
    const list = hasList ? await measureList(browser, { ...person, loads: size.loads }) : null
    const isLast = monitors === size.monitors.at(-1)
    const watched = { ...person, database, page: `${target}/changed/1`, changes: size.changes }
    return { answers, list, changesMs: isLast ? await measureChanges(browser, watched) : [] }
  } finally {
    await api.stop()
    await database.close()
  }
}
