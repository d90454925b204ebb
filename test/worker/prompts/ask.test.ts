import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createLogger } from '../../../core/logger.ts'
import { createModel, type ModelOptions } from '../../../worker/prompts/model/model.ts'
import type { PromptAnswer, Question } from '../../../worker/prompts/prompts-port.ts'
import { type ClosablePrompts, createPrompts, type PromptsOptions } from '../../../worker/prompts/prompts.ts'
import { complete, type ModelServer, openModelServer, refuse, send } from './model-server.ts'

let server: ModelServer
let opened: ClosablePrompts[] = []
let lines: string[] = []
beforeEach(async () => {
  server = await openModelServer()
  lines = []
})
afterEach(async () => {
  await Promise.all(opened.map((prompts) => prompts.close()))
  opened = []
  await server[Symbol.asyncDispose]()
})

const KEY = 'sk-the-key-of-a-test'
const NEVER = new AbortController().signal

function prompts(more: Partial<PromptsOptions & Omit<ModelOptions, 'log'>> = {}): ClosablePrompts {
  const log = createLogger('warn', { write: (line) => void lines.push(line) })
  const { baseUrl = server.baseUrl, apiKey = () => KEY, name = 'a-model', timeoutMs = 5_000, ...rest } = more
  const model = createModel({ baseUrl, apiKey, name, timeoutMs, connections: 8, log })
  const made = createPrompts({ model, store: null, log, concurrency: 8, deadlineMs: 10_000, patienceMs: 100, ...rest })
  opened.push(made)
  return made
}

const PRICE = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] }

const ask = (question: Partial<Question> = {}, by = prompts(), signal = NEVER): Promise<PromptAnswer> =>
  by.ask({ teamId: 'team', prompt: 'What is the price?', schema: null, text: 'A kettle\n€ 42', ...question }, signal)

const fault = (answer: PromptAnswer) => (answer.kind === 'failed' ? answer.fault : { code: answer.kind, message: '' })
const values = (answer: PromptAnswer) => (answer.kind === 'values' ? answer.values : answer)

