import { CommanderError } from 'commander'
import { TokenRefusedError } from '../boot/process/token-refused-error.ts'
import { ExplainedError } from '../core/explained-error.ts'
import { scrub } from '../core/scrub.ts'
import { exitCode } from './exit-codes.ts'
import { RemoteError } from './remote/remote-error.ts'

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
  if (isLeftOut(error)) return 'tidemark: this image has no code for this command: use the image tidemark-service'
  const cause = error.cause ? `\n  caused by: ${explain(error.cause)}` : ''
  return `tidemark: ${scrub(error.stack ?? error.message)}${cause}`
}

/** Returns the exit code. The program that starts runners recognizes by it that a token is refused. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof RemoteError) return error.exitCode
  if (isLeftOut(error)) return exitCode('usage')
  return exitCode(error instanceof TokenRefusedError ? 'refused' : 'failed')
}

/** The bundle of the image for runners names by `#` what is not in it (tools/package/bundle.ts). Nothing else does. */
const isLeftOut = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'ERR_PACKAGE_IMPORT_NOT_DEFINED' &&
  error.message.includes('"#')
