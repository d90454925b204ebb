import { readFile } from 'node:fs/promises'

const TICKS_PER_SECOND = 100

/**
 * Returns the processor time that processes have used so far, in ms. Processes that have ended count as 0. NaN where
 * there is no /proc.
 */
export async function cpuTimeMs(pids: readonly number[]): Promise<number> {
  if (process.platform !== 'linux') return Number.NaN
  const times = await Promise.all(pids.map(timeOf))
  return times.reduce((sum, ms) => sum + ms, 0)
}

async function timeOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name in brackets may contain any character; the needed fields come after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 1000) / TICKS_PER_SECOND
}
