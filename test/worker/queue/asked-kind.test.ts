import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Task } from '../../../runners/check/task.ts'
import { OUTCOME_TYPE } from '../../../schema/runner-api.ts'
import { createAnswerSignals } from '../../../store/asked/answer-signals.ts'
import { askWork, endWork } from '../../../store/asked/asked-work.ts'
import { ASKED_KINDS } from '../../../worker/asked/asked-kinds.ts'
import { createRunnerAnswers } from '../../../worker/asked/runner-answers.ts'
import type { AskedKind } from '../../../worker/queue/asked-kind.ts'
import { eventually } from '../../support/run/eventually.ts'
import { frame, outcome } from './asker.ts'
import { openTrustedSide, type TrustedSide } from './trusted-side.ts'

let side: TrustedSide
let signals: ReturnType<typeof createAnswerSignals>
beforeAll(async () => {
  side = await openTrustedSide()
  signals = createAnswerSignals(side.database.url)
})
afterAll(async () => {
  await signals.close()
  await side[Symbol.asyncDispose]()
})

/** A kind of this test alone: the price of a page. It keeps the price, and no reading. */
const price: AskedKind<{ readonly url: string }> = {
  taskOf: ({ url }, known) => ({
    ...known,
    ...{ kind: 'page', queue: 'browser', url, host: url, extract: { method: 'css', fields: { price: '.price' } } },
    ...{
      request: null,
      visual: null,
      headers: null,
      triesStatic: false,
      reason: 'configured',
      obstacle: null,
      last: null,
    },
  }),
  keptOf: ({ reading }) => ({ price: reading.kind === 'values' ? reading.values['price'] : null }),
}

test('a further kind of asked work needs no statement to be claimed, leased, given back and settled', async () => {
  const { store, secrets } = side.database
  const teamId = await side.database.team({ runs: 10 })
  const { url } = await side.serve({ asked: { ...ASKED_KINDS, price } })
  const { token } = await side.token()
  const source = await side.httpCheckSource({ url, token })
  const asked = await askWork(store, { kind: 'price', teamId, pool: 'runs', cost: 2 })
  if (asked.kind !== 'asked') throw new Error(asked.kind)
  const { work } = asked
  const answers = createRunnerAnswers({ store, secrets, signals })
  const request = { url: 'https://shop.example/kettle' }
  const offered = { work, request, engine: null, isIsolated: false, seconds: 30, level: 1 }
  const answer = answers.ask(offered, new AbortController().signal)
  const claimed = (): Promise<Task> =>
    eventually(
      async () => (await source.claim(10))[0] as Task,
      (task) => task !== undefined,
    )

  const first = await claimed()
  expect(first).toMatchObject({ no: work.no, fence: 1, ...request })
  expect(await source.heartbeat([first])).toEqual(new Set([work.no]))
  await source.release([first], 0)
  // The other process of the runner API does not know the kind, so it leaves it.
  expect(await (await side.httpCheckSource({ token })).claim(10)).toEqual([])
  const second = await claimed()
  expect([second.no, second.fence]).toEqual([work.no, 3])
  const completed = await fetch(`${url}/runner/complete`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': OUTCOME_TYPE },
    body: frame(outcome(second)) as never,
  })
  expect(completed.status).toBe(204)
  expect(await answer).toEqual({ kind: 'answered', kept: { price: '$1' } })
  await endWork(store, work, true)
  expect(await side.database.usage(teamId)).toMatchObject({ runs_used: 2 })
})

test('the numbers of asked work and of checks are of one sequence, so that none has two', async () => {
  const { store, query } = side.database
  const teamId = await side.database.team({ runs: 10 })
  const ask = async () => {
    const asked = await askWork(store, { kind: 'preview', teamId, pool: 'runs', cost: 1 })
    return asked.kind === 'asked' ? asked.work.no : 0
  }
  const numbers = [await ask(), ...(await side.database.monitors(teamId, { count: 2 })), await ask()]
  const [first = 0] = numbers
  expect(numbers).toEqual([first, first + 1, first + 2, first + 3])
  const checks = (await side.database.everyCheck()).map(({ no }) => no)
  expect(await query('select from asked_work where no = any($1)', [checks])).toEqual([])
})
