import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  endFormerRunnerToken,
  type ExchangedRunnerToken,
  exchangeRunnerToken,
  purgeExchangedRunnerTokens,
  revokeReusedRunnerToken,
} from '../../../../store/accounts/credentials/runner-token-exchange.ts'
import {
  createRunnerToken,
  findLiveRunnerToken,
  purgeRunnerTokens,
  revokeRunnerTokens,
} from '../../../../store/accounts/credentials/runner-tokens.ts'
import { openQueueDatabase, type QueueDatabase } from '../../../support/database/queue-database.ts'

const DAY = 86_400
let database: QueueDatabase
let team: string
let now = 0
beforeAll(async () => {
  database = await openQueueDatabase()
  team = await database.team()
})
beforeEach(async () => {
  await database.query('truncate runner_tokens, exchanged_runner_tokens, notice_events cascade')
  now = 0
  await database.setClock('0')
})
afterAll(() => database[Symbol.asyncDispose]())

const later = (seconds: number) => database.setClock(`${(now += seconds)} seconds`)
const create = async (job = 'r') =>
  (await createRunnerToken(database.store, { job, ttlSeconds: 10 * DAY, isRenewed: true })).token
const find = (text: string) => findLiveRunnerToken(database.store, text)
async function found(text: string) {
  const token = await find(text)
  if (token === null) throw new Error('does not work')
  return token
}
async function exchange(text: string): Promise<ExchangedRunnerToken> {
  const exchanged = await exchangeRunnerToken(database.store, await found(text))
  if (exchanged.kind !== 'exchanged') throw new Error(exchanged.kind)
  return exchanged
}
/** What a request with the token does. */
async function use(text: string): Promise<number> {
  const { id, former } = await found(text)
  if (former !== null) await endFormerRunnerToken(database.store, former)
  return id
}
const reuse = (text: string) => revokeReusedRunnerToken(database.store, text)
const events = () => database.query('select team_id, kind, detail from notice_events')

test('an exchange gives a token of the same number; the one before ends with the first use of it', async () => {
  const first = await create()
  const { id, renewMs } = await found(first)
  expect(renewMs).toBeGreaterThan(4.9 * DAY * 1000)
  await later(6 * DAY)
  expect(await found(first)).toMatchObject({ id, renewMs: 0 })
  const { token: second, ...given } = await exchange(first)
  expect(given).toEqual({ kind: 'exchanged', livesMs: 10 * DAY * 1000, renewMs: 5 * DAY * 1000 })
  expect(second).toMatch(/^tdr_[0-9A-Za-z]{36}$/)
  // Both work, each until its own end.
  expect((await found(first)).livesMs).toBeLessThan(4.1 * DAY * 1000)
  expect((await found(second)).livesMs).toBeGreaterThan(9.9 * DAY * 1000)
  expect([await use(first), await use(second)]).toEqual([id, id])
  expect([await find(first), await find(second)]).toEqual([null, expect.objectContaining({ id, former: null })])
})

test('a token that is for one Job is not exchanged, and says nothing about a renewal', async () => {
  const { token } = await createRunnerToken(database.store, { job: 'pod', ttlSeconds: 60 })
  const pod = await found(token)
  expect(pod).toMatchObject({ renewMs: null, former: null })
  expect(await exchangeRunnerToken(database.store, pod)).toEqual({ kind: 'ended' })
})

test('after an answer that was lost, the exchange is made again, a minute later', async () => {
  const first = await create()
  const { token: lost } = await exchange(first)
  expect(await exchangeRunnerToken(database.store, await found(first))).toEqual({ kind: 'too_soon' })
  await later(61)
  const { token: second } = await exchange(first)
  expect(await find(lost)).toBeNull()
  await use(second)
  expect(await find(first)).toBeNull()
  expect(await events()).toEqual([])
})

test('the token of a lost answer is a theft as soon as another one replaced it', async () => {
  const first = await create()
  const { token: stolen } = await exchange(first)
  await later(61)
  const { token: second } = await exchange(first)
  expect(await reuse(stolen)).toMatchObject({ job: 'r' })
  for (const text of [first, stolen, second]) expect(await find(text)).toBeNull()
})

test('the use of one that has ended revokes all, once, and the first team gets a notice', async () => {
  const first = await create('kitchen')
  const other = await create('other')
  const { token: second } = await exchange(first)
  // Nothing has ended yet.
  expect(await reuse(first)).toBeNull()
  const id = await use(second)
  // Requests were under way.
  await later(15 * 60 - 1)
  expect(await reuse(first)).toBeNull()
  expect(await find(second)).not.toBeNull()
  await later(2)
  const twice = await Promise.all([reuse(first), reuse(first)])
  expect(twice.filter((one) => one !== null)).toEqual([{ id, job: 'kitchen' }])
  expect(await find(second)).toBeNull()
  expect(await find(other)).not.toBeNull()
  expect(await events()).toEqual([
    {
      team_id: team,
      kind: 'failing',
      detail: { runner_token: { job: 'kitchen' }, waiting_for_browser: true },
    },
  ])
})

test('of two exchanges at once, one is made', async () => {
  const given = await found(await create())
  const both = await Promise.all([1, 2, 3].map(() => exchangeRunnerToken(database.store, given)))
  expect(both.map(({ kind }) => kind).toSorted()).toEqual(['exchanged', 'too_soon', 'too_soon'])
})

test('an exchange and a revocation at once leave nothing that works', async () => {
  for (let round = 0; round < 10; round += 1) {
    const given = await found(await create(`race ${round}`))
    const [exchanged] = await Promise.all([
      exchangeRunnerToken(database.store, given),
      revokeRunnerTokens(database.store, `race ${round}`),
    ])
    if (exchanged.kind === 'exchanged') expect(await find(exchanged.token)).toBeNull()
    expect(await exchangeRunnerToken(database.store, given)).toEqual({ kind: 'ended' })
  }
})

test('a use of the next token during an exchange of the one before ends that one', async () => {
  const first = await create()
  const given = await found(first)
  const { token: second } = await exchange(first)
  await later(61)
  const [again] = await Promise.all([exchangeRunnerToken(database.store, given), use(second).catch(() => null)])
  // Whichever was first: the token before works no more, or another one waits for its first use.
  if (again.kind === 'ended') expect(await find(second)).not.toBeNull()
  else expect(await find(second)).toBeNull()
})

test('only hashes are kept, for 90 days, and they go with their token', async () => {
  const first = await create()
  const { token: second } = await exchange(first)
  await use(second)
  const kept = () => database.query<{ text: string }>('select t::text as text from exchanged_runner_tokens t')
  const text = (await kept()).map((row) => row.text).join()
  for (const token of [first, second]) expect(text).not.toContain(token.slice(4))
  // The runner renews it on and on.
  await database.query(`update runner_tokens set expires_at = expires_at + interval '1 year'`)
  await later(89 * DAY)
  await purgeExchangedRunnerTokens(database.store)
  expect(await kept()).toHaveLength(1)
  await later(2 * DAY)
  await purgeExchangedRunnerTokens(database.store)
  expect(await kept()).toEqual([])
  await exchange(second)
  await revokeRunnerTokens(database.store, 'r')
  await later(2 * DAY)
  expect(await purgeRunnerTokens(database.store)).toBe(1)
  expect(await kept()).toEqual([])
})
