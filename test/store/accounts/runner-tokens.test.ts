import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { extendLeases, releaseChecks } from '../../../store/queue/lease.ts'
import { handOver } from '../../../store/queue/remember-layer.ts'
import { findHeldCheck } from '../../../store/queue/held-check.ts'
import {
  createRunnerToken,
  findLiveRunnerToken,
  purgeRunnerTokens,
  revokeRunnerTokens,
} from '../../../store/accounts/runner-tokens.ts'
import { create, edit } from '../monitors/monitors-world.ts'
import { openQueueWorld, type QueueWorld } from '../queue/queue-world.ts'

let world: QueueWorld
beforeAll(async () => {
  world = await openQueueWorld()
})
afterEach(() => world.setClock('0'))
afterAll(() => world[Symbol.asyncDispose]())

test('a token is found by its text until it ends; only its hash is kept', async () => {
  const { id, token, job, expires_at } = await createRunnerToken(world.store, { job: 'runner-1', ttlSeconds: 60 })
  expect(token).toMatch(/^tdr_[0-9A-Za-z]{36}$/)
  expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(50_000)
  const found = await findLiveRunnerToken(world.store, token)
  expect(found).toMatchObject({ id, job })
  expect(found?.livesMs).toBeGreaterThan(50_000)
  const [row] = await world.query<{ text: string }>('select t::text as text from runner_tokens t where id = $1', [id])
  expect(row?.text).not.toContain(token.slice(4))
  await world.setClock('61 seconds')
  expect(await findLiveRunnerToken(world.store, token)).toBeNull()
})

test('a revocation ends all tokens of one Job, and no other', async () => {
  const make = (job: string) => createRunnerToken(world.store, { job, ttlSeconds: 60 })
  const [one, two, other] = [await make('a'), await make('a'), await make('b')]
  expect(await revokeRunnerTokens(world.store, 'a')).toBe(2)
  for (const { token } of [one, two]) expect(await findLiveRunnerToken(world.store, token)).toBeNull()
  expect(await findLiveRunnerToken(world.store, other.token)).toMatchObject({ id: other.id })
})

test('what ended is forgotten after a day, and its number is not given again', async () => {
  const { id } = await createRunnerToken(world.store, { job: 'old', ttlSeconds: 60 })
  await world.setClock('2 days')
  expect(await purgeRunnerTokens(world.store)).toBeGreaterThan(0)
  expect((await createRunnerToken(world.store, { job: 'new', ttlSeconds: 60 })).id).toBeGreaterThan(id)
})

test('whatever raises the fence takes the check from its holder: the next fence is easily guessed', async () => {
  const team = await world.team()
  const raises = {
    edited: (monitor: Awaited<ReturnType<typeof create>>) =>
      edit(world, monitor, { url: 'https://example.com/elsewhere' }),
    released: ({ no }: { no: number }) => releaseChecks(world.store, [{ no, fence: 1, delayMs: 0 }], 7),
    'handed over': ({ no }: { no: number }) => handOver(world.store, { no, fence: 1, reason: 'refused' }),
    'claimed again': async () => {
      await world.setClock('70 seconds')
      expect(await world.claim({ queue: 'browser' })).toHaveLength(1)
    },
  }
  for (const [what, raise] of Object.entries(raises)) {
    const monitor = await create(world, team, { fetch_mode: 'browser' })
    const [claimed] = await world.claim({ queue: 'browser', holder: 7 })
    expect([what, claimed?.no, claimed?.fence]).toEqual([what, monitor.no, 1])
    expect(await findHeldCheck(world.store, { no: monitor.no, fence: 1 }, 8)).toBeNull()
    expect(await findHeldCheck(world.store, { no: monitor.no, fence: 1 }, 7)).toMatchObject({ run_id: claimed?.run_id })
    await raise(monitor)
    for (const fence of [1, 2]) {
      expect(await findHeldCheck(world.store, { no: monitor.no, fence }, 7)).toBeNull()
      expect(await extendLeases(world.store, [{ no: monitor.no, fence }], 60, 7)).toEqual(new Set())
    }
    await world.setClock('0')
    await world.query('update checks set due_at = null, next_run_at = null, run_id = null')
  }
})

test('a row that a worker claims is no wider for there being holders', async () => {
  const [no] = await world.monitors(await world.team(), { queue: 'browser' })
  const width = async () =>
    (await world.query<{ n: number }>('select pg_column_size(c.*) as n from checks c where no = $1', [no]))[0]?.n
  const before = await width()
  await world.query('update checks set holder = 1 where no = $1', [no])
  expect(await width()).toBeGreaterThan(before ?? 0)
  await world.query('update checks set holder = null where no = $1', [no])
  expect(await width()).toBe(before)
})
