import { createSocket } from 'node:dgram'
import type { AddressInfo } from 'node:net'

/** How a name is answered: its addresses (none: it exists without any), or what happens instead. */
type Reply = readonly string[] | 'no such name' | 'server failure' | 'silence'

/** A name server on loopback. */
interface NameServer extends AsyncDisposable {
  /** `127.0.0.1:PORT` */
  readonly address: string
  /** The questions so far, as in `A www.a.test`. */
  readonly asked: readonly string[]
}

const TYPES: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA' }
const CODES: Readonly<Record<string, number>> = { 'no such name': 3, 'server failure': 2 }

/** Starts a name server; `reply` is asked by type and name. */
export async function openNameServer(reply: (name: string, type: string) => Reply): Promise<NameServer> {
  const asked: string[] = []
  const socket = createSocket({ type: 'udp4', recvBufferSize: 1_000_000 })
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query)
    asked.push(`${TYPES[type] ?? type} ${name}`)
    const answer = reply(name, TYPES[type] ?? '')
    if (answer === 'silence') return
    const records = typeof answer === 'string' ? [] : answer.flatMap((address) => recordOf(address, type))
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(0x8180 + (typeof answer === 'string' ? (CODES[answer] ?? 0) : 0), 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(records.length, 6)
    head.writeUInt32BE(0, 8)
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const { port } = socket.address() as AddressInfo
  return {
    address: `127.0.0.1:${port}`,
    asked,
    [Symbol.asyncDispose]: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  // c-ares writes names in mixed case.
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/** Returns the record of an address that fits the type; none when it does not. */
function recordOf(address: string, type: number): Buffer[] {
  const isV6 = address.includes(':')
  if (type !== (isV6 ? 28 : 1)) return []
  const data = isV6 ? v6Bytes(address) : Buffer.from(address.split('.').map(Number))
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length])
  return [Buffer.concat([head, data])]
}

/** Reads `a:b::c` with one gap. */
function v6Bytes(address: string): Buffer {
  const [before = '', after = ''] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)))
  const [head, tail] = [groups(before), groups(after)]
  const all = [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]))
}
