import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { holdPort } from '../../boot/process/ports.ts'

const HOST = '127.0.0.1'

/** Listens on a port and stops at once; rejects where another has it. */
async function tryPort(port: number): Promise<void> {
  const server = createServer().listen(port, HOST)
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}

test('a port that is reserved is nobody else’s until it is released, which may be asked for twice', async () => {
  const held = await holdPort(HOST)
  await expect(tryPort(held.port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  await held.release()
  await held.release()
  await tryPort(held.port)
})
