import { once } from 'node:events'
import { createServer } from 'node:net'

/** Ports below those that a system gives to whoever asks for any: 32,768 and more on Linux, 49,152 elsewhere. */
const FIRST = 20_000
const COUNT = 12_000

/**
 * Returns a port of loopback that is free. A process may be started on it later: nobody gets it who asks for any port.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT)
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch {
      continue
    }
    server.close()
    await once(server, 'close')
    return port
  }
}
