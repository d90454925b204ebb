import type { InjectOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Route } from '../../../api/http/route.ts'
import { TEMPLATES } from '../../../core/templates/templates.ts'
import { createPatternMatcher, type PatternMatcher } from '../../../runners/pattern/pattern-matcher.ts'
import { createTextDiffer, type TextDiffer } from '../../../runners/text-diff/text-differ.ts'
import { LIST_LIMITS } from '../../../schema/list-limits.ts'
import { WORK } from '../../../schema/work.ts'
import { servedRoutes } from '../../support/api/all-routes.ts'
import { serveApi, type ServedApi } from '../../support/api/served-api.ts'
import { MAX_TIMES, UNMEASURED_MS } from '../../support/run/dearness.ts'
import { parsingMs } from '../../support/run/parsing-ms.ts'
import { LARGEST_MONITOR, LARGEST_SEARCH, type LargestTeam, largestTeam } from './largest-team.ts'
import { RECORD_OF, RECORDS, titleOf } from './route-bounds.ts'
import { worstPaths, worstQueries } from './worst-queries.ts'

let served: ServedApi
let differ: TextDiffer
let patterns: PatternMatcher
let teams: readonly LargestTeam[]
beforeAll(async () => {
  differ = createTextDiffer()
  patterns = createPatternMatcher()
  served = await serveApi('scale', { differ, patterns })
  teams = [await largestTeam(served), await largestTeam(served)]
})
afterAll(async () => {
  await served.close()
  await differ.close()
  await patterns.close()
})

interface Sent {
  readonly method: Route['method']
  readonly url: string
  readonly payload?: string
}

let addresses = 0
/** Sends a request of the owner of a team, from an address of its own. */
async function send({ method, url, payload }: Sent, team = teams[0]) {
  addresses += 1
  const options: InjectOptions = {
    method,
    url,
    remoteAddress: `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`,
    headers: {
      authorization: `Bearer ${team?.owner.session_token}`,
      ...(payload !== undefined && { 'content-type': 'application/json' }),
    },
    ...(payload !== undefined && { payload }),
  }
  const { statusCode: status, headers, payload: text } = await served.api.app.inject(options)
  return { status, retryAfter: headers['retry-after'], text }
}

/** Returns the answers, and the milliseconds of processor time that this thread took for them. */
async function measured<T>(work: () => Promise<T>): Promise<{ readonly done: T; readonly ms: number }> {
  const before = process.threadCpuUsage()
  const done = await work()
  const { user, system } = process.threadCpuUsage(before)
  return { done, ms: (user + system) / 1_000 }
}

/** Returns why a request was dear; null where one of four was cheap. The first one may have to load code. */
async function dearnessOf(sent: Sent, parts = 1): Promise<string | null> {
  for (let left = 3; ; left -= 1) {
    const { done, ms } = await measured(() => send(sent))
    if (done.status >= 500) return `${sent.url.slice(0, 100)} is answered with ${done.status}: ${done.text}`
    if (ms <= UNMEASURED_MS) return null
    const parsed = parsingMs(sent.payload ?? '') + parsingMs(jsonOf(done.text))
    const mayCost = parts * (UNMEASURED_MS + MAX_TIMES * parsed)
    if (ms <= mayCost) return null
    if (left === 0) return `${sent.method} ${sent.url.slice(0, 100)} costs ${ms} ms, and may cost ${mayCost}`
  }
}

