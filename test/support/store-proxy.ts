import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A way to the store over TCP that a test can cut. */
export interface StoreProxy extends AsyncDisposable {
  readonly url: string
  /** Ends all connections, and new ones at once, until `mend`. */
  cut(): void
  mend(): void
  /**
   * Lets the next message that holds this text (a name, for a prepared statement) reach the store, and ends the
   * connection in place of its answer.
   */
  swallowAnswerTo(text: string): void
  /** Answers swallowed so far. */
  readonly swallowed: number
}

/** Between us and the store at `storeUrl`, which listens on a socket or on TCP. */
export async function openStoreProxy(storeUrl: string): Promise<StoreProxy> {
  const store = new URL(storeUrl)
  const host = decodeURIComponent(store.hostname)
  const port = Number(store.port || 5432)
  const target = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
  const open = new Set<Socket>()
  let isCut = false
  let swallowing: string | null = null
  let swallowed = 0
  const server = createServer((client) => {
    if (isCut) return void client.destroy()
    const upstream = connect(target)
    let doomed = false
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (chunk) => {
      if (swallowing !== null && chunk.includes(swallowing)) {
        doomed = true
        swallowing = null
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (!doomed) return void client.write(chunk)
      swallowed++
      client.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(storeUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  const cut = () => {
    isCut = true
    for (const socket of open) socket.destroy()
  }
  return {
    url: url.href,
    cut,
    mend: () => (isCut = false),
    swallowAnswerTo: (text) => (swallowing = text),
    get swallowed() {
      return swallowed
    },
    async [Symbol.asyncDispose]() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
