import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWorkSlots, type SlotKind } from '../../../api/http/work-slots.ts'
import { createPatternMatcher, type PatternMatcher } from '../../../runners/pattern/pattern-matcher.ts'
import { WORK } from '../../../schema/work.ts'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { servedRoutes } from '../../support/api/all-routes.ts'
import { seedRun } from '../../support/api/seeded-runs.ts'
import { type Client, serveApi, type ServedApi } from '../../support/api/served-api.ts'
import { until } from '../../support/run/until.ts'

/** No pattern and no wait ends by itself within a test. */
const NEVER_MS = 600_000

let served: ServedApi
let patterns: PatternMatcher
beforeAll(async () => {
  patterns = createPatternMatcher({ timeoutMs: NEVER_MS, trialMs: 2_000 })
  const patient = <T>(bound: T) => ({ ...bound, waitMs: NEVER_MS })
  const work = createWorkSlots({ ...WORK, backtest: patient(WORK.backtest), export: patient(WORK.export) })
  served = await serveApi('scale', { patterns, work })
})
afterAll(async () => {
  await patterns.close()
  await served.close()
})

type Team = Client & { readonly owner: CreatedOwner }

/** Returns the path of the backtest of a monitor with one change, on which `EVIL` never ends. */
async function monitorOf(team: Client): Promise<string> {
  const made = await team.post('/v1/monitors', {
    name: 'M',
    url: 'https://example.com/',
    schedule_interval_seconds: 3600,
    extract_config: { method: 'css', fields: { price: '.price' } },
    diff_predicate: { type: 'any_field_changes' },
  })
  const price = `${'a'.repeat(40)}!`
  const diff = { fields_changed: ['price'], before: { price: '1' }, after: { price } }
  await seedRun(served.api.services, made.body.id, { age: '1 minute', extracted: { price }, diff })
  return `/v1/monitors/${made.body.id}/backtest`
}

const asks = (pattern: string) => ({ diff_predicate: { type: 'field_matches_regex', field: 'price', pattern } })
const EVIL = asks('^(a+)+$')

/** Begins a request that somebody may close. Its status is null then. */
function begin({ owner }: Pick<Team, 'owner'>, path: string, body: object) {
  const closing = new AbortController()
  const answer = fetch(served.baseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: closing.signal,
  }).then(
    ({ status }) => status,
    () => null,
  )
  return { answer, close: () => closing.abort() }
}

const figures = (kind: SlotKind) => served.api.services.work.figures[kind]
const isAtRest = (kind: SlotKind) => figures(kind).working + figures(kind).waiting === 0

describe('the table of routes', () => {
  test('has a bound for every route that does work', () => {
    const found = servedRoutes.flatMap((route) =>
      'work' in route && route.work ? [`${route.method} ${route.path}: ${route.work}`] : [],
    )
    expect(found).toEqual([
      'POST /v1/monitors/preview: preview',
      'POST /v1/monitors/bulk: bulk',
      'GET /v1/monitors/:id/runs/export: export',
      'GET /v1/monitors/:id/runs/export/json: export',
      'POST /v1/monitors/:id/backtest: backtest',
      'POST /v1/serp-monitors/preview: preview',
      'POST /v1/serp-monitors/bulk: bulk',
      'GET /v1/serp-monitors/:id/runs/export: export',
      'GET /v1/serp-monitors/:id/runs/export/json: export',
      'POST /v1/serp-monitors/:id/backtest: backtest',
      'POST /v1/overview/mute: bulk',
      'POST /v1/overview/unmute: bulk',
      'POST /v1/overview/seen: bulk',
      'POST /v1/overview/unseen: bulk',
      'POST /v1/deliveries/test: delivery_test',
      'POST /v1/predicates/try: predicate_trial',
      'POST /v1/looks: preview',
      'POST /v1/looks/:id/extract: look_extract',
      'POST /v1/looks/:id/candidates: look_extract',
      'GET /v1/runs/:id/diff: difference',
      'POST /v1/deliveries/replay: replay',
      'GET /v1/team/audit/export: export',
      'GET /v1/team/audit/export/json: export',
    ])
  })
})

