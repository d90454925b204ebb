import { openStream } from '../api/client.ts'
import type { Events } from '../api/types.ts'

/** An event of the stream. */
export type LiveEvent = {
  readonly [Name in keyof Events]: { readonly name: Name; readonly data: Events[Name] }
}[keyof Events]

interface Listening {
  /** Ids of monitors whose runs are told of. */
  readonly watch: readonly string[]
  /** The id behind which the stream goes on; '': with what comes. */
  readonly lastId: string
  readonly signal: AbortSignal
  onOpen(): void
  onId(id: string): void
  onEvent(event: LiveEvent): void
}

/** Listens to the stream until it ends. Throws an `ApiFault` where it is refused. */
export async function listen({ watch, lastId, signal, onOpen, onId, onEvent }: Listening): Promise<void> {
  const path = `/v1/events${watch.length > 0 ? `?watch=${watch.join()}` : ''}`
  const body = await openStream(path, lastId, signal)
  onOpen()
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const parts = (rest + value).split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const { id, event, data } = fieldsOf(part)
      if (id !== undefined) onId(id)
      // The server is of the same build, and a later one only adds events, which nothing here asks for.
      if (event !== undefined && data !== undefined)
        onEvent({ name: event, data: JSON.parse(data) as unknown } as LiveEvent)
    }
  }
}

function fieldsOf(part: string): Readonly<Partial<Record<string, string>>> {
  const lines = part.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])
  return Object.fromEntries(lines) as Record<string, string>
}
