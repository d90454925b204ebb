import { CommanderError } from 'commander'
import { ExplainedError } from '../../../core/explained-error.ts'
import { scrub } from '../../../core/logger.ts'
import { TokenRefusedError } from './token-refused-error.ts'

/**
 * Returns a text about a failed start: without a stack where a person can correct the cause, with the stack where it is
 * a bug.
 */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return `tidemark: ${String(error)}`
  if (error instanceof ExplainedError || error instanceof CommanderError) return `tidemark: ${error.message}`
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'EADDRINUSE')
    return (
      `tidemark: the port is in use (${scrub(error.message)}); set PORT (or TIDEMARK_METRICS_PORT) to another one, ` +
      `or 0 for any that is free`
    )
  if (code === 'EACCES' && 'syscall' in error && error.syscall === 'listen')
    return `tidemark: this user may not open this port; set PORT to one above 1023`
  if ('syscall' in error && error.syscall === 'uv_cwd')
    return 'tidemark: the current folder has been removed; change to another one and start the command again'
  const cause = error.cause ? `\n  caused by: ${explain(error.cause)}` : ''
  return `tidemark: ${scrub(error.stack ?? error.message)}${cause}`
}

/**
 * Returns the exit code: 77 (`EX_NOPERM` of sysexits) when a runner's token is refused. The program that starts runners
 * recognizes that case by it.
 */
export const exitCodeOf = (error: unknown): number => (error instanceof TokenRefusedError ? 77 : 1)
