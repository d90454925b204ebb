import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { PatroniNode } from './patroni-cluster.ts'

interface PrimaryRouter extends AsyncDisposable {
  readonly port: number
}

const LOOK_MS = 1_000

/** Passes connections on to the node that is the primary, and ends them when it is none any more, as HAProxy does. */
export async function openPrimaryRouter(nodes: readonly PatroniNode[]): Promise<PrimaryRouter> {
  const open = new Set<Socket>()
  let primary: PatroniNode | null = null
  const server = createServer((socket) => {
    if (!primary) return void socket.destroy()
    const other = connect(primary.postgresPort, '127.0.0.1')
    for (const [one, two] of [
      [socket, other],
      [other, socket],
    ] as const) {
      open.add(one)
      one.on('error', () => one.destroy())
      one.on('close', () => {
        open.delete(one)
        two.destroy()
      })
      one.pipe(two)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const looking = setInterval(() => {
    void Promise.all(nodes.map(async (node) => ((await node.isPrimary()) ? node : null))).then((found) => {
      const now = found.find((node) => node !== null) ?? null
      if (now === primary) return
      primary = now
      for (const socket of open) socket.destroy()
    })
  }, LOOK_MS)
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      clearInterval(looking)
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
