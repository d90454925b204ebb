import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { promptsOf } from '../../../boot/parts/model.ts'
import { createLogger } from '../../../core/logger.ts'
import { findPromptAnswer, keepPromptAnswer, purgePromptAnswers } from '../../../store/maintenance/prompt-answers.ts'
import { giveBackModelCall, takeModelCall } from '../../../store/quota/prompt-quota.ts'
import type { Question } from '../../../worker/prompts/prompts-port.ts'
import type { ClosablePrompts } from '../../../worker/prompts/prompts.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import { complete, type ModelServer, openModelServer, refuse } from './model-server.ts'

let database: QueueDatabase
let server: ModelServer
let prompts: ClosablePrompts
const NEVER = new AbortController().signal
beforeAll(async () => {
  database = await openQueueDatabase()
})
beforeEach(async () => {
  server = await openModelServer()
  const made = promptsOf(
    { LLM_BASE_URL: server.baseUrl, LLM_MODEL: 'm', TIDEMARK_LLM_CONCURRENCY: 4, TIDEMARK_LLM_TIMEOUT_SECONDS: 5 },
    { store: database.store, log: createLogger('silent') },
  )
  if (!made) throw new Error('no model')
  prompts = made
})
afterEach(async () => {
  await prompts.close()
  await server[Symbol.asyncDispose]()
  await database.setClock('0')
})
afterAll(() => database[Symbol.asyncDispose]())

const used = async (team: string) =>
  (await database.query<{ n: number }>('select llm_calls_used::int as n from team_usage where team_id = $1', [team]))[0]
    ?.n
const question = (teamId: string, text: string): Question => ({ teamId, prompt: 'What is it?', schema: null, text })

describe('a call', () => {
  test('is counted before it is made, and given back when its check is taken away', async () => {
    const team = await database.team()
    server.says(() => {})
    const taken = new AbortController()
    const asking = prompts.ask(question(team, 'a'), taken.signal)
    await expect.poll(() => server.questions.length).toBe(1)
    expect(await used(team)).toBe(1)
    taken.abort()
    expect(await asking).toEqual({ kind: 'abandoned' })
    expect(await used(team)).toBe(0)
    await expect.poll(() => server.load.now).toBe(0)
  })

  test('is given back when the process stops, before the store is closed', async () => {
    const team = await database.team()
    server.says(() => {})
    const asking = prompts.ask(question(team, 'a'), NEVER)
    await expect.poll(() => server.questions.length).toBe(1)
    await prompts.close()
    expect(await asking).toEqual({ kind: 'abandoned' })
    expect(await used(team)).toBe(0)
  })

  test.each([
    ['is refused', 0, (response: Parameters<typeof refuse>[0]) => refuse(response, 401, 'no')],
    ['is cut off', 0, (response: Parameters<typeof refuse>[0]) => void response.destroy()],
    ['gets an answer of no use', 1, (response: Parameters<typeof refuse>[0]) => complete(response, '')],
    [
      'gets a refusal of the model',
      1,
      (response: Parameters<typeof refuse>[0]) => complete(response, 'x', 'content_filter'),
    ],
  ])('that %s counts %i', async (_, count, answer) => {
    const team = await database.team()
    server.says((__, ___, response) => answer(response))
    expect(await prompts.ask(question(team, 'a'), NEVER)).toMatchObject({ kind: 'failed' })
    expect(await used(team)).toBe(count)
  })

  test('is not given back into another period, nor below nothing', async () => {
    const team = await database.team()
    const call = await takeModelCall(database.store, team)
    if (call.kind !== 'taken') throw new Error('not taken')
    await database.query(
      `update team_usage set period_start = clock() + interval '1 s', llm_calls_used = 3 where team_id = $1`,
      [team],
    )
    await giveBackModelCall(database.store, team, call.period)
    expect(await used(team)).toBe(3)
    const fresh = await takeModelCall(database.store, team)
    if (fresh.kind !== 'taken') throw new Error('not taken')
    for (let i = 0; i < 6; i += 1) await giveBackModelCall(database.store, team, fresh.period)
    expect(await used(team)).toBe(0)
  })

  test('is taken by the limit of the team where it has one of its own; a null there is none of its own', async () => {
    const team = await database.team()
    await database.query(`update teams set limits = '{"llmCallsPerMonth": 1}' where id = $1`, [team])
    expect(await takeModelCall(database.store, team)).toMatchObject({ kind: 'taken' })
    expect(await takeModelCall(database.store, team)).toMatchObject({ kind: 'used_up', limit: 1 })
    await database.query(`update teams set limits = '{"llmCallsPerMonth": null}' where id = $1`, [team])
    expect(await takeModelCall(database.store, team)).toMatchObject({ kind: 'taken' })
  })

  test('is never counted above the limit, however many take at once', async () => {
    const team = await database.team()
    await database.query(`update teams set limits = '{"llmCallsPerMonth": 7}' where id = $1`, [team])
    const taken = await Promise.all(Array.from({ length: 40 }, () => takeModelCall(database.store, team)))
    expect(taken.filter(({ kind }) => kind === 'taken')).toHaveLength(7)
    expect(await used(team)).toBe(7)
  })
})

