import { closeSync, openSync } from 'node:fs'

/**
 * Returns whether a terminal controls this process, wherever its input and output lead: only then the end of a terminal
 * sends it SIGHUP.
 */
export function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
