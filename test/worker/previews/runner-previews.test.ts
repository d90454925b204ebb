import { expect, test } from 'vitest'
import type { CheckSource } from '../../../runners/check/check-source.ts'
import type { Task } from '../../../runners/check/task.ts'
import { createRunnerToken, revokeRunnerTokens } from '../../../store/accounts/credentials/runner-tokens.ts'
import { createAnswerSignals } from '../../../store/asked/answer-signals.ts'
import { sweepAsked } from '../../../store/asked/asked-work.ts'
import { areOffersClaimed } from '../../../store/asked/offers.ts'
import { browserDemand } from '../../../store/queue/browser-demand.ts'
import { isolatedChecks } from '../../../store/queue/isolated-checks.ts'
import { eventually } from '../../support/run/eventually.ts'
import { type Asker, frame, outcome, VALUES } from '../queue/asker.ts'
import { firstClaimed, SECRET, usePreviews, type Waiters } from './waiters.ts'

let asker: Asker
let waiters: Waiters
usePreviews((opened) => ({ asker, waiters } = opened))

const waiting: Waiters['waiting'] = (wanting) => waiters.waiting(wanting)
const rows = () => waiters.rows()

/** One after the other: each is known by the count of rows. */
async function severalWait(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await waiting()
}

const claimed = (source: Pick<CheckSource, 'claim'> = asker.job.source): Promise<Task> => firstClaimed(source)
const complete = (given: Task, more: object = {}) => asker.post('complete', frame(outcome(given, more)))

test('a preview is claimed before checks, answered like a check, and gone with the answer', async () => {
  await asker.runnerApi.database.monitors(asker.team, { queue: 'browser' })
  const { answer } = await waiting()
  expect((await rows())[0]?.request.toString('latin1')).not.toContain(SECRET)
  const [given, check] = await asker.job.source.claim(10)
  expect(given).toMatchObject({ url: 'https://shop.example/kettle', headers: { 'x-key': SECRET }, asksFetched: true })
  expect(given?.host).toBe('https://shop.example')
  expect(check).toMatchObject({ url: 'http://127.0.0.1:1/' })
  const fetched = { status: 203, content_type: 'text/html', bytes: 77, fetch_ms: 12 }
  expect(await complete(given as Task, { fetched })).toMatchObject({ status: 204 })
  expect(await answer).toMatchObject({
    kind: 'answered',
    reading: {
      kind: 'values',
      values: { price: '$1' },
      fetched: { status: 203, contentType: 'text/html', bytes: 77, durationMs: 12 },
    },
  })
  expect(await rows()).toEqual([])
})

test('previews leave checks half of what is claimed, and take turns with them at a single slot', async () => {
  await asker.runnerApi.database.monitors(asker.team, { queue: 'browser', count: 4 })
  await severalWait(4)
  const isPreviewed = ({ url }: Task & { readonly url?: string }) => url === 'https://shop.example/kettle'
  const kinds = async (limit: number) => (await asker.job.source.claim(limit)).map((one) => isPreviewed(one))
  expect(await kinds(4)).toEqual([true, true, false, false])
  const single = [...(await kinds(1)), ...(await kinds(1))]
  expect(new Set(single)).toEqual(new Set([true, false]))
  expect(await kinds(4)).toEqual([true, false])
})

test('an answer wakes who waits by a notification', async () => {
  const { query, url } = asker.runnerApi.database
  await waiting()
  const [preview] = await query<{ id: string }>('select id from asked_work where request is not null')
  const mine = createAnswerSignals(url)
  const watch = mine.watch(preview?.id ?? '')
  const woken = watch.next(600_000)
  const listening = `select from pg_stat_activity
    where datname = current_database() and application_name = 'tidemark answers' and query like 'listen%'
      and state = 'idle'`
  // Whoever waits for the preview listens too.
  await eventually(
    () => query(listening),
    (connections) => connections.length >= 2,
  )
  await complete(await claimed())
  await woken
  watch.stop()
  await mine.close()
})

test('two runners never get the same preview', async () => {
  await severalWait(3)
  const other = await asker.runnerApi.httpCheckSource()
  const tasks = (await Promise.all([asker.job.source.claim(2), other.claim(2)])).flat()
  expect(new Set(tasks.map(({ no }) => no)).size).toBe(tasks.length)
  expect(tasks.length + (await asker.job.source.claim(10)).length).toBe(3)
})