describe('an answer', () => {
  test('is kept for the very question only: another text, prompt, schema or team asks anew', async () => {
    const [one, other] = [await database.team(), await database.team()]
    server.says('x')
    const ask = (more: Partial<Question>) => prompts.ask({ ...question(one, 'a'), ...more }, NEVER)
    for (let i = 0; i < 2; i += 1) {
      await ask({})
      await ask({ text: 'b' })
      await ask({ prompt: 'What else?' })
      await ask({ teamId: other })
    }
    expect(server.questions).toHaveLength(4)
    expect([await used(one), await used(other)]).toEqual([3, 1])
  })

  test('is not kept when it is of no use', async () => {
    const team = await database.team()
    server.says('')
    await prompts.ask(question(team, 'a'), NEVER)
    server.says('x')
    expect(await prompts.ask(question(team, 'a'), NEVER)).toMatchObject({ values: { result: 'x' } })
  })

  test('is as the store can keep it: NUL and half characters are replaced, the first time as the second', async () => {
    const team = await database.team()
    server.says('a\0b\ud800')
    const first = await prompts.ask(question(team, 'a'), NEVER)
    expect(first).toMatchObject({ values: { result: 'a\ufffdb\ufffd' } })
    expect(await prompts.ask(question(team, 'a'), NEVER)).toMatchObject({ values: { result: 'a\ufffdb\ufffd' } })
    expect(server.questions).toHaveLength(1)
  })

  test('is deleted once it is 30 days old; younger ones stay', async () => {
    const team = await database.team()
    const [old, young] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    await keepPromptAnswer(database.store, team, old, { result: 'old' })
    await database.setClock('1 day')
    await keepPromptAnswer(database.store, team, young, { result: 'young' })
    await database.setClock('30 days')
    expect(await findPromptAnswer(database.store, team, old)).toBeNull()
    await purgePromptAnswers(database.store)
    const kept = await database.query<{ key: Buffer }>('select key from prompt_answers where team_id = $1', [team])
    expect(kept.map(({ key }) => key)).toEqual([young])
    expect(await findPromptAnswer(database.store, team, young)).toEqual({ result: 'young' })
  })
})

test('a store that is away for long leaves the check unrecorded, and nobody is asked', async () => {
  const store = await database.anotherStore(1)
  const made = promptsOf(
    { LLM_BASE_URL: server.baseUrl, LLM_MODEL: 'm', TIDEMARK_LLM_CONCURRENCY: 4, TIDEMARK_LLM_TIMEOUT_SECONDS: 5 },
    { store, log: createLogger('silent'), patienceMs: 100 },
  )
  await store.end()
  expect(await made?.ask(question(await database.team(), 'a'), NEVER)).toEqual({ kind: 'abandoned' })
  expect(server.questions).toHaveLength(0)
  await made?.close()
})
