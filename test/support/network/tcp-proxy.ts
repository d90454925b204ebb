import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Where in a message's life the connection is reset. */
type ResetPoint =
  /** Half of the message has left. */
  | 'half_sent'
  /** The store has it, and its answer is lost: nobody knows the outcome. */
  | 'unanswered'

/** A way to the store, or to any server, over TCP, to be spoilt by a test. */
export interface TcpProxy extends AsyncDisposable {
  readonly url: string
  /** What is sent takes this much longer each way, in milliseconds, in order. */
  delay(ms: number): void
  /** Resets all connections, and each new one, until `mend`. */
  cut(): void
  mend(): void
  /** Ends all connections and refuses new ones, until `restart`. */
  stop(): Promise<void>
  restart(): Promise<void>
  /** Connections that are open now stay so, and nothing gets through any more; new ones work. */
  blackHole(): void
  /** As `blackHole`; new connections too are taken and get nothing through, until `thaw`. */
  freeze(): void
  thaw(): void
  /** Each connection is reset when so many more bytes of the store's answers have gone through it; null: no more. */
  resetAfter(bytes: number | null): void
  /**
   * Of the messages that hold this text (the name, for a prepared statement), each `every`th ends its connection; null:
   * none does any more.
   */
  resetAt(text: string | null, at?: ResetPoint, every?: number): void
  /**
   * Lets the next message that holds this text, and only that, reach the store, and resets the connection in place of
   * its answer.
   */
  swallowAnswerTo(text: string): void
  /**
   * A connection that is sent a message with one of these texts lets nothing more through to the store, until `flow`.
   */
  stall(...texts: readonly string[]): void
  /** How many messages with this text are stalled. */
  stalled(text: string): number
  /** Lets what is stalled through; resolves when the store has answered each connection, or it has ended. */
  flow(): Promise<void>
  /** Connections that were reset so far. */
  readonly resets: number
}

interface Link {
  readonly client: Socket
  readonly store: Socket
  answered: number
  isBlackHole: boolean
  isDoomed: boolean
  /** What is stalled, in order. */
  stalled: Buffer[] | null
}

/** Opens a way to the server at `storeUrl`, which listens on a socket in a folder or on TCP. */
export async function openTcpProxy(storeUrl: string): Promise<TcpProxy> {
  const target = addressOf(new URL(storeUrl))
  const links = new Set<Link>()
  let delayMs = 0
  let isCut = false
  let isFrozen = false
  let mostBytes: number | null = null
  let trap: { text: string; at: ResetPoint; every: number; seen: number } | null = null
  let swallowing: string | null = null
  let dams: readonly string[] = []
  let resets = 0

  function reset(link: Link): void {
    if (links.delete(link)) resets++
    link.client.resetAndDestroy()
    link.store.destroy()
  }

  function onward(link: Link, to: Socket, chunk: Buffer): void {
    if (link.isBlackHole) return
    if (delayMs === 0) return void to.write(chunk)
    // Timers of one length fire in their order.
    setTimeout(() => link.isBlackHole || to.destroyed || to.write(chunk), delayMs)
  }

  function fromClient(link: Link, chunk: Buffer): void {
    if (dams.some((text) => chunk.includes(text))) link.stalled ??= []
    if (link.stalled !== null) return void link.stalled.push(chunk)
    const point = trap !== null && chunk.includes(trap.text) && ++trap.seen % trap.every === 0 ? trap.at : null
    if (point === 'half_sent') {
      link.store.write(chunk.subarray(0, chunk.length / 2), () => reset(link))
      return
    }
    const isSwallowed = swallowing !== null && chunk.includes(swallowing)
    if (isSwallowed) swallowing = null
    if (point === 'unanswered' || isSwallowed) link.isDoomed = true
    onward(link, link.store, chunk)
  }

  function fromStore(link: Link, chunk: Buffer): void {
    link.answered += chunk.length
    if (link.isDoomed || (mostBytes !== null && link.answered > mostBytes)) reset(link)
    else onward(link, link.client, chunk)
  }

  const server = createServer((client) => {
    if (isCut) return void client.resetAndDestroy()
    const store = connect(target)
    const link: Link = { client, store, answered: 0, isBlackHole: isFrozen, isDoomed: false, stalled: null }
    links.add(link)
    for (const [socket, other] of [
      [client, store],
      [store, client],
    ] as const)
      socket
        .on('error', () => {})
        .on('close', () => {
          if (link.isBlackHole && socket === store) return
          links.delete(link)
          other.destroy()
        })
    client.on('data', (chunk) => fromClient(link, chunk))
    store.on('data', (chunk) => fromStore(link, chunk))
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  const url = new URL(storeUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  const cut = () => {
    isCut = true
    for (const link of links) reset(link)
  }
  const close = () => new Promise((resolve) => server.close(resolve))
  const blackHole = () => {
    for (const link of links) link.isBlackHole = true
  }
  return {
    url: url.href,
    delay: (ms) => (delayMs = ms),
    cut,
    mend: () => (isCut = false),
    async stop() {
      const closed = close()
      for (const link of links) reset(link)
      await closed
    },
    restart: () => listen(port),
    blackHole,
    freeze() {
      isFrozen = true
      blackHole()
    },
    thaw: () => (isFrozen = false),
    resetAfter(bytes) {
      mostBytes = bytes
      for (const link of links) link.answered = 0
    },
    resetAt: (text, at = 'unanswered', every = 1) => (trap = text === null ? null : { text, at, every, seen: 0 }),
    swallowAnswerTo: (text) => (swallowing = text),
    stall: (...texts) => (dams = texts),
    stalled: (text) => [...links].flatMap((link) => link.stalled ?? []).filter((chunk) => chunk.includes(text)).length,
    async flow() {
      dams = []
      await Promise.all(
        [...links].map(async (link) => {
          const chunks = link.stalled ?? []
          link.stalled = null
          if (chunks.length === 0) return
          const answered = new Promise((resolve) => link.store.once('data', resolve).once('close', resolve))
          for (const chunk of chunks) link.store.write(chunk)
          await answered
        }),
      )
    },
    get resets() {
      return resets
    },
    async [Symbol.asyncDispose]() {
      cut()
      if (server.listening) await close()
    },
  }
}

/** A socket in a folder, or TCP. */
function addressOf(url: URL) {
  const host = decodeURIComponent(url.hostname)
  const port = Number(url.port || 5432)
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}
