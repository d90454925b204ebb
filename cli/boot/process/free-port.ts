import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

/**
 * A port that was free a moment ago: PORT=0 needs its number before the API is built, since the base address holds it.
 */
export async function freePort(host: string): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, host, resolve)
  })
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
