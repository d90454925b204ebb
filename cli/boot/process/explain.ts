import { CommanderError } from 'commander'
import { ExplainedError } from '../../../core/explained-error.ts'
import { scrub } from '../../../core/logger.ts'
import { TokenRefusedError } from './token-refused-error.ts'

/** A failed start in the words that help: what a person can mend without its stack, a bug with it. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return `tidemark: ${String(error)}`
  if (error instanceof ExplainedError || error instanceof CommanderError) return `tidemark: ${error.message}`
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'EADDRINUSE')
    return (
      `tidemark: the port is taken (${scrub(error.message)}); set PORT (or TIDEMARK_METRICS_PORT) to another one, ` +
      `or 0 for any that is free`
    )
  if (code === 'EACCES' && 'syscall' in error && error.syscall === 'listen')
    return `tidemark: this port may not be opened by this user; set PORT to one above 1023`
  if (/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|28P01|28000|3D000)$/.test(code))
    return `tidemark: the database cannot be used: ${scrub(error.message)}; check DATABASE_URL`
  return `tidemark: ${scrub(error.stack ?? error.message)}${error.cause ? `\n  caused by: ${explain(error.cause)}` : ''}`
}

/**
 * 77, as `EX_NOPERM` of sysexits, where a runner's token is at fault: whoever starts runners tells it from all else by
 * that.
 */
export const exitCodeOf = (error: unknown): number => (error instanceof TokenRefusedError ? 77 : 1)
