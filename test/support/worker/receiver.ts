import { createServer, type AddressInfo, type Socket } from 'node:net'

/** A request as it came over the wire. */
export interface Received {
  readonly method: string
  readonly path: string
  /** By lower-case name; a header that stands twice has its values joined with a line feed. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Buffer
  /** `performance.now()` when the whole request was there. */
  readonly at: number
}

/** A destination on loopback that reads raw bytes and answers with whatever a test writes. */
export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly requests: readonly Received[]
  /** Connections that were accepted, asked anything or not. */
  readonly contacts: number
}

/** Writes an answer, or does something worse; `nth` counts requests from 1. */
export type Reply = (socket: Socket, request: Received, nth: number) => void

/** A whole, well-formed answer. */
export function reply(
  status: number,
  body: string | Buffer = '',
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/1.1 ${status} X\r\n${lines.join('')}content-length: ${Buffer.byteLength(body)}\r\n\r\n`
  return (socket) => socket.write(Buffer.concat([Buffer.from(head), Buffer.from(body)]))
}

export async function openReceiver(onRequest: Reply = reply(200, 'ok')): Promise<Receiver> {
  const requests: Received[] = []
  const sockets = new Set<Socket>()
  let contacts = 0
  const server = createServer((socket) => {
    contacts++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    let bytes = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk])
      const request = parse(bytes)
      if (request === null) return
      bytes = Buffer.alloc(0)
      requests.push(request)
      onRequest(socket, request, requests.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 1024, resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    requests,
    get contacts() {
      return contacts
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Null while something is missing. Requests come one at a time: the sender does not pipeline. */
function parse(bytes: Buffer): Received | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return null
  const [start = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const [method = '', path = ''] = start.split(' ')
  const headers = new Map<string, string>()
  for (const line of lines) {
    const name = line.slice(0, line.indexOf(':')).toLowerCase()
    const value = line.slice(line.indexOf(':') + 1).trim()
    const before = headers.get(name)
    headers.set(name, before === undefined ? value : `${before}\n${value}`)
  }
  const body = bytes.subarray(end + 4)
  if (body.length < Number(headers.get('content-length') ?? 0)) return null
  return { method, path, headers, body: Buffer.from(body), at: performance.now() }
}

/** The address of a port at which nobody listens. */
export async function closedPort(): Promise<string> {
  const receiver = await openReceiver()
  await receiver[Symbol.asyncDispose]()
  return receiver.url
}
