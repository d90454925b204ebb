import { expect, test } from 'vitest'
import type { Task } from '../../../runners/check/task.ts'
import { sweepAsked } from '../../../store/asked/asked-work.ts'
import { lookAtOffer } from '../../../store/asked/offers.ts'
import { browserDemand } from '../../../store/queue/browser-demand.ts'
import { engineRefusedUntil } from '../../../store/queue/search-exits.ts'
import { leaveAlone } from '../../support/database/stored-searches.ts'
import { type Asker, frame, outcome } from '../queue/asker.ts'
import { firstClaimed, searchOn, usePreviews, type Waiters } from './waiters.ts'

let asker: Asker
let waiters: Waiters
usePreviews((opened) => ({ asker, waiters } = opened), ['asked_work', 'serp_exits', 'serp_engines'])

const waiting: Waiters['waiting'] = (wanting) => waiters.waiting(wanting)
const rows = () => waiters.rows()

const FOUND = {
  ...{ outcome: 'ok', page_ends: [1], is_end: false, is_guess: false, ai_overview: false, featured_snippet: null },
  results: [{ position: 1, title: 'A', url: 'https://a.example/x', domain: 'a.example', description: 'S' }],
  ...{ cut_by: null, country: 'exact', marker: 'a result', warnings: [] },
}
const found = { reading: { kind: 'search', search: FOUND }, values: undefined }
const at = (exit: string) => asker.runnerApi.httpCheckSource({ token: asker.job.token, exit })
const exits = () =>
  asker.runnerApi.database.query(`
    select exit, busy_until > clock() is true as busy, next_at > clock() as spaced from serp_exits
    where engine = 'bing' order by exit`)
const told = (given: Task, more: object) => JSON.parse(JSON.stringify(outcome(given, more))) as object

test('one is made at a time at an engine and exit, and frees the exit with its answer', async () => {
  const { url } = await asker.runnerApi.serve({ search: { exit: 'x', hasProvider: false, spacingMs: 60_000 } })
  const source = await asker.runnerApi.httpCheckSource({ url, token: asker.job.token, exit: 'here' })
  // Makes the rows of the exit.
  expect(await source.claim(10)).toEqual([])
  const { answer } = await waiting({ request: searchOn('bing') })
  await waiting({ request: searchOn('bing') })
  expect(await asker.job.source.claim(10)).toEqual([])
  const [given, more] = await source.claim(10)
  expect([given?.kind, more, await source.claim(10)]).toEqual(['serp', undefined, []])
  expect(await exits()).toEqual([{ exit: 'here', busy: true, spaced: false }])
  expect([...(await source.heartbeat([given as Task]))]).toEqual([given?.no])
  await source.complete({
    ...{ task: given as Task, startedMs: 1, endedMs: 2 },
    reading: { kind: 'failed', fetchMethod: null, retryAfterMs: 0, fault: { code: 'timeout', message: 'Late.' } },
  })
  expect(await answer).toMatchObject({ kind: 'answered', reading: { kind: 'failed' } })
  expect(await exits()).toEqual([{ exit: 'here', busy: false, spaced: true }])
  // The spacing holds for the next one.
  expect(await source.claim(10)).toEqual([])
})

test('one is made at another exit at the same time, and its results are checked like those of a check', async () => {
  const [one, other] = [await at('one'), await at('other')]
  await one.claim(1)
  await other.claim(1)
  const { answer } = await waiting({ request: searchOn('bing') })
  await waiting({ request: searchOn('bing') })
  const first = await firstClaimed(one)
  expect((await other.claim(10)).map(({ kind }) => kind)).toEqual(['serp'])
  const wrong = { ...found, reading: { kind: 'search', search: { ...FOUND, page_ends: [2] } } }
  expect(await asker.post('complete', frame(told(first, wrong)))).toMatchObject({ status: 422 })
  expect(await asker.post('complete', frame(told(first, found)))).toMatchObject({ status: 204 })
  expect(await answer).toMatchObject({ reading: { kind: 'search', search: { results: FOUND.results } } })
})

test('one that an engine refused leaves the engine alone', async () => {
  const source = await at('one')
  await source.claim(1)
  const { answer } = await waiting({ request: searchOn('bing') })
  const engine = { outcome: 'blocked', country: 'exact', marker: 'm' }
  const fault = { code: 'blocked', message: 'Refused.' }
  const refused = { reading: { kind: 'failed', fault, retry_after_ms: 0, engine }, values: undefined }
  expect(await asker.post('complete', frame(told(await firstClaimed(source), refused)))).toMatchObject({ status: 204 })
  await answer
  const { store } = asker.runnerApi.database
  expect(await engineRefusedUntil(store, 'bing')).toBeGreaterThan(0)
  expect(await engineRefusedUntil(store, 'google')).toBeNull()
  await waiting({ request: searchOn('bing') })
  expect(await (await at('two')).claim(10)).toEqual([])
})

