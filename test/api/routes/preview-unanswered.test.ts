import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPolicy } from '../../../egress/policy.ts'
import { leftAlone } from '../../../runners/serp/search-reading.ts'
import type { SerpEngine } from '../../../schema/serp/serp-search.ts'
import { createRunnerToken } from '../../../store/accounts/credentials/runner-tokens.ts'
import { createAnswerSignals } from '../../../store/asked/answer-signals.ts'
import { openStore, type Store } from '../../../store/db/client.ts'
import { row } from '../../../store/db/row.ts'
import { engineRefusedUntil } from '../../../store/queue/search-exits.ts'
import { createSecretBox } from '../../../store/secrets/secret-box.ts'
import { createRunnerAnswers, type RunnerAnswers } from '../../../worker/asked/runner-answers.ts'
import { createPreviews, type Previews } from '../../../worker/previews/previews.ts'
import { MONITOR } from '../../support/api/monitor-requests.ts'
import { type ServedApi, serveApi } from '../../support/api/served-api.ts'
import { ENCRYPTION_KEY } from '../../support/api/test-api.ts'
import { openTcpProxy, type TcpProxy } from '../../support/network/tcp-proxy.ts'
import { eventually } from '../../support/run/eventually.ts'

let served: ServedApi
let previews: Previews
let store: Store
let proxy: TcpProxy
let signals: ReturnType<typeof createAnswerSignals>
/** Previews wait for it before they begin to wait for a runner. */
let begin: Promise<void> = Promise.resolve()
const egress = createPolicy({ allowPrivateCidrs: [], neverAllow: [] })

beforeAll(async () => {
  let byStore: RunnerAnswers | undefined
  const runners: RunnerAnswers = {
    areClaimed: async (isIsolated) => (await byStore?.areClaimed(isIsolated)) ?? false,
    async ask(wanted, signal) {
      await begin
      if (!byStore) throw new Error('not open yet')
      return byStore.ask(wanted, signal)
    },
  }
  previews = createPreviews({ egress, runners })
  served = await serveApi('scale', { egress, previews })
  proxy = await openTcpProxy(served.api.databaseUrl)
  store = await openStore({ url: proxy.url, name: 'tidemark test', connections: 8 })
  signals = createAnswerSignals(proxy.url)
  byStore = createRunnerAnswers({ store, secrets: createSecretBox(ENCRYPTION_KEY), signals, mostSeconds: 2 })
  await createRunnerToken(store, { job: 'silent', ttlSeconds: 900 })
})
afterAll(async () => {
  proxy.mend()
  await previews.close()
  await signals.close()
  await store.end()
  await served.close()
  await proxy[Symbol.asyncDispose]()
})

const waiting = row({ count: Type.Integer() })
const usage = row({ runs_used: Type.Integer() })
const serpUsage = row({ runs_used: Type.Integer(), serp_used: Type.Integer() })
const used = (teamId: string) =>
  served.api.services.store.oneFirst(sql.type(usage)`
    select runs_used from team_usage where team_id = ${teamId}::uuid`)

const ask = (client = served.me) =>
  client.post('/v1/monitors/preview', { ...MONITOR, url: 'https://shop.example/', fetch_mode: 'browser' })

test('a preview that no runner answers is a 503 that says what to do, and uses no run', async () => {
  const stranger = await served.anotherTeam()
  const refused = await ask(stranger)
  expect([refused.status, refused.body.error?.code, refused.headers.get('retry-after')]).toEqual([
    503,
    'UNAVAILABLE',
    '5',
  ])
  expect(refused.body.error?.message).toBe(
    'The page needs a browser, and no runner answered within 2 s. Nothing was used of the plan. Try again ' +
      'in a moment: a runner may be starting. If it stays so, ask whoever runs this installation whether runners work.',
  )
  expect(await used(stranger.owner.team_id)).toBe(0)
  expect(previews.counts).toEqual({ answered: 0, unanswered: 1 })
})

test('a preview of a search that no runner makes is a 503 too, and uses no run', async () => {
  const owner = await served.api.owner({ plan: 'scale', serp: true })
  const refused = await served
    .as(owner.api_key)
    .post('/v1/serp-monitors/preview', { keyword: 'shoes', engine: 'bing', pages: 2 })
  expect([refused.status, refused.body.error?.code]).toEqual([503, 'UNAVAILABLE'])
  expect(refused.body.error?.message).toContain(
    'The search needs a browser and a free exit, and no runner answered within 2 s.',
  )
  const [usage] = await store.any(sql.type(serpUsage)`
    select serp_used, runs_used from team_usage where team_id = ${owner.team_id}::uuid`)
  expect(usage).toEqual({ serp_used: 0, runs_used: 0 })
})