describe('a question', () => {
  test('goes to /chat/completions under the base address, with the key, the model, the task and the page', async () => {
    server.says('€ 42')
    await ask()
    const [seen] = server.questions
    expect(seen).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${KEY}`, 'accept-encoding': 'identity' },
      body: { model: 'a-model', temperature: 0, stream: false },
    })
    expect(seen?.text).toContain('What is the price?')
    expect(seen?.text).toContain('A kettle\n€ 42')
    expect(seen?.body).not.toHaveProperty('response_format')
    expect(seen?.body).not.toHaveProperty('tools')
  })

  test('carries no key where there is none', async () => {
    const model = createModel({
      baseUrl: server.baseUrl,
      apiKey: () => null,
      name: 'm',
      timeoutMs: 1_000,
      connections: 1,
      log: createLogger('silent'),
    })
    await model.say({ messages: [{ role: 'user', content: 'x' }], schema: null }, NEVER)
    expect(server.questions[0]?.headers).not.toHaveProperty('authorization')
    await model.close()
  })

  test('without a schema gives the words as `result`, trimmed; null where the page does not say it', async () => {
    server.says(' € 42\n')
    expect(values(await ask())).toEqual({ result: '€ 42' })
    server.says('null')
    expect(values(await ask())).toEqual({ result: null })
  })

  test('with a schema holds the endpoint to it and gives its keys; what it did not ask for is dropped', async () => {
    server.says({ price: 42, other: 'x' })
    expect(values(await ask({ schema: PRICE }))).toEqual({ price: 42 })
    expect(server.questions[0]?.body.response_format).toEqual({
      type: 'json_schema',
      json_schema: {
        name: 'answer',
        strict: true,
        schema: {
          type: 'object',
          properties: { price: { type: 'number' } },
          required: ['price'],
          additionalProperties: false,
        },
      },
    })
    expect(server.questions[0]?.text).toContain(JSON.stringify(PRICE))
  })

  test.each([
    ['names with types', { price: 'number', note: 'text' }, { price: 1, note: 'a' }, { price: 1, note: 'a' }],
    ['a key that is absent', { price: 'number', note: 'text' }, { price: 1 }, { price: 1, note: null }],
    ['a nested object', { product: { name: 'string' } }, { product: { name: 'a' } }, { product: { name: 'a' } }],
    [
      'a list',
      { properties: { tags: { type: 'array', items: { type: 'string' } } } },
      { tags: ['a'] },
      { tags: ['a'] },
    ],
    ['listed values', { properties: { stock: { enum: ['in', 'out'] } } }, { stock: 'in' }, { stock: 'in' }],
    ['anyOf', { properties: { p: { anyOf: [{ type: 'number' }, { type: 'null' }] } } }, { p: null }, { p: null }],
    ['hints only', { price: 'the price with its currency' }, { price: '€ 1' }, { price: '€ 1' }],
    ['no field at all', {}, { price: 1, note: 'a' }, { price: 1, note: 'a' }],
  ])('takes a schema of %s', async (_, schema, said, expected) => {
    server.says(said)
    expect(values(await ask({ schema }))).toEqual(expected)
    expect(server.questions).toHaveLength(1)
  })

  test('reads JSON behind a fence and behind thoughts', async () => {
    server.says('<think>{"price": 7}</think>\n```json\n{"price": 42}\n```')
    expect(values(await ask({ schema: PRICE }))).toEqual({ price: 42 })
  })
})

describe('an answer that is not of the shape', () => {
  test('is sent back once with what is wrong, and the second one counts', async () => {
    server.says((_, nth) => (nth === 1 ? { price: 'forty-two' } : { price: 42 }))
    expect(values(await ask({ schema: PRICE }))).toEqual({ price: 42 })
    const second = server.questions[1]
    expect(second?.body.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    expect(second?.body.messages[3]?.content).toContain('price must be number, and is string')
  })

  test.each([
    ['no JSON', PRICE, 'I think it is 42'],
    ['a list', PRICE, '[42]'],
    ['a required key missing', PRICE, '{}'],
    ['null where null is not allowed', PRICE, '{"price": null}'],
    ['a value that is not listed', { properties: { stock: { enum: ['in', 'out'] } } }, '{"stock": "maybe"}'],
    [
      'an item of another type',
      { properties: { tags: { type: 'array', items: { type: 'string' } } } },
      '{"tags": [1]}',
    ],
    ['a number out of its range', { properties: { p: { type: 'number', maximum: 5 } } }, '{"p": 6}'],
    ['nested ten thousand deep', {}, `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
  ])('fails the run after one repair try: %s', async (_, schema, said) => {
    server.says(said)
    expect(fault(await ask({ schema }))).toMatchObject({ code: 'model_answer' })
    expect(server.questions).toHaveLength(2)
  })
})

describe('a schema that is too much is refused before anybody is asked', () => {
  const deep = (levels: number): object => (levels === 0 ? { type: 'string' } : { properties: { a: deep(levels - 1) } })
  test.each<[string, Record<string, unknown>]>([
    ['51 fields', Object.fromEntries(Array.from({ length: 51 }, (__, i) => [`f${i}`, 'text']))],
    ['nested nine deep', { properties: { a: deep(9) } }],
    ['more than 10,000 characters', { a: { description: 'x'.repeat(10_000) } }],
    ['101 listed values', { properties: { a: { enum: Array.from({ length: 101 }, (__, i) => i) } } }],
    ['301 parts', { properties: { a: { anyOf: Array.from({ length: 300 }, () => ({})) } } }],
  ])('%s', async (_, schema) => {
    expect(fault(await ask({ schema }))).toMatchObject({ code: 'bad_rule' })
    expect(server.questions).toHaveLength(0)
  })
})

