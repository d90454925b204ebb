import { fstatSync } from 'node:fs'

/**
 * Returns whether a file of this process leads to journald. `journalStream`: the variable JOURNAL_STREAM, in which
 * systemd says the device and the inode. A pipe behind the process has others.
 */
export function isJournal(descriptor: 1 | 2, journalStream: string | undefined): boolean {
  if (journalStream === undefined || journalStream === '') return false
  try {
    const { dev, ino } = fstatSync(descriptor, { bigint: true })
    return journalStream === `${dev}:${ino}`
  } catch {
    // The file is closed.
    return false
  }
}
