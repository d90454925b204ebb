import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Reading } from '../../../runners/check/reading.ts'
import type { Finished } from '../../../runners/check/check-source.ts'
import { eventually } from '../../support/eventually.ts'
import { type RunnerApiWorld, openRunnerApiWorld } from './runner-world.ts'

let runnerApi: RunnerApiWorld
beforeAll(async () => {
  runnerApi = await openRunnerApiWorld()
})
afterAll(() => runnerApi[Symbol.asyncDispose]())

const BLOCKED = {
  kind: 'failed',
  fetchMethod: 'browser',
  fault: { code: 'blocked', message: 'The site refused.' },
  retryAfterMs: 0,
  status: 403,
} as const

test('a check that is completed twice at once is tried through the proxy once, and recorded once', async () => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<Reading>()
  let tries = 0
  const refused = () => {
    tries += 1
    asked.resolve()
    return answer.promise
  }
  const { url } = await runnerApi.serve({ refused })
  const { token } = await runnerApi.token()
  const [one, other] = [
    await runnerApi.httpCheckSource({ url, token }),
    await runnerApi.httpCheckSource({ url, token }),
  ]
  const [no = 0] = await runnerApi.world.monitors(await runnerApi.world.team(), { queue: 'browser' })
  const task = (await one.claim(10)).find((claimed) => claimed.no === no)
  if (!task) throw new Error('not claimed')
  const at = Math.round(task.claimedMs)
  const finished: Finished = { task, reading: BLOCKED, startedMs: at, endedMs: at + 1 }
  const first = one.complete(finished)
  await asked.promise
  const second = other.complete(finished)
  // Where the second did not wait, it would come to the proxy as fast as the first did.
  await eventually(
    () => other.greet(),
    (said) => said.leaseMs > 0,
  )
  answer.resolve(BLOCKED)
  await Promise.allSettled([first, second])
  expect([tries, (await runnerApi.world.runs(no)).length]).toEqual([1, 1])
})
