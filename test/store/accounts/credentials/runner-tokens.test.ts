import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  createRunnerToken,
  findLiveRunnerToken,
  liveRunnerJobs,
  purgeRunnerTokens,
  returnRunnerClaims,
  revokeRunnerTokens,
  takeRunnerClaims,
} from '../../../../store/accounts/credentials/runner-tokens.ts'
import { CLAIMED_PAGE } from '../../../../store/queue/claim.ts'
import { heldChecks } from '../../../../store/queue/held-check.ts'
import { extendLeasesOf, releaseOf } from '../../../../store/queue/lease.ts'
import { handOver } from '../../../../store/queue/remember-layer.ts'
import { stopChecks } from '../../../support/database/check-states.ts'
import { openQueueDatabase, type QueueDatabase } from '../../../support/database/queue-database.ts'
import { create, edit } from '../../monitors/stored-monitors.ts'

const findHeldCheck = heldChecks([CLAIMED_PAGE])

let database: QueueDatabase
beforeAll(async () => {
  database = await openQueueDatabase()
})
afterEach(() => database.setClock('0'))
afterAll(() => database[Symbol.asyncDispose]())

test('a token is found by its text until it ends; only its hash is kept', async () => {
  const { id, token, job, expires_at } = await createRunnerToken(database.store, { job: 'runner-1', ttlSeconds: 60 })
  expect(token).toMatch(/^tdr_[0-9A-Za-z]{36}$/)
  expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(50_000)
  const found = await findLiveRunnerToken(database.store, token)
  expect(found).toMatchObject({ id, job })
  expect(found?.livesMs).toBeGreaterThan(50_000)
  const [row] = await database.query<{ text: string }>('select t::text as text from runner_tokens t where id = $1', [
    id,
  ])
  expect(row?.text).not.toContain(token.slice(4))
  await database.setClock('61 seconds')
  expect(await findLiveRunnerToken(database.store, token)).toBeNull()
})

test('a revocation ends all tokens of one Job, and no other', async () => {
  const make = (job: string) => createRunnerToken(database.store, { job, ttlSeconds: 60 })
  const [one, two, other] = [await make('a'), await make('a'), await make('b')]
  expect(await revokeRunnerTokens(database.store, 'a')).toBe(2)
  for (const { token } of [one, two]) expect(await findLiveRunnerToken(database.store, token)).toBeNull()
  expect(await findLiveRunnerToken(database.store, other.token)).toMatchObject({ id: other.id })
})

test('a bounded token gives its claims once, however many ask at the same moment', async () => {
  const { store } = database
  const { id, token } = await createRunnerToken(store, { job: 'bounded', ttlSeconds: 60, claims: 10 })
  const taken = await Promise.all(Array.from({ length: 8 }, () => takeRunnerClaims(store, id, 3)))
  expect(taken.toSorted((a, b) => a - b)).toEqual([0, 0, 0, 0, 1, 3, 3, 3])
  expect(await findLiveRunnerToken(store, token)).toMatchObject({ claimsLeft: 0 })
  await returnRunnerClaims(store, id, 2)
  expect(await takeRunnerClaims(store, id, 100)).toBe(2)
})

test('the names with a live token are those that begin with the prefix', async () => {
  for (const job of ['c/one', 'c/one', 'c/two', 'd/one'])
    await createRunnerToken(database.store, { job, ttlSeconds: 60 })
  await revokeRunnerTokens(database.store, 'c/two')
  expect(await liveRunnerJobs(database.store, 'c/')).toEqual([{ job: 'c/one', is_unsandboxed: false }])
})

test('what ended is forgotten after a day, and its number is not given again', async () => {
  const { id } = await createRunnerToken(database.store, { job: 'old', ttlSeconds: 60 })
  await database.setClock('2 days')
  expect(await purgeRunnerTokens(database.store)).toBeGreaterThan(0)
  expect((await createRunnerToken(database.store, { job: 'new', ttlSeconds: 60 })).id).toBeGreaterThan(id)
})

test('whatever raises the fence takes the check from its holder: the next fence is easily guessed', async () => {
  const team = await database.team()
  const raises = {
    edited: (monitor: Awaited<ReturnType<typeof create>>) =>
      edit(database, monitor, { url: 'https://example.com/elsewhere' }),
    released: ({ no }: { no: number }) => releaseOf(database.store, [{ no, fence: 1, delayMs: 0 }], 7),
    'handed over': ({ no }: { no: number }) => handOver(database.store, { no, fence: 1, reason: 'refused' }),
    'claimed again': async () => {
      await database.setClock('70 seconds')
      expect(await database.claim({ queue: 'browser' })).toHaveLength(1)
    },
  }
  for (const [what, raise] of Object.entries(raises)) {
    const monitor = await create(database, team, { fetch_mode: 'browser' })
    const [claimed] = await database.claim({ queue: 'browser', holder: 7 })
    expect([what, claimed?.no, claimed?.fence]).toEqual([what, monitor.no, 1])
    expect(await findHeldCheck(database.store, { no: monitor.no, fence: 1 }, 8)).toBeNull()
    expect(await findHeldCheck(database.store, { no: monitor.no, fence: 1 }, 7)).toMatchObject({
      run_id: claimed?.run_id,
    })
    await raise(monitor)
    for (const fence of [1, 2]) {
      expect(await findHeldCheck(database.store, { no: monitor.no, fence }, 7)).toBeNull()
      expect(await extendLeasesOf(database.store, [{ no: monitor.no, fence }], 60, 7)).toEqual(new Set())
    }
    await database.setClock('0')
    await stopChecks(database, 'all')
  }
})

test('a row that a worker claims is no wider for there being holders', async () => {
  const [no] = await database.monitors(await database.team(), { queue: 'browser' })
  const width = async () =>
    (await database.query<{ n: number }>('select pg_column_size(c.*) as n from checks c where no = $1', [no]))[0]?.n
  const before = await width()
  await database.query('update checks set holder = 1 where no = $1', [no])
  expect(await width()).toBeGreaterThan(before ?? 0)
  await database.query('update checks set holder = null where no = $1', [no])
  expect(await width()).toBe(before)
})
