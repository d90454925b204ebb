import { readFile } from 'node:fs/promises'
import { usageBelow } from '../../runners/browser/chromium/process-usage.ts'

const TICKS_PER_SECOND = 100

/**
 * Returns the processor time in ms that this process and all below it have used, those included that ended and were
 * waited for. NaN where there is no /proc.
 */
export async function processorTimeMs(): Promise<number> {
  if (process.platform !== 'linux') return Number.NaN
  const below = await usageBelow(process.pid)
  const times = await Promise.all(below.map(({ pid }) => timeOf(pid)))
  return times.reduce((sum, ms) => sum + ms, 0)
}

/** Fields 14 to 17 of proc(5): of the process, and of its children that ended. */
async function timeOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 1000) / TICKS_PER_SECOND
}