describe('backtests', () => {
  test('of one team leave a slot to a neighbour, and end with their requests, also those that wait', async () => {
    const mine = await served.anotherTeam()
    const path = await monitorOf(mine)
    const begun = Array.from({ length: 12 }, () => begin(mine, path, EVIL))
    await until(
      () => figures('backtest').ended.full,
      (full) => full === 9,
    )
    expect(figures('backtest')).toMatchObject({ working: 1, waiting: 2 })

    const theirs = await served.anotherTeam()
    const answered = await theirs.post(await monitorOf(theirs), asks('!$'))
    expect(answered).toMatchObject({ status: 200, body: { changes: 1, would_fire: 1 } })

    for (const { close } of begun) close()
    const statuses = await Promise.all(begun.map(({ answer }) => answer))
    expect(statuses.filter((status) => status === 429)).toHaveLength(9)
    expect(statuses.filter((status) => status === null)).toHaveLength(3)
    await until(
      () => isAtRest('backtest'),
      (rests) => rests,
    )
    expect(patterns.waiting).toBe(0)
    expect(await mine.post(path, asks('!$'))).toMatchObject({ status: 200, body: { would_fire: 1 } })
  })

  test('that are refused say so, and when to ask again', async () => {
    const mine = await served.anotherTeam()
    const path = await monitorOf(mine)
    const begun = Array.from({ length: 3 }, () => begin(mine, path, EVIL))
    await until(
      () => figures('backtest'),
      ({ working, waiting }) => working === 1 && waiting === 2,
    )
    const refused = await mine.post(path, EVIL)
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'RATE_LIMIT_EXCEEDED' } } })
    expect(refused.headers.get('retry-after')).toBe('5')
    // What is wrong is said at once, without a slot.
    expect((await mine.post(path, asks('('))).status).toBe(422)
    for (const { close } of begun) close()
    await until(
      () => isAtRest('backtest'),
      (rests) => rests,
    )
  })
})

describe('an export', () => {
  const PATH = '/v1/team/audit/export'
  const ask = ({ owner }: Pick<Team, 'owner'>, signal?: AbortSignal) =>
    fetch(served.baseUrl + PATH, {
      headers: { authorization: `Bearer ${owner.session_token}` },
      ...(signal && { signal }),
    })
  const seed = ({ owner }: Pick<Team, 'owner'>) =>
    served.api.sql(`insert into audit_events (id, team_id, actor_type, actor_label, action, target_type, metadata)
      select gen_random_uuid(), '${owner.team_id}', 'system', 'system', 'monitor.bulk_action', 'monitor',
        jsonb_build_object('text', repeat(md5(n::text), 60))
      from generate_series(1, 6000) n`)

  test('keeps its slot until it was read, one more of the team waits, and the next one is refused', async () => {
    const team = await served.anotherTeam()
    await seed(team)
    const first = await ask(team)
    expect(figures('export')).toMatchObject({ working: 1 })
    const second = ask(team)
    await until(
      () => figures('export').waiting,
      (waiting) => waiting === 1,
    )
    expect((await ask(team)).status).toBe(429)
    const lines = (await first.text()).split('\r\n').length
    expect(lines).toBeGreaterThan(6_000)
    expect((await (await second).text()).split('\r\n')).toHaveLength(lines)
    expect(isAtRest('export')).toBe(true)
  })

  test('that nobody reads to its end gives its slot back when the connection is gone', async () => {
    const team = await served.anotherTeam()
    await seed(team)
    const leaving = new AbortController()
    await ask(team, leaving.signal)
    expect(figures('export')).toMatchObject({ working: 1 })
    leaving.abort()
    await until(
      () => isAtRest('export'),
      (rests) => rests,
    )
  })
})

describe('a bulk action', () => {
  test('goes on when its request is closed, and has a slot until it has ended', async () => {
    const team = await served.anotherTeam()
    const ids: string[] = []
    for (let n = 0; n < 20; n += 1) ids.push((await monitorOf(team)).split('/')[3] ?? '')
    const { answer, close } = begin(team, '/v1/monitors/bulk', { action: 'pause', ids })
    await until(
      () => figures('bulk').working,
      (working) => working === 1,
    )
    close()
    await answer
    await until(
      () => isAtRest('bulk'),
      (rests) => rests,
    )
    const paused = await team.get('/v1/monitors?status=paused&limit=100')
    expect(paused.body.data).toHaveLength(20)
  })
})
