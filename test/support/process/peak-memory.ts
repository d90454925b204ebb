import { readFileSync } from 'node:fs'

/** Returns the most resident memory of a process so far, in bytes. */
export function peakMemory(pid: number): number {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}
