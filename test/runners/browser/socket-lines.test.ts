import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readLines } from '../../../runners/browser/chromium/socket-lines.ts'

let folder: string
let server: Server
let other: Socket
let connection: Socket
let lines: string[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-lines-'))
  server = createServer().listen(join(folder, 'socket'))
  await once(server, 'listening')
  other = connect(join(folder, 'socket'))
  ;[connection] = (await once(server, 'connection')) as [Socket]
  // As each user of the lines does.
  connection.on('error', () => connection.destroy())
  lines = []
  readLines(connection, (line) => lines.push(line))
})
afterEach(async () => {
  for (const socket of [other, connection]) socket.destroy()
  server.close()
  await rm(folder, { recursive: true, force: true })
})

test('gives each line, also when it comes in pieces, and not the rest that has no end', async () => {
  const [before, after] = [Buffer.from('zwei é'), Buffer.from('\n')]
  for (const piece of [Buffer.from('one\n\nz'), before.subarray(1, 6), before.subarray(6), after]) {
    other.write(piece)
    await once(connection, 'data')
  }
  other.end('no end')
  await once(connection, 'end')
  expect(lines).toEqual(['one', '', 'zwei é'])
})

test('a reset by the other side ends the connection, and not the process', async () => {
  await new Promise((written) => void connection.write('nobody reads this', written))
  const closed = new Promise((resolve) => void connection.once('close', resolve))
  other.destroy()
  // Without a reset there would be nothing to survive.
  expect(await closed).toBe(true)
})

test('a line without an end ends the connection', async () => {
  other.on('error', () => {})
  const write = () => void (other.destroyed || other.write('x'.repeat(65_536), write))
  write()
  await once(connection, 'close')
  expect(lines).toEqual([])
})
