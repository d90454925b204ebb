import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { EmbeddedLog } from './embedded-log.ts'

const READY = 'database system is ready to accept connections'
const KEPT_LINES = 20

interface ServerLog {
  /** Resolves when the server logs that it accepts connections. It stays pending when the server does not. */
  ready: Promise<void>
  /** Returns the last lines, for the message of a failed start. */
  tail(): string
}

/** Passes the server's output to `log`, each line with its severity. */
export function readServerLog(output: Readable, log: EmbeddedLog): ServerLog {
  const lines: string[] = []
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  createInterface({ input: output }).on('line', (line) => {
    lines.push(line)
    if (lines.length > KEPT_LINES) lines.shift()
    if (line.includes(READY)) resolve()
    report(line, log)
  })
  return { ready, tail: () => lines.join('\n') }
}

function report(line: string, log: EmbeddedLog): void {
  const message = `postgres: ${line}`
  if (line.startsWith('PANIC')) log.error(message)
  // A connection that is refused or ended: the client receives the error too.
  else if (line.startsWith('FATAL') && !line.includes('administrator command')) log.warn(message)
  else log.debug(message)
}
