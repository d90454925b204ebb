import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { endConnection, guardConnections } from '../../platform/connection-guard.ts'

test('the request on a refused connection does not reach the server', async () => {
  const paths: string[] = []
  const refused: string[] = []
  const server = createServer((request, response) => {
    paths.push(request.url ?? '')
    response.end('served')
  })
  guardConnections(server, {
    perAddress: 1,
    refuse: (socket) => endConnection(socket, 'HTTP/1.1 429 Too Many Requests\r\nconnection: close\r\n\r\n'),
    onRefused: (key) => refused.push(key),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const open = async () => {
    const socket = connect({ host: '127.0.0.1', port })
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  onTestFinished(() => void server.close())
  const requestOf = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`

  const first = await open()
  const second = await open()
  second.write(requestOf('/refused'))
  expect(await text(second)).toBe('HTTP/1.1 429 Too Many Requests\r\nconnection: close\r\n\r\n')
  first.write(requestOf('/first'))
  expect(await text(first)).toMatch(/served$/)
  expect([paths, refused]).toEqual([['/first'], ['127.0.0.1']])
})
