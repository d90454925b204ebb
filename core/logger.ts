import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger } from 'pino'

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** Keys whose text is never logged, at any depth. */
const SECRET_KEYS =
  'authorization|cookie|set-cookie|password|secret|signing_secret|token|session_token|access_token|api_?key'

/**
 * Patterns of secrets in a finished line, and their replacements. The logger's own redaction uses exact paths and case,
 * and sees neither messages nor addresses; so the line itself is searched.
 */
const SECRET_TEXTS: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`("(?:${SECRET_KEYS})":)"(?:[^"\\\\]|\\\\.)*"`, 'gi'), '$1"[redacted]"'],
  [/\b(svc|tdr)_[0-9A-Za-z]{6,}/g, '$1_[redacted]'],
  [/\b(Bearer|Basic)\s+[^\s"',\\]+/gi, '$1 [redacted]'],
  [/:\/\/[^\s/"'@\\]+@/g, '://[redacted]@'],
  [/([?&](?:[\w-]*token|[\w-]*key|secret|password|passwd|sig|signature|auth|code)=)[^&\s"'#\\]+/gi, '$1[redacted]'],
  [/(hooks\.slack\.com\/)[^\s"'\\]+/gi, '$1[redacted]'],
  [/(\/api\/webhooks\/)[^\s"'\\]+/gi, '$1[redacted]'],
]

/** A session. Its token and its signature are looked for only where a signature is: words are many, and dots few. */
const SESSION = /\b[A-Za-z0-9]{32}\.[A-Za-z0-9+/%_-]{40,}={0,2}/g
const SIGNATURE = /\.[A-Za-z0-9+/%_-]{40}/

/** Returns the text without anything that looks like a secret. */
export function scrub(text: string): string {
  let clean = SIGNATURE.test(text) ? text.replace(SESSION, '[redacted session]') : text
  for (const [pattern, rest] of SECRET_TEXTS) clean = clean.replace(pattern, rest)
  return clean
}

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
