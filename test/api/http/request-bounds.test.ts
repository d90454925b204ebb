import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { RequestBounds } from '../../../api/http/request-bounds.ts'
import { ok, publicRoute, type Route, route } from '../../../api/http/route.ts'
import { REQUEST_LIMITS } from '../../../schema/request-limits.ts'
import { servedRoutes } from '../../support/api/all-routes.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'

let api: TestApi | undefined
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await api?.close()
  api = undefined
})

async function open(address: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(address).port) })
  sockets.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

const requestOf = (method: string, path: string, headers: Readonly<Record<string, string | number>>) =>
  `${method} ${path} HTTP/1.1\r\nhost: a\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`

const aRoute = (path: string, handle: Parameters<typeof route>[0]['handle']): Route =>
  route({
    method: 'GET',
    path,
    summary: 'Of the test',
    tag: 'Monitors',
    policy: 'monitors.read',
    answers: { 200: { description: 'Done.' } },
    handle,
  })

describe('the requests of a team', () => {
  test('are handled a few at once, and another team waits for none of them', async () => {
    const begun: string[] = []
    const go = Promise.withResolvers<void>()
    const slow = aRoute('/v1/slow', async ({ principal }) => {
      begun.push(principal.teamId)
      await go.promise
      return ok({})
    })
    api = await createTestApi({}, [slow])
    const [many, other] = [await api.owner(), await api.owner()]
    const { call } = api
    const ask = async (key: string) => (await call(key, 'GET', '/v1/slow')).status
    const answers = Array.from({ length: 40 }, () => ask(many.api_key))
    await expect.poll(() => begun.length).toBe(REQUEST_LIMITS.handling.perTeam)
    answers.push(ask(other.api_key))
    await expect.poll(() => begun.length).toBe(REQUEST_LIMITS.handling.perTeam + 1)
    expect(begun.at(-1)).toBe(other.team_id)
    go.resolve()
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 41 }, () => 200))
    expect(api.services.requests.held('handling')).toBe(0)
  })

  test('that wait too long are 429 with Retry-After', async () => {
    const go = Promise.withResolvers<void>()
    const slow = aRoute('/v1/slow', async () => {
      await go.promise
      return ok({})
    })
    const requests = new RequestBounds({
      ...REQUEST_LIMITS,
      handling: { ...REQUEST_LIMITS.handling, perTeam: 1, waitMs: 50 },
    })
    api = await createTestApi({ requests }, [slow])
    const { api_key: key } = await api.owner()
    const first = api.call(key, 'GET', '/v1/slow')
    await expect.poll(() => requests.held('handling')).toBe(1)
    const { status, headers, body } = await api.call(key, 'GET', '/v1/slow')
    expect([status, body.error.code, headers['retry-after']]).toEqual([429, 'RATE_LIMIT_EXCEEDED', '2'])
    go.resolve()
    expect((await first).status).toBe(200)
  })
})

describe('bodies with a configuration', () => {
  const size = 4 * 1024 * 1024

  test('are received within a budget: a team that sends many and ends none takes half of it', async () => {
    api = await createTestApi()
    const [many, other] = [await api.owner(), await api.owner()]
    const address = await api.listen()
    const answers: string[] = []
    const send = async (key: string, more: object = {}) => {
      const socket = await open(address)
      socket.on('data', (chunk) => answers.push(String(chunk).slice(9, 12)))
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more }
      socket.write(requestOf('POST', '/v1/monitors', headers))
      socket.write('4\r\n{"n"')
    }
    for (let n = 0; n < 30; n += 1) await send(many.api_key, { 'content-length': size })
    const held = () => api?.services.requests.held('bodies')
    await expect.poll(held).toBe(REQUEST_LIMITS.bodies.perTeam)
    // Two are received, and sixteen wait.
    await expect.poll(() => answers).toEqual(Array.from({ length: 30 - 2 - 16 }, () => '429'))
    await send(other.api_key, { 'transfer-encoding': 'chunked' })
    await expect.poll(held).toBe(REQUEST_LIMITS.bodies.perTeam + size)
    for (const socket of sockets.splice(0)) socket.destroy()
    await expect.poll(held).toBe(0)
  })

  test('of the default size need no room in it', async () => {
    api = await createTestApi()
    const { api_key: key } = await api.owner()
    const requests = api.services.requests
    const giveBack = await requests.take(
      'bodies',
      'somebody',
      REQUEST_LIMITS.bodies.total,
      () => new AbortController().signal,
    )
    expect((await api.call(key, 'POST', '/v1/monitors', {})).status).toBe(422)
    giveBack()
  })
})

