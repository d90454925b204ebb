import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type HealthServer, startHealthServer } from '../../platform/health-server.ts'

let server: HealthServer
afterEach(() => server.close())

async function start(ok: boolean, metrics = async () => 'tidemark_up 1\n') {
  const ready = async () => ({ ok, checks: { runner_api: ok ? 'ok' : 'does not answer' } })
  server = await startHealthServer({ ready, metrics }, { host: '127.0.0.1', port: 0 })
  return async (path: string, method = 'GET') => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { method })
    return {
      status: answer.status,
      type: answer.headers.get('content-type'),
      allow: answer.headers.get('allow'),
      text: await answer.text(),
    }
  }
}

test('the health server says that the process lives', async () => {
  const ask = await start(false)
  expect(await ask('/healthz')).toMatchObject({ status: 200, text: '{"status":"ok"}' })
})

test.each([
  [true, 200, '{"status":"ok","checks":{"runner_api":"ok"}}'],
  [false, 503, '{"status":"unavailable","checks":{"runner_api":"does not answer"}}'],
])('the health server answers /readyz of a process that is ready (%s) with %i', async (ok, status, text) => {
  const ask = await start(ok)
  expect(await ask('/readyz?verbose')).toMatchObject({ status, text })
})

test('the health server serves metrics in the format of Prometheus', async () => {
  const ask = await start(true)
  expect(await ask('/metrics')).toEqual({
    status: 200,
    type: 'text/plain; version=0.0.4; charset=utf-8',
    allow: null,
    text: 'tidemark_up 1\n',
  })
})

test('the health server limits the connections of an address, and ends one that sends no HTTP', async () => {
  const ready = async () => ({ ok: true, checks: {} })
  server = await startHealthServer({ ready, metrics: async () => '' }, { host: '127.0.0.1', port: 0, perAddress: 2 })
  const sockets: Socket[] = []
  const open = async () => {
    const socket = connect({ host: '127.0.0.1', port: server.port, allowHalfOpen: true })
    sockets.push(socket)
    socket.on('error', () => {}).resume()
    await once(socket, 'connect')
    return socket
  }
  const first = await open()
  await open()
  const third = await open()
  await once(third, 'end')
  first.write('NONSENSE\r\n\r\n')
  await once(first, 'end')
  for (const socket of sockets) socket.destroy()
})

test('the health server answers 404, 405 and 500, and no stack', async () => {
  const ask = await start(true, () => Promise.reject(new Error('broken')))
  expect((await ask('/else')).status).toBe(404)
  expect(await ask('/healthz', 'POST')).toMatchObject({ status: 405, allow: 'GET, HEAD' })
  expect(await ask('/metrics')).toMatchObject({ status: 500, text: '{"status":"error"}' })
})
