import { readFile } from 'node:fs/promises'

/** A process of a browser and its memory. */
interface ProcessMemory {
  readonly pid: number
  readonly megabytes: number
}

const PAGE_BYTES = 4_096

/**
 * Returns the process `pid` and all below it. File-backed shared pages are not counted; other shared pages count in
 * each process. Empty where there is no /proc, so nothing is limited there.
 */
export async function memoryBelow(pid: number): Promise<ProcessMemory[]> {
  const [statm, children] = await Promise.all([read(pid, 'statm'), read(pid, `task/${pid}/children`)])
  if (statm === null) return []
  const [, resident, shared] = statm.split(' ').map(Number)
  const own = { pid, megabytes: (((resident ?? 0) - (shared ?? 0)) * PAGE_BYTES) / 1_048_576 }
  const below = (children ?? '')
    .trim()
    .split(' ')
    .filter((text) => text !== '')
  const rest = await Promise.all(below.map((child) => memoryBelow(Number(child))))
  return [own, ...rest.flat()]
}

async function read(pid: number, file: string): Promise<string | null> {
  return readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => null)
}
