import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { startTestBrowser } from '../../test/support/browser/test-browser.ts'
import { startApiCommand } from '../api/api-command.ts'
import type { Server } from '../support/database.ts'
import { type FirstRows, measureFirstRows } from './first-rows.ts'
import { measureReplay, type ReplayBeside } from './replay-beside.ts'
import { LABEL, type ScreensSeed, seedScreens } from './seed-screens.ts'

/** The size of the measurement. */
export interface ScreensSize extends ScreensSeed {
  /** Times that each screen is opened. */
  readonly loads: number
  /** Monitors of the status page, and times that it is asked for: an address may ask 120 times a minute. */
  readonly shown: number
  readonly looks: number
}

export interface ScreensFigures {
  readonly date: string
  readonly size: ScreensSeed
  readonly screens: readonly FirstRows[]
  readonly replay: ReplayBeside
  readonly mute: { readonly monitors: number; readonly ms: number }
  readonly statusPage: StatusPageCost
}

interface StatusPageCost {
  readonly monitors: number
  readonly looksMs: readonly number[]
  readonly compressedBytes: number
}

/** Measures the screens beside the list, a replay, a mute of a label, and a status page. */
export async function measureScreens(
  server: Server,
  size: ScreensSize,
  say: (line: string) => void,
): Promise<ScreensFigures> {
  say('the other screens of the dashboard')
  const database = await server.create('bench_screens')
  const { api_key: key, session_token: token, team_id: teamId } = await seedScreens(database, size)
  const api = await startApiCommand(database.url)
  const ask = askerOf(api.base, token)
  try {
    await using browser = await startTestBrowser(600)
    const screens = await measureFirstRows(browser.playwright, { base: api.base, token, loads: size.loads })
    say('a status page')
    const statusPage = await measureStatusPage(api.base, ask, size)
    say('a mute of a label')
    const mute = await measureMute(ask, size.monitors)
    say('a replay')
    const asKey = askerOf(api.base, key)
    const replay = await measureReplay({ database, teamId, replay: () => replayDead(asKey, size.dead) })
    return { date: new Date().toISOString(), size, screens, replay, mute, statusPage }
  } finally {
    await api.stop()
    await database.close()
  }
}

type Ask = <T>(method: 'GET' | 'POST', path: string, body?: object) => Promise<T>

const askerOf =
  (base: string, credential: string): Ask =>
  async <T>(method: 'GET' | 'POST', path: string, body?: object) => {
    const answer = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${credential}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text.slice(0, 500)}`)
    return JSON.parse(text) as T
  }

async function replayDead(ask: Ask, expected: number): Promise<number> {
  const filter = { given_up: true, status: 'dead' }
  const { queued } = await ask<{ queued: number }>('POST', '/v1/deliveries/replay', { filter, expected })
  return queued
}

async function measureMute(ask: Ask, monitors: number): Promise<ScreensFigures['mute']> {
  const filter = { label: `${LABEL.key}=${LABEL.value}` }
  const from = performance.now()
  await ask('POST', '/v1/overview/mute', { filter, expected: monitors, until: null })
  const ms = performance.now() - from
  await ask('POST', '/v1/overview/unmute', { filter, expected: monitors })
  return { monitors, ms }
}

/** Longer than a page is kept, so that some looks wait for the store. */
const EVERY_MS = 120

async function measureStatusPage(base: string, ask: Ask, size: ScreensSize): Promise<StatusPageCost> {
  const monitors: { monitor_id: string; name: string; show_value: boolean }[] = []
  while (monitors.length < size.shown) {
    const page = 1 + monitors.length / 100
    const path = `/v1/overview?sort=created&limit=${Math.min(100, size.shown)}&page=${page}`
    const { data } = await ask<{ data: readonly { id: string; name: string }[] }>('GET', path)
    if (data.length === 0) throw new RangeError('the team has fewer monitors than the page is to show')
    for (const { id, name } of data.slice(0, size.shown - monitors.length))
      monitors.push({ monitor_id: id, name: `${name} of the shop`, show_value: true })
  }
  const shows = { by: 'monitors', monitors }
  const body = { title: 'Bench', slug: 'bench', shows }
  const { id } = await ask<{ id: string }>('POST', '/v1/status-pages', body)
  await ask('POST', `/v1/status-pages/${id}/publish`)
  const looksMs: number[] = []
  let compressedBytes = 0
  for (let nth = 0; nth < size.looks; nth += 1) {
    const from = performance.now()
    const answer = await fetch(`${base}/status/bench`)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`the status page was answered with ${answer.status}`)
    looksMs.push(performance.now() - from)
    compressedBytes = gzipSync(text).byteLength
    await pause(EVERY_MS)
  }
  return { monitors: size.shown, looksMs, compressedBytes }
}
