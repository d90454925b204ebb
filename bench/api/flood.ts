import { Agent, request } from 'undici'
import { answerParent } from '../support/child.ts'

/** A request that a team may send, and that costs as much as its limits allow. */
export interface DearRequest {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  readonly body?: string
}

/** `begin`: so many clients of a team send the requests over and over. `end`: returns the counts of their statuses. */
export type FloodQuestion =
  | {
      readonly what: 'begin'
      readonly base: string
      readonly key: string
      readonly requests: readonly DearRequest[]
      readonly atOnce: number
    }
  | { readonly what: 'end' }

/** By status. 0: the connection ended. */
export type FloodCounts = Readonly<Record<number, number>>

/**
 * The team that does the worst that is allowed, in a process of its own: what it reads takes nothing from the neighbour
 * who measures. An answer is read and dropped.
 */
let isOver = false
let clients: Promise<unknown> = Promise.resolve()
let agent = new Agent()
let counts: Record<number, number> = {}

answerParent(async (question: FloodQuestion): Promise<FloodCounts> => {
  if (question.what === 'begin') {
    isOver = false
    counts = {}
    agent = new Agent({ connections: question.atOnce })
    clients = Promise.all(Array.from({ length: question.atOnce }, (_, n) => send(question, n)))
    return counts
  }
  isOver = true
  await agent.destroy()
  await clients
  return counts
})

async function send({ base, key, requests }: FloodQuestion & { readonly what: 'begin' }, from: number): Promise<void> {
  for (let at = from; !isOver; at += 1) {
    const dear = requests[at % requests.length]
    if (dear === undefined) throw new RangeError('there is nothing to send')
    const { method, path, body = null } = dear
    const headers = { authorization: `Bearer ${key}`, ...(body !== null && { 'content-type': 'application/json' }) }
    const status = await statusOf(() => request(base + path, { method, body, headers, dispatcher: agent }))
    counts[status] = (counts[status] ?? 0) + 1
  }
}

async function statusOf(ask: () => ReturnType<typeof request>): Promise<number> {
  try {
    const { statusCode, body } = await ask()
    for await (const _part of body);
    return statusCode
  } catch {
    return 0
  }
}
