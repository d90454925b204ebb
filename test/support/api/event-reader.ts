import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { eventually } from '../run/eventually.ts'

interface ReadEvent {
  readonly id: string
  readonly name: string
  readonly data: Readonly<Record<string, never>>
}

/** A client of a stream of events. */
export interface EventReader {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** All events so far. */
  readonly events: readonly ReadEvent[]
  /** The last id, also one that came without an event. */
  readonly lastId: string
  /** All text so far. */
  readonly text: string
  /** Waits for an event of this name that is so, and returns what it has. */
  next(name: string, isIt?: (data: ReadEvent['data']) => boolean): Promise<ReadEvent['data']>
  /** Resolves when the server has ended it. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

interface Opened {
  readonly watch?: readonly string[]
  readonly lastId?: string
  readonly accept?: string
}

/** Opens a stream of events, and reads it until it is closed. */
export async function readEvents(
  baseUrl: string,
  credential: string,
  { watch = [], lastId, accept = 'text/event-stream' }: Opened = {},
): Promise<EventReader> {
  const query = watch.length > 0 ? `?watch=${watch.join()}` : ''
  // A connection of its own: a pool of connections opens others in its place.
  const call = request(`${baseUrl}/v1/events${query}`, {
    agent: false,
    headers: {
      authorization: `Bearer ${credential}`,
      accept,
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    },
  }).end()
  const [answer] = (await once(call, 'response')) as [IncomingMessage]
  const state = { text: '', events: [] as ReadEvent[], lastId: lastId ?? '' }
  answer.setEncoding('utf8').on('data', (text: string) => {
    const had = state.text.split('\n\n').length - 1
    state.text += text
    for (const part of state.text.split('\n\n').slice(had, -1)) take(part)
  })
  function take(part: string): void {
    const fields = new Map(part.split('\n').map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]))
    state.lastId = fields.get('id') ?? state.lastId
    const [name, data] = [fields.get('event'), fields.get('data')]
    if (name !== undefined && data !== undefined)
      state.events.push({ id: state.lastId, name, data: JSON.parse(data) as ReadEvent['data'] })
  }
  const ended = new Promise<void>((resolve) => {
    // Leaving is an error of the answer, too.
    answer.on('error', () => {}).once('close', resolve)
  })
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    get events() {
      return state.events
    },
    get lastId() {
      return state.lastId
    },
    get text() {
      return state.text
    },
    async next(name, isIt = () => true) {
      const find = () => state.events.find((event) => event.name === name && isIt(event.data))
      const found = await eventually(find, (event) => event !== undefined, { forMs: 15_000 })
      if (!found) throw new Error(`no ${name} came`)
      return found.data
    },
    ended,
    async close() {
      call.destroy()
      await ended
    },
  }
}
