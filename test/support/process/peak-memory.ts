import { readFileSync } from 'node:fs'

/** Returns the most resident memory of a process so far, in bytes. */
export const peakMemory = (pid: number): number => bytesOf(readFileSync(`/proc/${pid}/status`, 'utf8'), 'VmHWM')

/**
 * Returns the same without the files that are mapped now, such as the program. The kernel takes their pages back before
 * it ends a process whose container is full.
 */
export function peakOwnMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return bytesOf(status, 'VmHWM') - bytesOf(status, 'RssFile')
}

function bytesOf(status: string, name: 'VmHWM' | 'RssFile'): number {
  const [, kilobytes] = new RegExp(`${name}:\\s+(\\d+) kB`).exec(status) ?? []
  return Number(kilobytes) * 1024
}