/** Of a long manifest, whose spec is JSON. */
const jsonOf = (text: string) => text.replace(/^[^{[]*/, '')

const titled = servedRoutes.map((route) => [titleOf(route), route] as const)

describe('the longest heads that are read', () => {
  test.each(titled)('%s: each is answered, and costs next to nothing', async (_title, route) => {
    const paths = worstPaths(route)
    const urls = [...paths, ...worstQueries(route).map((query) => `${paths[0]}?${query}`)]
    // Without a query, what is not a GET may do what it is for.
    const wanted = route.method === 'GET' ? urls : urls.filter((url) => url.includes('?') || url.length > 1_000)
    const dear: string[] = []
    for (const url of wanted) dear.push((await dearnessOf({ method: route.method, url })) ?? '')
    expect(dear.filter((reason) => reason !== '')).toEqual([])
  })
})

/** The address under which a team reads the most of a route that lists or shows what is stored. */
function addressOf({ path, query }: Route, { ids }: LargestTeam): string {
  const most = (query as { properties?: { limit?: { maximum?: number } } } | undefined)?.properties?.limit?.maximum
  const at = path.replace(/([\w-]+)\/:id/, (_, kind: keyof typeof ids) => `${kind}/${ids[kind]}`)
  return most === undefined ? at : `${at}?limit=${most}`
}
const reads = servedRoutes.filter((route) => route.method === 'GET' && route.policy !== 'public')
const titledReads = reads.map((route) => [titleOf(route), route] as const)

describe('the most that a team can store', () => {
  test.each(titledReads)(
    '%s: reading it costs a multiple of its bytes, and they have a bound',
    async (title, route) => {
      const [team] = teams
      if (!team) throw new Error('there is no team')
      const sent = { method: 'GET', url: addressOf(route, team) } as const
      expect(await dearnessOf(sent)).toBeNull()
      const { status, text } = await send(sent)
      expect(status).toBe(200)
      const kind = RECORD_OF[title]
      if (kind) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(RECORDS[kind])
    },
  )

  test.each(titledReads)(
    '%s: ten readers of two teams get it or a time to wait, and leave nothing held',
    async (_title, route) => {
      const work = 'work' in route ? route.work : undefined
      let most = 0
      const watch = setInterval(() => (most = Math.max(most, served.api.services.lists.figures().bytesUnderWay)), 1)
      const answers = await Promise.all(
        Array.from({ length: 10 }, async (_, n) => {
          const team = teams[n % 2]
          return team && (await send({ method: 'GET', url: addressOf(route, team) }, team))
        }),
      ).finally(() => clearInterval(watch))
      // One that comes after another has ended has its slot.
      const fit = work === undefined ? 5 : Math.min(5, WORK[work].perTeam + WORK[work].waiting)
      for (const half of [0, 1]) {
        const statuses = answers.filter((_, n) => n % 2 === half).map((answer) => answer?.status)
        expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(fit)
        expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
      }
      for (const refused of answers.filter((answer) => answer?.status === 429))
        expect(Number(refused?.retryAfter)).toBeGreaterThan(0)
      expect(most).toBeLessThanOrEqual(LIST_LIMITS.underWay.total)
      expect(served.api.services.lists.figures()).toMatchObject({ bytesUnderWay: 0, waiting: 0 })
      for (const figures of Object.values(served.api.services.work.figures))
        expect(figures).toMatchObject({ working: 0, waiting: 0 })
    },
  )
})

const { name, url, deliveries } = LARGEST_MONITOR
const FROM_TEMPLATE = { name, url, deliveries }

describe('the largest bodies that are accepted', () => {
  const conditions = Array.from({ length: 25 }, (_, n) => ({ type: 'field_above', field: 'price', threshold: n }))
  const all = { type: 'composite', operator: 'AND', conditions } as const
  const bodies: readonly (readonly [title: string, path: (team: LargestTeam) => string, body: () => object])[] = [
    ['POST /v1/monitors', () => '/v1/monitors', () => LARGEST_MONITOR],
    ['PATCH /v1/monitors/:id', ({ ids }) => `/v1/monitors/${ids.monitors}`, () => LARGEST_MONITOR],
    ['POST /v1/serp-monitors', () => '/v1/serp-monitors', () => LARGEST_SEARCH],
    ['PATCH /v1/serp-monitors/:id', ({ ids }) => `/v1/serp-monitors/${ids['serp-monitors']}`, () => LARGEST_SEARCH],
    ...TEMPLATES.map(
      ({ slug }) =>
        [
          `POST /v1/monitors/from-template/${slug}`,
          () => `/v1/monitors/from-template/${slug}`,
          () => FROM_TEMPLATE,
        ] as const,
    ),
    ['POST /v1/manifests', () => '/v1/manifests', () => ({ kind: 'Monitor', as: 'pulumi', spec: LARGEST_MONITOR })],
    [
      'POST /v1/monitors/:id/backtest',
      ({ ids }) => `/v1/monitors/${ids.monitors}/backtest`,
      () => ({ diff_predicate: { ...all, conditions: Array.from({ length: 7 }, () => all) } }),
    ],
  ]

  test.each(bodies)('%s: it costs a multiple of its parsing', async (title, path, body) => {
    const [team] = teams
    if (!team) throw new Error('there is no team')
    const [method = ''] = title.split(' ')
    const sent = { method: method as Route['method'], url: path(team), payload: JSON.stringify(body()) }
    // A backtest judges stored changes beside what it reads and answers. A manifest is made, and written as a program.
    expect(await dearnessOf(sent, /\/(?:backtest|manifests)$/.test(title) ? 2 : 1)).toBeNull()
    expect((await send(sent)).status).toBeLessThan(300)
  })
})