/** Marks the team's previews as begun by a runner. Returns how many there are. */
const beginFor = (teamId: string) =>
  served.api.services.store.oneFirst(sql.type(waiting)`
    with begun as (
      update asked_work
      set tries = 1, leased_until = clock() + interval '1 minute', holder = (select id from runner_tokens limit 1)
      where team_id = ${teamId}::uuid and request is not null
      returning 1
    )
    select count(*)::int as count from begun`)

test('a preview that a runner has begun and not ended is a 503 that says so, and uses no run', async () => {
  const owner = await served.api.owner({ plan: 'scale', serp: true })
  const client = served.as(owner.api_key)
  for (const [answer, retry, says] of [
    [() => ask(client), '5', 'A runner began to render the page, and had not answered after 2 s.'],
    [() => search(client, 'google'), '60', 'A runner makes the search, and had not answered after 2 s.'],
  ] as const) {
    const refused = answer()
    await eventually(
      () => beginFor(owner.team_id),
      (count) => count === 1,
    )
    const { status, headers, body } = await refused
    expect([status, body.error?.code, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', retry])
    expect(body.error?.message).toContain(`${says} Nothing was used of the plan. `)
    expect(body.error?.message).toContain('create the monitor')
    await served.api.sql('delete from asked_work')
  }
  expect(await used(owner.team_id)).toBe(0)
})

/** The engine is left alone from now on. Returns what a check within this time says. */
async function refuse(engine: SerpEngine): Promise<string> {
  await served.api.sql(
    `insert into serp_engines (engine, refusals, refused_until) values ('${engine}', 1, clock() + interval '1 hour')`,
  )
  return leftAlone(engine, (await engineRefusedUntil(store, engine)) ?? 0).fault.message
}
const search = (client: typeof served.me, engine: SerpEngine) =>
  client.post('/v1/serp-monitors/preview', { keyword: 'shoes', engine })

test('a preview of a search whose engine is left alone fails with the reason, before and while it waits', async () => {
  const stranger = await served.anotherTeam()
  const said = await refuse('yahoo')
  const left = { status: 'error', error_code: 'blocked', organic_results: [], serp_check: { outcome: 'left_alone' } }
  expect(await search(stranger, 'yahoo')).toMatchObject({ status: 200, body: { ...left, error_message: said } })
  const gate = Promise.withResolvers<void>()
  begin = gate.promise
  const answer = search(stranger, 'duckduckgo')
  await eventually(
    () => used(stranger.owner.team_id),
    (count) => count === 1,
  )
  const saidLater = await refuse('duckduckgo')
  gate.resolve()
  expect(await answer).toMatchObject({ status: 200, body: { ...left, error_message: saidLater } })
  expect(await used(stranger.owner.team_id)).toBe(0)
})

test('a preview of a search that waits behind others until the end says so, and uses no run', async () => {
  const stranger = await served.anotherTeam()
  await served.api.sql(
    `insert into serp_exits (engine, exit, next_at) values ('yandex', 'x', clock() + interval '1 hour')`,
  )
  const answer = await search(stranger, 'yandex')
  expect(answer).toMatchObject({ status: 200, body: { status: 'error', error_code: 'not_available' } })
  expect(answer.body['error_message']).toContain('Other searches of Yandex are under way')
  expect(await used(stranger.owner.team_id)).toBe(0)
})

test('many at once are bounded for a team, and each has an answer', async () => {
  const stranger = await served.anotherTeam()
  const gate = Promise.withResolvers<void>()
  begin = gate.promise
  const statuses: number[] = []
  const all = Array.from({ length: 50 }, async () => statuses.push((await ask(stranger)).status))
  await eventually(
    () => statuses.length,
    (count) => count >= 48,
  )
  expect(statuses).toEqual(Array.from({ length: 48 }, () => 429))
  gate.resolve()
  await Promise.all(all)
  expect(statuses.slice(48)).toEqual([503, 503])
  expect(await used(stranger.owner.team_id)).toBe(0)
})

test('a store that goes away while a preview waits is a 503, and the row is not there for ever', async () => {
  const answer = ask()
  await eventually(
    () => store.oneFirst(sql.type(waiting)`select count(*)::int as count from asked_work where request is not null`),
    (count) => count === 1,
  )
  proxy.cut()
  expect(await answer).toMatchObject({ status: 503, body: { error: { code: 'UNAVAILABLE' } } })
  proxy.mend()
})
