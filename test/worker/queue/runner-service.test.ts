import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Reading } from '../../../runners/check/reading.ts'
import type { Finished } from '../../../runners/check/check-source.ts'
import { eventually } from '../../support/eventually.ts'
import { type LaneWorld, openLaneWorld } from './runner-world.ts'

let lanes: LaneWorld
beforeAll(async () => {
  lanes = await openLaneWorld()
})
afterAll(() => lanes[Symbol.asyncDispose]())

const BLOCKED = {
  kind: 'failed',
  fetchMethod: 'browser',
  fault: { code: 'blocked', message: 'The site refused.' },
  retryAfterMs: 0,
  status: 403,
} as const

test('A check that is completed twice at once is tried through the proxy once, and recorded once.', async () => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<Reading>()
  let tries = 0
  const refused = () => {
    tries += 1
    asked.resolve()
    return answer.promise
  }
  const { url } = await lanes.serve({ refused })
  const { token } = await lanes.token()
  const [one, other] = [await lanes.httpLane({ url, token }), await lanes.httpLane({ url, token })]
  const [no = 0] = await lanes.world.monitors(await lanes.world.team(), { queue: 'browser' })
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
  expect([tries, (await lanes.world.runs(no)).length]).toEqual([1, 1])
})
