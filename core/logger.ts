import { type DestinationStream, type Logger, pino } from 'pino'
import { scrub } from './scrub.ts'

export type { Logger } from 'pino'

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** Returns only the parts of an error that say what happened and where: a query's error also contains its values. */
function errorForLog(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { type, message, stack } = pino.stdSerializers.err(error)
  return { type, message, stack, ...('code' in error && { code: error.code }) }
}

/** Keys that every line has; a terminal shows them in front, or not at all. */
const HEAD = new Set(['level', 'time', 'pid', 'msg', 'err'])

/**
 * Returns a line of JSON as a person reads it on a terminal: `12:03:04 INFO  run  monitor="The kettle" ms=12`. What is
 * not JSON stays as it is.
 */
export function terminalLine(line: string): string {
  let parsed: Readonly<Record<string, unknown>>
  try {
    parsed = JSON.parse(line) as Record<string, unknown>
  } catch {
    return line
  }
  const { level, time, msg, err } = parsed
  const fields = Object.entries(parsed).filter(([key, value]) => !HEAD.has(key) && value !== null)
  const shown = fields.map(([key, value]) => `  ${key}=${JSON.stringify(value)}`).join('')
  const { stack, message } = (err ?? {}) as { readonly stack?: string; readonly message?: string }
  const trouble = err === undefined ? '' : `\n    ${(stack ?? message ?? '').replaceAll('\n', '\n    ')}`
  const at = new Date(String(time)).toLocaleTimeString('en-GB')
  return `${at} ${String(level).toUpperCase().padEnd(5)} ${typeof msg === 'string' ? msg : ''}${shown}${trouble}\n`
}

/**
 * Returns the logger of a command: one JSON object a line, without secrets. `destination`: standard output unless
 * given.
 */
export function createLogger(level: LogLevel, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: errorForLog },
    hooks: { streamWrite: scrub },
  }
  return destination ? pino(options, destination) : pino(options)
}