test('one that waits ends at once where its engine refuses another search, and no pod is started', async () => {
  const { store } = asker.runnerApi.database
  const { answer } = await waiting({ request: searchOn('bing'), seconds: 300 })
  expect(await browserDemand(store, 100)).toEqual({ due: 1, leased: 0 })
  await leaveAlone(asker.runnerApi.database, 'bing')
  expect(await browserDemand(store, 100)).toEqual({ due: 0, leased: 0 })
  const until = await engineRefusedUntil(store, 'bing')
  expect([await answer, await rows()]).toEqual([{ kind: 'left_alone', untilMs: until }, []])
})

test('one that a runner makes already goes on while its engine refuses another search', async () => {
  const source = await at('one')
  await source.claim(1)
  const { answer } = await waiting({ request: searchOn('bing') })
  const given = await firstClaimed(source)
  await leaveAlone(asker.runnerApi.database, 'bing')
  const [preview] = await rows()
  const work = { id: preview?.id ?? '', no: given.no, teamId: asker.team }
  expect(await lookAtOffer(asker.runnerApi.database.store, work)).toMatchObject({ is_begun: true, left_until_ms: null })
  expect(await asker.post('complete', frame(told(given, found)))).toMatchObject({ status: 204 })
  expect(await answer).toMatchObject({ kind: 'answered' })
})

test('one runner is needed for each engine, however many wait', async () => {
  for (const engine of ['bing', 'bing', 'yahoo'] as const) await waiting({ request: searchOn(engine) })
  expect(await browserDemand(asker.runnerApi.database.store, 100)).toEqual({ due: 2, leased: 0 })
})

test('one that is given back frees its exit too', async () => {
  const source = await at('one')
  await source.claim(1)
  await waiting({ request: searchOn('bing') })
  await source.release([await firstClaimed(source)], 0)
  expect(await exits()).toMatchObject([{ exit: 'one', busy: false }])
  expect(await source.claim(10)).toHaveLength(1)
})

/** One that a runner makes at the exit `one`, and that nobody waits for any more. */
async function left() {
  const { url } = await asker.runnerApi.serve({ search: { exit: 'x', hasProvider: false, spacingMs: 60_000 } })
  const source = await asker.runnerApi.httpCheckSource({ url, token: asker.job.token, exit: 'one' })
  await source.claim(1)
  await waiting({ request: searchOn('bing') })
  const given = await firstClaimed(source)
  await waiters.stop()
  return { source, given }
}

test('one that nobody waits for any more keeps its exit until its runner has ended, and a refusal counts', async () => {
  const { database } = asker.runnerApi
  const { source, given } = await left()
  for (const clock of ['20 seconds', '40 seconds', '60 seconds']) {
    await database.setClock(clock)
    await sweepAsked(database.store)
    expect([...(await source.heartbeat([given]))]).toEqual([given.no])
    expect(await exits()).toEqual([{ exit: 'one', busy: true, spaced: false }])
  }
  await waiting({ request: searchOn('bing') })
  expect(await source.claim(10)).toEqual([])
  expect(await browserDemand(database.store, 100)).toEqual({ due: 1, leased: 1 })
  const fault = { code: 'blocked', message: 'Refused.' } as const
  const engine = { outcome: 'blocked', country: 'exact', marker: 'm' } as const
  await source.complete({
    ...{ task: given, startedMs: 1, endedMs: 2 },
    reading: { kind: 'failed', fetchMethod: null, retryAfterMs: 0, fault, engine },
  })
  expect(await exits()).toEqual([{ exit: 'one', busy: false, spaced: true }])
  expect(await engineRefusedUntil(database.store, 'bing')).toBeGreaterThan(0)
})

test('one that nobody waits for any more is gone with the lease of its runner', async () => {
  const { database } = asker.runnerApi
  const { source, given } = await left()
  await database.setClock('25 seconds')
  expect(await exits()).toEqual([{ exit: 'one', busy: false, spaced: false }])
  expect(await source.heartbeat([given])).toEqual(new Set())
  expect(await asker.post('complete', frame(told(given, found)))).toMatchObject({ status: 409 })
  await sweepAsked(database.store)
  expect(await rows()).toEqual([])
})
