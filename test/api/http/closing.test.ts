import { Agent, request } from 'undici'
import { expect, test } from 'vitest'
import { ok, publicRoute } from '../../../api/http/route.ts'
import { createTestApi } from '../../support/api/test-api.ts'

test('closing answers what is under way, takes nothing new, and waits for no idle client', async () => {
  const entered = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const slow = publicRoute({
    method: 'GET',
    path: '/slow',
    summary: 'Slow',
    tag: 'Probe',
    policy: 'public',
    answers: { 200: { description: 'Done.' } },
    handle: async () => {
      entered.resolve()
      await release.promise
      return ok({ done: true })
    },
  })
  const api = await createTestApi({}, [slow])
  const address = await api.listen()
  const dispatcher = new Agent()
  await (await request(`${address}/healthz`, { dispatcher })).body.dump()
  const underWay = request(`${address}/slow`, { dispatcher })
  await entered.promise

  const closed = api.close()
  await expect.poll(() => api.app.server.listening).toBe(false)
  release.resolve()
  const answer = await underWay
  expect(answer.statusCode).toBe(200)
  expect(await answer.body.json()).toEqual({ done: true })
  await closed
  await expect(request(`${address}/healthz`)).rejects.toThrow(/ECONNREFUSED|closed|hang up|other side/)
  await dispatcher.close()
})
