import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '../../../core/logger.ts'
import {
  createRunnerToken,
  findLiveRunnerToken,
  revokeRunnerTokens,
} from '../../../store/accounts/credentials/runner-tokens.ts'
import { isolatedChecks } from '../../../store/queue/isolated-checks.ts'
import { isolate, raiseFence, setLevel } from '../../support/database/check-states.ts'
import { type Asker, frame, openAsker, outcome, VERBS } from './asker.ts'

let asker: Asker
beforeAll(async () => {
  asker = await openAsker()
})
beforeEach(() => asker.newJob())
afterEach(() => asker.reset())
afterAll(() => asker[Symbol.asyncDispose]())

describe('a token', () => {
  const none = {
    'is missing': async () => ({}),
    'is no token': async () => ({ authorization: 'Bearer svc_x' }),
    'is one of nobody': async () => ({ authorization: `Bearer tdr_${'a'.repeat(36)}` }),
    'has a letter wrong': async () => ({ authorization: `Bearer ${asker.job.token.slice(0, -1)}!` }),
    'has ended': async () => {
      const { token } = await asker.runnerApi.token('short', 5)
      await asker.runnerApi.database.setClock('6 seconds')
      return { authorization: `Bearer ${token}` }
    },
    'is revoked': async () => {
      const { token } = await asker.runnerApi.token('revoked')
      expect(await revokeRunnerTokens(asker.runnerApi.database.store, 'revoked')).toBe(1)
      expect(await revokeRunnerTokens(asker.runnerApi.database.store, 'revoked')).toBe(0)
      return { authorization: `Bearer ${token}` }
    },
  }
  test.each(Object.entries(none))('that %s is refused by every verb, before its body is read', async (_, given) => {
    const task = await asker.claimed()
    const { authorization = '' } = (await given()) as { authorization?: string }
    const before = await asker.state()
    for (const verb of VERBS)
      expect(await asker.post(verb, frame(outcome(task)), { authorization })).toMatchObject({
        status: 401,
        code: 'UNAUTHORIZED',
      })
    expect(await asker.state()).toEqual(before)
  })

  test(
    'that ended says so to its runner once; what it had claimed goes to another when the lease ends, as from a dead ' +
      'worker.',
    async () => {
      const { token } = await asker.runnerApi.token('dying')
      const refusals: number[] = []
      const dying = await asker.runnerApi.httpCheckSource({
        token,
        onRefused: ({ status }) => void refusals.push(status),
      })
      const [no] = await asker.runnerApi.database.monitors(asker.team, { queue: 'browser' })
      const [task] = await dying.claim(1)
      expect(task?.no).toBe(no)
      expect(dying.tokenMs()).toBeGreaterThan(890_000)
      await revokeRunnerTokens(asker.runnerApi.database.store, 'dying')
      await expect(dying.heartbeat([])).rejects.toMatchObject({ status: 401 })
      await expect(dying.release(task ? [task] : [], 0)).rejects.toMatchObject({ status: 401 })
      expect(refusals).toEqual([401])
      expect(await asker.job.source.claim(1)).toEqual([])
      await asker.runnerApi.database.setClock('61 seconds')
      expect((await asker.job.source.claim(1)).map(({ runId }) => runId)).toEqual([task?.runId])
    },
  )

  test('claims no more checks than it allows, and tells how many are left', async () => {
    const { store } = asker.runnerApi.database
    const { token } = await createRunnerToken(store, { job: 'bounded', ttlSeconds: 900, claims: 3 })
    const bounded = await asker.runnerApi.httpCheckSource({ token })
    expect(await bounded.claim(2)).toEqual([])
    expect(bounded.claimsLeft()).toBe(3)
    await asker.runnerApi.database.monitors(asker.team, { queue: 'browser', count: 5 })
    expect(await bounded.claim(2)).toHaveLength(2)
    expect(bounded.claimsLeft()).toBe(1)
    expect(await bounded.claim(2)).toHaveLength(1)
    expect(bounded.claimsLeft()).toBe(0)
    expect(await bounded.claim(2)).toEqual([])
    // What it has claimed it may still finish.
    await bounded.heartbeat([])
    expect(bounded.claimsLeft()).toBe(0)
    expect(await asker.job.source.claim(9)).toHaveLength(2)
    expect(asker.job.source.claimsLeft()).toBe(Infinity)
  })

  test('for one isolated check claims that one alone, and nobody else claims it', async () => {
    const { database } = asker.runnerApi
    const numbers = await database.monitors(asker.team, { queue: 'browser', count: 3 })
    const [own = 0, other = 0, shared = 0] = numbers
    await isolate(database, [own, other])
    const { token } = await createRunnerToken(database.store, { job: 'own', ttlSeconds: 900, checkNo: own, claims: 1 })
    const source = await asker.runnerApi.httpCheckSource({ token, exit: 'here' })
    expect((await asker.job.source.claim(9)).map(({ no }) => no)).toEqual([shared])
    expect(await database.claim({ queue: 'browser', limit: 9 })).toEqual([])
    expect((await source.claim(9)).map(({ no }) => no)).toEqual([own])
    expect(await source.claim(9)).toEqual([])
    expect(await isolatedChecks(database.store, 9)).toEqual([other])
  })

  test('notes that the browsers of its runner have no sandbox', async () => {
    const { store } = asker.runnerApi.database
    const isUnsandboxed = async () => (await findLiveRunnerToken(store, asker.job.token))?.isUnsandboxed
    await asker.job.source.heartbeat([])
    expect(await isUnsandboxed()).toBe(false)
    asker.job.source.reportSandbox(false)
    await asker.job.source.heartbeat([])
    expect(await isUnsandboxed()).toBe(true)
  })

  test('shows with each rendered page whether its browser had its sandbox', async () => {
    const shown: boolean[] = []
    const { url } = await asker.runnerApi.serve({ onRendered: (isSandboxed) => void shown.push(isSandboxed) })
    const source = await asker.runnerApi.httpCheckSource({ url, token: asker.job.token })
    const rendered = async (fetchMethod: 'browser' | null) => {
      const task = await asker.claimed()
      const fault = { code: 'timeout', message: 'Late.' } as const
      const reading = { kind: 'failed', fetchMethod, fault, retryAfterMs: 0 } as const
      await source.complete({ task, reading, startedMs: 1, endedMs: 2 })
    }
    await rendered('browser')
    source.reportSandbox(false)
    await rendered('browser')
    // No page was shown.
    await rendered(null)
    expect(shown).toEqual([true, false])
  })

  test('touches only what was claimed with it, though the number and the fence be right', async () => {
    const task = await asker.claimed()
    const other = await asker.runnerApi.httpCheckSource()
    const before = await asker.state()
    expect(await other.heartbeat([task])).toEqual(new Set())
    await other.release([task], 0)
    asker.job = { ...asker.job, token: (await asker.runnerApi.token('another-job')).token }
    expect(await asker.post('complete', frame(outcome(task)))).toMatchObject({ status: 409, code: 'CONFLICT' })
    expect(await asker.state()).toEqual(before)
  })

  test('hands in no check above the level of its worker, and the next worker takes it over', async () => {
    const task = await asker.claimed()
    const raise = (level: number) => setLevel(asker.runnerApi.database, task.no, level)
    await raise(3)
    expect(await asker.post('complete', frame(outcome(task)))).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
    await raise(1)
    expect(await asker.post('complete', frame(outcome(task)))).toMatchObject({ status: 204 })
  })

  test('claims at the lower one of its level and that of its worker', async () => {
    const [no = 0] = await asker.runnerApi.database.monitors(asker.team, { queue: 'browser' })
    await setLevel(asker.runnerApi.database, no, 3)
    const later = await asker.runnerApi.httpCheckSource({ token: asker.job.token, level: 3 })
    expect(await later.claim(10)).toEqual([])
    await setLevel(asker.runnerApi.database, no, 1)
    expect(await later.claim(10)).toMatchObject([{ no }])
  })

  test('touches nothing that a worker claimed for itself, and nothing that was edited since', async () => {
    await asker.runnerApi.database.monitors(asker.team, { queue: 'browser' })
    const [inProcess] = await asker.runnerApi.postgresCheckSource().claim(1)
    const edited = await asker.claimed()
    await raiseFence(asker.runnerApi.database, edited.no)
    const before = await asker.state()
    for (const task of [inProcess, { ...edited, fence: edited.fence + 1 }]) {
      if (!task) throw new Error('nothing was claimed')
      expect(await asker.job.source.heartbeat([task])).toEqual(new Set())
      await asker.job.source.release([task], 0)
      expect((await asker.post('complete', frame(outcome(task)))).status).toBe(409)
    }
    expect(await asker.state()).toEqual(before)
  })

  test('is never logged', () => {
    const lines: string[] = []
    const log = createLogger('info', { write: (line) => void lines.push(line) })
    log.info(
      { headers: { authorization: `Bearer ${asker.job.token}` }, x: asker.job.token },
      `the token is ${asker.job.token}`,
    )
    expect(lines.join('')).not.toContain(asker.job.token.slice(4))
    expect(asker.runnerApi.log.join('')).not.toContain('tdr_0')
    expect(asker.runnerApi.log.join('')).not.toContain(asker.job.token)
  })
})