describe('an endpoint that does not take everything', () => {
  test.each([
    ['temperature', "Unsupported value: 'temperature' does not support 0 with this model.", 'temperature'],
    ['max_tokens', "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", 'max_tokens'],
  ])('is asked again without %s, and next time at once', async (_, words, name) => {
    server.says((question, __, response) => (name in question.body ? refuse(response, 400, words) : '€ 42'))
    const by = prompts()
    expect(values(await ask({}, by))).toEqual({ result: '€ 42' })
    expect(values(await ask({}, by))).toEqual({ result: '€ 42' })
    expect(server.questions).toHaveLength(3)
  })

  test.each(['json_schema', 'json_object'])('is described in words where it does not know %s', async (last) => {
    const refused = last === 'json_schema' ? ['json_schema'] : ['json_schema', 'json_object']
    server.says((question, _, response) =>
      refused.includes(question.body.response_format?.type ?? '')
        ? refuse(response, 400, 'response_format is not supported')
        : { price: 42 },
    )
    expect(values(await ask({ schema: PRICE }))).toEqual({ price: 42 })
    expect(server.questions).toHaveLength(refused.length + 1)
  })
})

describe('a question ends in a clear error when', () => {
  test('the endpoint answers 429 with a long Retry-After; then it is left alone, and not even asked', async () => {
    server.says((_, __, response) => refuse(response, 429, 'slow down', { 'retry-after': '120' }))
    const by = prompts()
    const first = await ask({}, by)
    expect(first).toMatchObject({ kind: 'failed', fault: { code: 'model_busy' }, retryAfterMs: 120_000 })
    expect(fault(await ask({}, by))).toMatchObject({ code: 'model_busy' })
    expect(server.questions).toHaveLength(1)
  })

  test('the endpoint answers 429 twice; a short Retry-After is waited for', async () => {
    server.says((_, nth, response) => (nth === 1 ? refuse(response, 429, 'slow', { 'retry-after': '1' }) : '€ 42'))
    const startedAt = performance.now()
    expect(values(await ask())).toEqual({ result: '€ 42' })
    expect(performance.now() - startedAt).toBeGreaterThan(950)
    server.says((_, __, response) => refuse(response, 429, 'slow'))
    expect(fault(await ask())).toMatchObject({ code: 'model_busy' })
    expect(server.questions).toHaveLength(4)
  })

  test.each([
    [401, 'model_failed', /key.*LLM_API_KEY/],
    [404, 'model_failed', /LLM_MODEL/],
    [302, 'model_failed', /redirects/],
    [400, 'model_failed', /refused the question/],
    [500, 'model_failed', /status 500/],
    [503, 'model_busy', /status 503/],
  ])(
    'the endpoint answers %i; its words and our key stay in the log, the key blotted out',
    async (status, code, message) => {
      server.says((_, __, response) =>
        refuse(response, status, `no such thing, ${KEY}`, { location: 'http://127.0.0.1:1/' }),
      )
      const failed = fault(await ask())
      expect(failed).toMatchObject({ code })
      expect(failed.message).toMatch(message)
      expect(failed.message).not.toMatch(/no such thing|sk-/)
      expect(lines.join('')).toContain('no such thing')
      expect(lines.join('')).not.toContain(KEY)
    },
  )

  test.each([
    ['is no JSON', '<html>', 'model_answer'],
    ['is JSON of another kind', '{"ok": true}', 'model_answer'],
    ['has no choice', '{"choices": []}', 'model_answer'],
    ['has a choice without words', '{"choices": [{"message": {"content": null}}]}', 'model_answer'],
    ['calls a tool', '{"choices": [{"message": {"tool_calls": [{"id": "1"}]}}]}', 'model_answer'],
    ['is a refusal', '{"choices": [{"message": {"content": "", "refusal": "I may not"}}]}', 'model_answer'],
    ['was cut off', '{"choices": [{"finish_reason": "length", "message": {"content": "4"}}]}', 'model_answer'],
    ['is empty', '', 'model_answer'],
  ])('the answer %s', async (_, body, code) => {
    server.says((__, ___, response) => send(response, 200, body))
    expect(fault(await ask())).toMatchObject({ code })
  })

  test('the answer is huge: it is not read to its end', async () => {
    server.says((_, __, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = () => void (response.destroyed || response.write('x'.repeat(65_536), more))
      more()
    })
    expect(fault(await ask())).toMatchObject({ code: 'model_answer' })
  })

  test('the answer drips without end, as a stream of events does', async () => {
    server.says((_, __, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const timer = setInterval(() => response.write('data: {}\n\n'), 20)
      response.on('close', () => clearInterval(timer))
    })
    const by = prompts({ timeoutMs: 300 })
    expect(fault(await ask({}, by))).toMatchObject({ code: 'model_timeout' })
  })

  test('nobody answers in time, or answers and repairs take longer than both may', async () => {
    server.says(() => {})
    expect(fault(await ask({}, prompts({ timeoutMs: 200 })))).toMatchObject({ code: 'model_timeout' })
    expect(fault(await ask({}, prompts({ timeoutMs: 60_000, deadlineMs: 200 })))).toMatchObject({
      code: 'model_timeout',
    })
  })

  test('the connection is cut, twice; once is passed over', async () => {
    server.says((_, nth, response) => (nth === 1 ? void response.destroy() : '€ 42'))
    expect(values(await ask())).toEqual({ result: '€ 42' })
    server.says((_, __, response) => void response.destroy())
    expect(fault(await ask())).toMatchObject({ code: 'model_failed' })
  })

  test('nothing listens there', async () => {
    expect(fault(await ask({}, prompts({ baseUrl: 'http://127.0.0.1:1/v1' })))).toMatchObject({
      code: 'model_failed',
      message: expect.stringContaining('could not be reached') as string,
    })
  })
})

