/** The priorities of syslog, by the levels of the log. */
const PRIORITIES: Readonly<Record<string, number>> = { error: 3, warn: 4, info: 6, debug: 7, trace: 7 }

/**
 * Returns a line of the log as journald takes it: with the priority of its level in front, as in `<4>{"level":"warn"…`.
 * journald stores the priority apart and the line without it.
 */
export function journalLine(line: string): string {
  const [, level = ''] = /^\{"level":"(\w+)"/.exec(line) ?? []
  return `<${PRIORITIES[level] ?? PRIORITIES['info']}>${line}`
}

/** Returns a text about an error likewise: journald reads a priority in each line. */
export const journalError = (text: string): string => text.replaceAll(/^(?=.)/gm, `<${PRIORITIES['error']}>`)
