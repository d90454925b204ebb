import { expect, test } from 'vitest'
import { Running } from '../../../concurrency/loops/wakeable-loop.ts'

test('it is settled when all of it is, failed or not, with what was added meanwhile', async () => {
  const running = new Running()
  await running.settled()
  const [one, other, later] = [1, 2, 3].map(() => Promise.withResolvers<void>())
  let isSettled = false
  for (const work of [one, other]) if (work) running.add(work.promise)
  const settled = running.settled().then(() => (isSettled = true))
  one?.reject(new Error('no'))
  if (later) running.add(later.promise)
  other?.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  expect(isSettled).toBe(false)
  later?.resolve()
  await settled
})