describe('the line to the model', () => {
  test('lets so many through at once, and of one team half of them', async () => {
    const answers: (() => void)[] = []
    server.says((_, __, response) => void answers.push(() => complete(response, 'x')))
    const by = prompts({ concurrency: 4 })
    const flood = Array.from({ length: 6 }, () => ask({}, by))
    const other = ask({ teamId: 'other' }, by)
    await expect.poll(() => server.questions.length).toBe(3)
    expect(server.load.most).toBe(3)
    server.says('x')
    for (const answer of answers) answer()
    expect((await Promise.all([...flood, other])).map(({ kind }) => kind)).toEqual(Array(7).fill('values'))
    expect(server.load.most).toBeLessThanOrEqual(3)
  })

  test('is left by who is no longer wanted, and by those who may not wait any longer', async () => {
    server.says(() => {})
    const by = prompts({ concurrency: 1, waitMs: 100 })
    const first = new AbortController()
    const asking = ask({}, by, first.signal)
    await expect.poll(() => server.questions.length).toBe(1)
    expect(fault(await ask({}, by))).toMatchObject({ code: 'model_busy' })
    const gone = new AbortController()
    const waiting = ask({}, by, gone.signal)
    gone.abort()
    expect(await waiting).toEqual({ kind: 'abandoned' })
    first.abort()
    expect(await asking).toEqual({ kind: 'abandoned' })
  })

  test('has no room for more than 128 MiB of pictures that wait with it', async () => {
    server.says(() => {})
    const by = prompts()
    const big = 100 * 1024 * 1024
    expect([by.hasRoom(big), by.hasRoom(0)]).toEqual([true, true])
    const until = new AbortController()
    const asking = ask({ held: big }, by, until.signal)
    expect([by.hasRoom(big), by.hasRoom(1)]).toEqual([false, true])
    until.abort()
    await asking
    expect(by.hasRoom(big)).toBe(true)
  })

  test('ends with the process: questions under way are abandoned', async () => {
    server.says(() => {})
    const by = prompts()
    const asking = ask({}, by)
    await expect.poll(() => server.questions.length).toBe(1)
    await by.close()
    expect(await asking).toEqual({ kind: 'abandoned' })
  })
})
