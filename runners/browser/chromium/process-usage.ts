import { readFile } from 'node:fs/promises'

/** A process of a browser, and what it uses. */
export interface ProcessUsage {
  readonly pid: number
  readonly megabytes: number
  /** Seconds of processor time of all its threads since it started. */
  readonly cpuSeconds: number
  readonly threads: number
}

const PAGE_BYTES = 4_096
/** The unit of processor time in /proc, whatever the kernel's own is. */
const TICKS_PER_SECOND = 100

/**
 * Returns the process `pid` and all below it. File-backed shared pages are not counted; other shared pages count in
 * each process. Empty where there is no /proc, so nothing is limited there.
 */
export async function usageBelow(pid: number): Promise<ProcessUsage[]> {
  const [statm, stat, children] = await Promise.all([
    read(pid, 'statm'),
    read(pid, 'stat'),
    read(pid, `task/${pid}/children`),
  ])
  if (statm === null || stat === null) return []
  const [, resident, shared] = statm.split(' ').map(Number)
  const megabytes = (((resident ?? 0) - (shared ?? 0)) * PAGE_BYTES) / 1_048_576
  const below = (children ?? '')
    .trim()
    .split(' ')
    .filter((text) => text !== '')
  const rest = await Promise.all(below.map((child) => usageBelow(Number(child))))
  return [{ pid, megabytes, ...timesOf(stat) }, ...rest.flat()]
}

/** Reads the fields of proc(5): 14 and 15 are the times in user and kernel mode, 20 is the number of threads. */
function timesOf(stat: string): Pick<ProcessUsage, 'cpuSeconds' | 'threads'> {
  // The name is in brackets, and may itself contain spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const field = (number: number): number => Number(fields[number - 3] ?? 0)
  return { cpuSeconds: (field(14) + field(15)) / TICKS_PER_SECOND, threads: field(20) }
}

/** Returns whether a process shows pages. The others of a browser live longer than any page. */
export async function showsPages(pid: number): Promise<boolean> {
  return (await read(pid, 'cmdline'))?.includes('--type=renderer') === true
}

async function read(pid: number, file: string): Promise<string | null> {
  return readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => null)
}
