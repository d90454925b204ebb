import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createListener, type Socket } from 'node:net'
import { answerParent } from '../support/child.ts'
import { DIGESTS } from './digest-path.ts'

/**
 * `open`: starts this many receivers, and a dead one that accepts connections and never answers. `take`: returns the
 * messages since the last call. `hangUp`: the dead one closes its connections and accepts no more, so that no attempt
 * waits for it.
 */
export type SinkQuestion = { readonly what: 'open'; readonly sinks: number } | { readonly what: 'take' | 'hangUp' }

export interface SinkAnswer {
  /** The ports of the receivers; the last one is that of the dead receiver. */
  readonly ports: readonly number[]
  /** The number at the end of the path of each message, and when it arrived, in ms since the epoch. */
  readonly arrivals: readonly Arrival[]
  /** When each message below `DIGESTS` arrived. */
  readonly digests: readonly number[]
}

interface Arrival {
  readonly place: number
  readonly at: number
}

const arrivals: Arrival[] = []
const digests: number[] = []
const held = new Set<Socket>()
const dead = createListener((socket) => {
  held.add(socket)
  socket.on('error', () => undefined)
  socket.on('close', () => held.delete(socket))
})

/** Returns a webhook's receiver. All of them are in one process, separate from the worker. */
function sink(): Server {
  return createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    const { url = '' } = request
    const at = performance.timeOrigin + performance.now()
    if (url.startsWith(DIGESTS)) digests.push(at)
    else arrivals.push({ place: Number(url.slice(url.lastIndexOf('/') + 1)), at })
    request.resume()
    request.on('end', () => response.writeHead(204).end())
  })
}

async function portOf(server: Server | typeof dead): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

answerParent(async (question: SinkQuestion): Promise<SinkAnswer> => {
  if (question.what === 'open') {
    const sinks = Array.from({ length: question.sinks }, sink)
    return { ports: await Promise.all([...sinks, dead].map(portOf)), arrivals: [], digests: [] }
  }
  if (question.what === 'hangUp') {
    dead.close()
    for (const socket of held) socket.destroy()
  }
  return { ports: [], arrivals: arrivals.splice(0), digests: digests.splice(0) }
})