test('what a runner that is gone had begun is done by another, under a new fence', async () => {
  const { store } = asker.runnerApi.database
  const { answer } = await waiting()
  const dead = await createRunnerToken(store, { job: 'dead', ttlSeconds: 900 })
  const first = await claimed(await asker.runnerApi.httpCheckSource({ token: dead.token }))
  expect(await asker.job.source.claim(10)).toEqual([])
  // The operator revokes the token of a pod that is gone.
  await revokeRunnerTokens(store, 'dead')
  const second = await claimed()
  expect([second.no, second.fence]).toEqual([first.no, first.fence + 1])
  expect(await complete(first)).toMatchObject({ status: 409 })
  await complete(second)
  expect(await answer).toMatchObject({ kind: 'answered' })
})

test('a runner that falls silent loses its preview before that of a check would be lost', async () => {
  await waiting({ seconds: 300 })
  await claimed()
  await asker.newJob()
  await asker.runnerApi.database.setClock('20 seconds')
  expect(await asker.job.source.claim(10)).toEqual([])
  await asker.runnerApi.database.setClock('25 seconds')
  expect(await asker.job.source.claim(10)).toHaveLength(1)
})

test('a heartbeat keeps a preview, until nobody waits for it', async () => {
  await waiting({ seconds: 60 })
  const given = await claimed()
  await asker.runnerApi.database.setClock('20 seconds')
  expect([...(await asker.job.source.heartbeat([given]))]).toEqual([given.no])
  await asker.runnerApi.database.setClock('40 seconds')
  await asker.newJob()
  expect(await asker.job.source.claim(10)).toEqual([])
  await asker.runnerApi.database.setClock('61 seconds')
  expect(await asker.job.source.heartbeat([given])).toEqual(new Set())
  expect(await complete(given)).toMatchObject({ status: 409 })
})

test('a preview that is given back is taken by the next runner at once', async () => {
  await waiting()
  await asker.job.source.release([await claimed()], 0)
  expect(await asker.job.source.claim(10)).toHaveLength(1)
})

test('a page that ended three runners is not given to a fourth', async () => {
  await waiting({ seconds: 300 })
  const counts: number[] = []
  for (const seconds of [30, 60, 90, 120]) {
    counts.push((await asker.job.source.claim(10)).length)
    await asker.runnerApi.database.setClock(`${seconds} seconds`)
  }
  expect(counts).toEqual([1, 1, 1, 0])
})

test('a token of one check gets no preview, and one of an isolated preview gets that one alone', async () => {
  const { store, query } = asker.runnerApi.database
  await waiting()
  await waiting({ isIsolated: true })
  const [one] = await query<{ no: number }>('select no::float8 from asked_work where is_isolated')
  expect(await isolatedChecks(store, 10)).toEqual([one?.no])
  const [no = 0] = await asker.runnerApi.database.monitors(asker.team, { queue: 'browser' })
  const bound = async (checkNo: number) => {
    const { token } = await createRunnerToken(store, { job: `job-${checkNo}`, ttlSeconds: 900, claims: 1, checkNo })
    return (await asker.runnerApi.httpCheckSource({ token })).claim(10)
  }
  expect(await bound(no)).toEqual([])
  expect((await asker.job.source.claim(10)).map((given) => given.no)).not.toContain(one?.no)
  expect((await bound(one?.no ?? 0)).map((given) => given.no)).toEqual([one?.no])
  expect(await isolatedChecks(store, 10)).toEqual([])
})

test('previews count towards the claims of a token', async () => {
  await severalWait(2)
  const { token } = await createRunnerToken(asker.runnerApi.database.store, { job: 'few', ttlSeconds: 900, claims: 1 })
  const source = await asker.runnerApi.httpCheckSource({ token })
  expect(await source.claim(10)).toHaveLength(1)
  expect(source.claimsLeft()).toBe(0)
  expect(await source.claim(10)).toEqual([])
})

