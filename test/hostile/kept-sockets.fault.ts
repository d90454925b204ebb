import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startHealthServer } from '../../platform/health-server.ts'
import { createTestApi } from '../support/api/test-api.ts'
import { eventually } from '../support/run/eventually.ts'

const CONNECTIONS = 5_000
/** Distinct clients, which Linux gives on 127.0.0.0/8. */
const CLIENTS = 20
const WAVE = 250

/** Opens connections of many addresses that never send a whole request and never close their side. */
async function keepOpen(port: number, count: number, clients: number): Promise<Socket[]> {
  const sockets: Socket[] = []
  for (let from = 0; from < count; from += WAVE)
    sockets.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(WAVE, count - from) }, async (_, index) => {
          const localAddress = `127.0.0.${2 + ((from + index) % clients)}`
          const socket = connect({ host: '127.0.0.1', port, localAddress, allowHalfOpen: true })
          socket.on('error', () => {}).resume()
          await once(socket, 'connect')
          return socket
        }),
      )),
    )
  return sockets
}

test('the API stays ready under 5,000 connections that send nothing or drip, and gets rid of them', async () => {
  const api = await createTestApi({ connectionsPerAddress: 500 })
  onTestFinished(() => api.close())
  const { api_key: key } = await api.owner()
  const base = await api.listen()
  const open = () => new Promise<number>((resolve) => api.app.server.getConnections((_, count) => resolve(count)))
  const ask = async (path: string) => {
    const began = performance.now()
    const answer = await fetch(base + path, { headers: { authorization: `Bearer ${key}` } })
    await answer.text()
    return { status: answer.status, isQuick: performance.now() - began < 5_000 }
  }

  const sockets = await keepOpen(Number(new URL(base).port), CONNECTIONS, CLIENTS)
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
  // A busy machine takes a while to open them all, and the first ones end meanwhile.
  expect(await open()).toBeGreaterThan(0.8 * CONNECTIONS)
  const dripping = sockets.filter((_, index) => index % 2 === 0)
  for (const socket of dripping) socket.write('POST /v1/monitors HTTP/1.1\r\nhost: a\r\nx-slow: ')
  const drip = setInterval(() => {
    for (const socket of dripping) if (!socket.destroyed) socket.write('x')
  }, 2_000)
  onTestFinished(() => clearInterval(drip))

  for (let round = 0; round < 10; round += 1) {
    expect(await ask('/readyz')).toEqual({ status: 200, isQuick: true })
    expect(await ask('/v1/monitors')).toEqual({ status: 200, isQuick: true })
    await pause(200)
  }
  // The dripping clients keep their side open and go on sending; the silent ones have sent nothing at all.
  await eventually(open, (count) => count < 20, { forMs: 60_000, everyMs: 200 })
  expect(await ask('/readyz')).toEqual({ status: 200, isQuick: true })
})

test('one address holds no more than its share', async () => {
  const api = await createTestApi({ connectionsPerAddress: 100 })
  onTestFinished(() => api.close())
  const base = await api.listen()
  const sockets = await keepOpen(Number(new URL(base).port), 400, 1)
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
  const open = () => new Promise<number>((resolve) => api.app.server.getConnections((_, count) => resolve(count)))
  await eventually(open, (count) => count <= 101, { forMs: 20_000, everyMs: 200 })
  expect((await fetch(`${base}/readyz`)).status).toBe(200)
})

test('the port for health and metrics gets rid of such connections too', async () => {
  const ready = async () => ({ ok: true, checks: {} })
  const server = await startHealthServer({ ready, metrics: async () => '' }, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => server.close())
  const sockets = await keepOpen(server.port, 600, 2)
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
  expect((await fetch(`http://127.0.0.1:${server.port}/readyz`)).status).toBe(200)
  let ended = 0
  for (const socket of sockets) {
    if (socket.readableEnded) ended += 1
    else socket.once('end', () => (ended += 1))
  }
  await eventually(
    () => ended,
    (count) => count === sockets.length,
    { forMs: 60_000, everyMs: 200 },
  )
})
