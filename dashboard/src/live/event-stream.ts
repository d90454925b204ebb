import { openStream } from '../api/client.ts'
import type { Events } from '../api/types.ts'

/** A comment comes every 15 seconds. A stream that is silent for longer has ended, and nobody said so. */
const SILENT_MS = 45_000

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
  /** Something came of it: a proxy may answer, and keep what the server sends. */
  onOpen(): void
  onId(id: string): void
  /** The server asks to come back after so many milliseconds. */
  onRetry(ms: number): void
  onEvent(event: LiveEvent): void
}

/** Listens to the stream until it ends. Throws an `ApiFault` where it is refused. */
export async function listen({ watch, lastId, signal, onOpen, onId, onRetry, onEvent }: Listening): Promise<void> {
  const path = `/v1/events${watch.length > 0 ? `?watch=${watch.join()}` : ''}`
  const body = await openStream(path, lastId, signal)
  let isOpen = false
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const silence = setTimeout(() => void reader.cancel(), SILENT_MS)
    const { done, value } = await reader.read().finally(() => clearTimeout(silence))
    if (done) return
    if (!isOpen) onOpen()
    isOpen = true
    const parts = (rest + value).split('\n\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const { id, event, data, retry } = fieldsOf(part)
      if (id !== undefined) onId(id)
      if (retry !== undefined && Number(retry) > 0) onRetry(Number(retry))
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
