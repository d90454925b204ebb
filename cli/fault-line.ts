import { SettingsError } from '../boot/settings/read-config.ts'
import { createLogger } from '../core/logger.ts'
import type { ProcessIo } from '../platform/process-io.ts'
import { explain } from './explain-error.ts'

/** Commands whose log is collected: the error that ends them is a line of JSON too, unless a person reads it. */
const LOGGED = ['api', 'worker', 'operator', 'runner']

export const isLogged = (io: ProcessIo, command: string | undefined): boolean =>
  command !== undefined && LOGGED.includes(command) && !io.stderr.isTTY

/** Returns the error that ended a process as one line of its log. A bug has its stack in `err`. */
export function faultLine(error: unknown): string {
  let line = ''
  const log = createLogger('error', { write: (text) => void (line = text) })
  const [text = '', ...more] = textOf(error).split('\n')
  // What follows the first line of a bug is its stack.
  if (more.length > 0) log.error({ err: error }, text)
  else log.error(text)
  return line
}

const textOf = (error: unknown): string =>
  error instanceof SettingsError
    ? `The settings are not valid: ${error.issues.map(({ path, message }) => `${path} ${message}`).join('; ')}. ` +
      'See docs/settings.md.'
    : explain(error).replace(/^tidemark: /, '')
