import { once } from 'node:events'
import { createServer } from 'node:net'

/** Ports below those that a system gives to whoever asks for any: 32,768 and more on Linux, 49,152 elsewhere. */
const FIRST = 20_000
const COUNT = 12_000
/** Numbers of processes that follow one another begin far apart. */
const APART = 7_417

let given = process.pid * APART

/**
 * Returns a port of loopback that is free. A process may be started on it later: nobody gets it who asks for any port,
 * no other caller in this process, and for long none in another one.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    given += 1
    const port = FIRST + (given % COUNT)
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