test.each([
  [
    'an unchanged page',
    { reading: { ...VALUES, kind: 'unchanged', warnings: undefined }, values: undefined },
    ['reading'],
  ],
  [
    'another runner to do it',
    { reading: { kind: 'moved', queue: 'browser', reason: 'refused' }, values: undefined },
    ['reading.kind'],
  ],
  ['a field that was not asked for', { values: { price: '$1', other: 'x' } }, ['values.other']],
  ['the static layer', { reading: { ...VALUES, fetch_method: 'static' } }, ['reading.fetch_method']],
  ['the proxy', { reading: { ...VALUES, fetch_method: 'proxy' } }, ['reading.fetch_method']],
  ['a layer to remember', { reading: { ...VALUES, remember: 'static' } }, ['reading.remember']],
  ['no values', { values: undefined }, ['values']],
  [
    'a status that is none',
    { fetched: { status: 7, content_type: null, bytes: null, fetch_ms: 1 } },
    ['fetched.status'],
  ],
])('a runner that answers with %s is refused, and the preview still waits', async (_what, more, paths) => {
  await waiting()
  const given = await claimed()
  const told = JSON.parse(JSON.stringify(outcome(given, more))) as object
  const refused = await asker.post('complete', frame(told))
  expect(refused).toMatchObject({ status: 422 })
  for (const path of paths) expect(refused.paths.some((one) => one.startsWith(path))).toBe(true)
  expect((await rows())[0]?.answer).toBeNull()
})

test('a check has no facts about its fetch', async () => {
  const given = await asker.claimed()
  const fetched = { status: 200, content_type: null, bytes: 1, fetch_ms: 1 }
  expect(await complete(given, { fetched })).toMatchObject({ status: 422, paths: ['fetched'] })
})

test('a runner names a preview of another token in vain', async () => {
  await waiting()
  const given = await claimed()
  await asker.newJob()
  expect(await complete(given)).toMatchObject({ status: 409 })
  expect(await asker.job.source.heartbeat([given])).toEqual(new Set())
  await asker.job.source.release([given], 0)
  expect(await asker.job.source.claim(10)).toEqual([])
  expect(await asker.post('proxy', JSON.stringify({ no: given.no, fence: given.fence }))).toMatchObject({ status: 409 })
})

test('of fifty previews of one team at once, four wait, and other teams wait beside them', async () => {
  const ended: string[] = []
  for (let count = 0; count < 50; count++) {
    void waiters.ask({ seconds: 300 }).then(({ kind }) => ended.push(kind))
  }
  await eventually(
    () => ended.length,
    (count) => count >= 46,
  )
  expect([ended.every((kind) => kind === 'limit'), (await rows()).length]).toEqual([true, 4])
  await waiting({ teamId: await asker.runnerApi.database.team() })
  expect([ended.length, (await rows()).length]).toEqual([46, 5])
})

test('the operator counts previews that wait, and those that runners have', async () => {
  const { store } = asker.runnerApi.database
  await severalWait(3)
  expect(await browserDemand(store, 100)).toEqual({ due: 3, leased: 0 })
  await asker.job.source.claim(2)
  expect(await browserDemand(store, 100)).toEqual({ due: 1, leased: 2 })
})

test('what nobody fetched is deleted once its time is over, and who stops waiting leaves nothing behind', async () => {
  const { store } = asker.runnerApi.database
  const { answer } = await waiting({ seconds: 30 })
  expect(await sweepAsked(store)).toBe(0)
  await asker.runnerApi.database.setClock('41 seconds')
  expect(await sweepAsked(store)).toBe(1)
  await waiting({ seconds: 60 })
  await waiters.stop()
  expect([await answer, await rows()]).toEqual([{ kind: 'stopping' }, []])
})

test('previews are claimed while a token works, and isolated ones where an operator starts pods', async () => {
  const { store, query } = asker.runnerApi.database
  await query('update runner_tokens set revoked_at = clock()')
  expect(await areOffersClaimed(store, false)).toBe(false)
  await asker.newJob()
  expect([await areOffersClaimed(store, false), await areOffersClaimed(store, true)]).toEqual([true, false])
  await query(`insert into operator_epochs (cluster_id, epoch, runners_seen_at) values ('c', 1, clock())`)
  expect(await areOffersClaimed(store, true)).toBe(true)
  await query('delete from operator_epochs')
})