describe('large answers', () => {
  const large = aRoute('/v1/large', async () => ok({ text: 'x'.repeat(4 * 1024 * 1024) }))

  test('that nobody reads take half of a budget, and more of them are 429', async () => {
    const requests = new RequestBounds({ ...REQUEST_LIMITS, answers: { ...REQUEST_LIMITS.answers, waitMs: 50 } })
    api = await createTestApi({ requests }, [large])
    const [many, other] = [await api.owner(), await api.owner()]
    const address = await api.listen()
    const unread = async (key: string) => {
      const socket = await open(address)
      socket.pause()
      socket.write(requestOf('GET', '/v1/large', { authorization: `Bearer ${key}` }))
    }
    await unread(many.api_key)
    const bytes = Buffer.byteLength(JSON.stringify({ text: 'x'.repeat(4 * 1024 * 1024) }))
    await expect.poll(() => requests.held('answers')).toBe(bytes)
    const answerOf = async (key: string) => {
      const answer = await fetch(`${address}/v1/large`, { headers: { authorization: `Bearer ${key}` } })
      return [answer.status, (await answer.text()).length > 1024]
    }
    expect(await answerOf(many.api_key)).toEqual([429, false])
    expect(await answerOf(other.api_key)).toEqual([200, true])
    for (const socket of sockets.splice(0)) socket.destroy()
    await expect.poll(() => requests.held('answers')).toBe(0)
  })

  test('let the process accept connections before the next of the same team is handled', async () => {
    let round = 0
    const begun: number[] = []
    const go = Promise.withResolvers<void>()
    const counted = aRoute('/v1/counted', async () => {
      begun.push(round)
      await go.promise
      return ok({ text: 'x'.repeat(1024 * 1024) })
    })
    const requests = new RequestBounds({ ...REQUEST_LIMITS, handling: { ...REQUEST_LIMITS.handling, perTeam: 1 } })
    const { call, owner } = (api = await createTestApi({ requests }, [counted]))
    const { api_key: key } = await owner()
    const answers = [call(key, 'GET', '/v1/counted'), call(key, 'GET', '/v1/counted')]
    await expect.poll(() => requests.waiting('handling')).toBe(1)
    const count = (): void => {
      round += 1
      if (begun.length < 2) setImmediate(count)
    }
    count()
    go.resolve()
    await Promise.all(answers)
    const [first = 0, second = 0] = begun
    expect(second - first).toBeGreaterThanOrEqual(REQUEST_LIMITS.roundsAfterLarge)
  })

  test('whose client takes them too slowly end with their connection', async () => {
    const requests = new RequestBounds({ ...REQUEST_LIMITS, takeMs: 50 })
    api = await createTestApi({ requests }, [large])
    const { api_key: key } = await api.owner()
    const socket = await open(await api.listen())
    socket.write(requestOf('GET', '/v1/large', { authorization: `Bearer ${key}` }))
    socket.pause()
    await expect.poll(() => requests.held('answers')).toBeGreaterThan(0)
    await expect.poll(() => requests.held('answers')).toBe(0)
  })
})

describe('pictures', () => {
  test('that nobody reads take half of a budget of their team, and the next ones are not read', async () => {
    const content = Buffer.alloc(15 * 1024 * 1024)
    let read = 0
    const picture = (teamId: string) =>
      publicRoute({
        method: 'GET',
        path: `/v1/picture-of-${teamId}`,
        summary: 'Of the test',
        tag: 'Runs',
        policy: 'public',
        answers: { 200: { description: 'The picture.', only: 'image/png' } },
        handle: async () => ({
          status: 200,
          headers: { 'cache-control': 'private, max-age=60' },
          picture: { type: 'image/png', teamId, bytes: content.length, read: async () => ((read += 1), content) },
        }),
      })
    const requests = new RequestBounds({ ...REQUEST_LIMITS, pictures: { ...REQUEST_LIMITS.pictures, waitMs: 50 } })
    api = await createTestApi({ requests }, [picture('many'), picture('other')])
    const address = await api.listen()
    for (let n = 0; n < 3; n += 1) {
      const socket = await open(address)
      socket.pause()
      socket.write(requestOf('GET', '/v1/picture-of-many', {}))
    }
    await expect.poll(() => [read, requests.waiting('pictures')]).toEqual([2, 0])
    expect(requests.held('pictures')).toBe(2 * content.length)
    const refused = await fetch(`${address}/v1/picture-of-many`)
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('cache-control')]).toEqual([
      429,
      '2',
      'no-store',
    ])
    const seen = await fetch(`${address}/v1/picture-of-other`)
    expect([seen.status, (await seen.arrayBuffer()).byteLength, read]).toEqual([200, content.length, 3])
    for (const socket of sockets.splice(0)) socket.destroy()
    await expect.poll(() => requests.held('pictures')).toBe(0)
  })
})

describe('the requests of one connection', () => {
  test('that wait for their answers are counted: the connection of many is ended before they are handled', async () => {
    let handled = 0
    const counted = aRoute('/v1/counted', async () => {
      handled += 1
      return ok({})
    })
    api = await createTestApi({}, [...servedRoutes, counted])
    const { api_key: key } = await api.owner()
    const address = await api.listen()
    const request = requestOf('GET', '/v1/counted', { authorization: `Bearer ${key}` })
    const socket = await open(address)
    socket.write(request.repeat(2 * REQUEST_LIMITS.ofConnection))
    socket.resume()
    await once(socket, 'close')
    expect(handled).toBeLessThanOrEqual(REQUEST_LIMITS.ofConnection)
    const few = await open(address)
    let answered = 0
    few.on('data', (chunk) => (answered += String(chunk).split('HTTP/1.1 200').length - 1))
    for (let n = 0; n < 3; n += 1) {
      few.write(request.repeat(REQUEST_LIMITS.ofConnection))
      await expect.poll(() => answered).toBe((n + 1) * REQUEST_LIMITS.ofConnection)
    }
  })
})
