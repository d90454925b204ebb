import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

/**
 * Returns a port that was free a moment ago. With PORT=0 its number is needed before the API is built, because the base
 * address contains it.
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
