import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, request } from 'undici'
import { createOwner } from '../../store/accounts/accounts.ts'
import { openStore } from '../../store/db/client.ts'
import { startChild } from '../support/child.ts'
import type { Database, Server } from '../support/database.ts'
import { startApiCommand } from './api-command.ts'
import { dearRequests, fillRuns, monitorOf } from './dear-requests.ts'
import type { FloodCounts, FloodQuestion } from './flood.ts'

/** The size of the measurement. */
export interface NeighbourSize {
  /** Seconds for each row. */
  readonly seconds: number
  /** Clients of the other team. */
  readonly atOnce: number
}

/** The waits of one who asks for one small thing at a time, in ms. */
interface Waits {
  /** Null: nobody else asked for anything. */
  readonly beside: string | null
  readonly count: number
  /** Its requests whose answer was no 200. */
  readonly failed: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly mostMs: number
  /** How often the other team was answered, and how often with 429. */
  readonly answers: number
  readonly refused: number
  /** The most resident memory of the API process meanwhile. Its heap is that of a container of 512 MiB. */
  readonly mostBytes: number
}

export interface NeighbourWaits extends NeighbourSize {
  readonly date: string
  readonly rows: readonly Waits[]
}

/** Measures what a team waits for, alone and beside a free team that does the worst that is allowed. */
export async function measureNeighbour(
  server: Server,
  size: NeighbourSize,
  say: (line: string) => void,
): Promise<NeighbourWaits> {
  const database = await server.create('bench_neighbour')
  const target = await openTarget()
  const flood = startChild<FloodQuestion, FloodCounts>(new URL('./flood.ts', import.meta.url))
  const api = await startApiCommand(database.url)
  const agent = new Agent({ connections: 1 })
  try {
    const [mine, theirs] = [await openTeam(database, 'neighbour'), await openTeam(database, 'other')]
    const small = await createMonitor(api.base, mine)
    const monitorId = await createMonitor(api.base, theirs)
    const monitorIds: string[] = []
    while (monitorIds.length < MANY) monitorIds.push(await createMonitor(api.base, theirs))
    const runId = await fillRuns(database, monitorId)
    const look = () => lookAt(agent, `${api.base}/v1/monitors/${small}`, mine)
    const rows: Waits[] = []
    const measure = async (beside: string | null) => {
      say(`a neighbour beside ${beside ?? 'nobody'}`)
      const took = await waitsOf(look, size.seconds)
      return { beside, ...took }
    }
    await waitsOf(look, 1)
    rows.push({ ...(await measure(null)), answers: 0, refused: 0, mostBytes: api.mostBytes() })
    for (const [beside, requests] of Object.entries(dearRequests({ monitorId, monitorIds, runId, page: target.url }))) {
      await flood.ask({ what: 'begin', base: api.base, key: theirs, requests, atOnce: size.atOnce })
      const waits = await measure(beside)
      const counts = await flood.ask({ what: 'end' })
      const answers = Object.entries(counts).reduce((sum, [status, count]) => sum + (status === '0' ? 0 : count), 0)
      rows.push({ ...waits, answers, refused: counts[429] ?? 0, mostBytes: api.mostBytes() })
    }
    return { ...size, date: new Date().toISOString(), rows }
  } finally {
    await agent.destroy()
    await flood.stop()
    await api.stop()
    await target.close()
    await database.close()
  }
}

/** As many as one request changes. */
const MANY = 100

/** Opens an account on the plan `free`. Returns its key. */
async function openTeam({ url }: Database, name: string): Promise<string> {
  const store = await openStore({ url, name: 'bench neighbour', connections: 1 })
  try {
    const made = await createOwner(store, {
      email: `${name}@example.com`,
      plan: 'free',
      serp: false,
      sessionKey: 'the key of the sessions of the bench',
    })
    if (!made.ok) throw new Error(made.reason)
    return made.owner.api_key
  } finally {
    await store.end()
  }
}

async function createMonitor(base: string, key: string): Promise<string> {
  const { statusCode, body } = await request(`${base}/v1/monitors`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(monitorOf('https://example.com/kettle')),
  })
  const text = await body.text()
  if (statusCode !== 201) throw new Error(`a monitor was answered with ${statusCode}: ${text.slice(0, 200)}`)
  return (JSON.parse(text) as { readonly id: string }).id
}

interface Look {
  readonly ms: number
  readonly isDone: boolean
}

/** Asks once, and reads the answer. */
async function lookAt(dispatcher: Agent, url: string, key: string): Promise<Look> {
  const from = performance.now()
  const { statusCode, body } = await request(url, { dispatcher, headers: { authorization: `Bearer ${key}` } })
  await body.text()
  return { ms: performance.now() - from, isDone: statusCode === 200 }
}

/** A key may make 100 requests a second. */
const EVERY_MS = 20

async function waitsOf(look: () => Promise<Look>, seconds: number) {
  const looks: Look[] = []
  for (const end = performance.now() + seconds * 1_000; performance.now() < end;) {
    const seen = await look()
    looks.push(seen)
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, EVERY_MS - seen.ms)))
  }
  const sorted = looks.map(({ ms }) => ms).toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  const failed = looks.filter(({ isDone }) => !isDone).length
  return { count: looks.length, failed, p50Ms: at(0.5), p99Ms: at(0.99), mostMs: at(1) }
}

/** A site with one page, as large as is read. */
async function openTarget() {
  const body = '<p>x</p>'.repeat(1_300_000)
  const site = createServer((_, response) => void response.setHeader('content-type', 'text/html').end(body))
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(site.address() as AddressInfo).port}/`,
    close: () => new Promise<void>((resolve) => (site.close(() => resolve()), site.closeAllConnections())),
  }
}
