import type { Logger } from '../../core/logger.ts'
import { print } from '../../platform/print.ts'

/**
 * Says that a part of an installation runs: a sentence on a terminal, else a line of the log, at every level. What
 * collects logs reads one object of JSON a line.
 */
export function announce(log: Logger, text: string): void {
  if (process.stdout.isTTY) print(process, `${text}\n`)
  else log.child({}, { level: 'info' }).info(text)
}
