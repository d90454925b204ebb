import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/run/eventually.ts'

const V1 = '/sys/fs/cgroup/memory'
const V2 = '/sys/fs/cgroup'
const root = canWrite(join(V1, 'memory.limit_in_bytes')) ? V1 : V2
const NAMES =
  root === V1
    ? { limit: 'memory.limit_in_bytes', kills: 'memory.oom_control', peak: 'memory.max_usage_in_bytes' }
    : { limit: 'memory.max', kills: 'memory.events', peak: 'memory.peak' }

/** Returns whether processes can be given a limit of memory here, as a container gives it. */
export const canLimitMemory = root === V1 || readable(join(V2, 'cgroup.subtree_control')).includes('memory')

/** Processes that share a limit of memory, as those of a container do. */
interface MemoryGroup extends AsyncDisposable {
  /** A line of shell that starts a command in it. */
  line(command: readonly string[]): string
  /** How many of its processes were ended because there was no memory left. */
  kills(): number
  /** The most that was used, cached files included, in bytes. */
  peak(): number
}

/** Creates it. On disposal what is left in it is killed: a browser outlives its runner for a moment. */
export function createMemoryGroup(name: string, limitBytes: number): MemoryGroup {
  const folder = join(root, `tidemark-test-${process.pid}-${name}`)
  mkdirSync(folder)
  writeFileSync(join(folder, NAMES.limit), String(limitBytes))
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  return {
    line: (command) => `echo $$ > ${folder}/cgroup.procs && exec ${command.map((word) => `'${word}'`).join(' ')}`,
    kills: () => Number(/^oom_kill (\d+)/m.exec(read(NAMES.kills))?.[1] ?? Number.NaN),
    peak: () => Number(read(NAMES.peak)),
    async [Symbol.asyncDispose]() {
      await eventually(
        () => {
          const left = read('cgroup.procs').split('\n').filter(Boolean)
          for (const pid of left) kill(Number(pid))
          return left
        },
        (left) => left.length === 0,
      )
      rmdirSync(folder)
    },
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended since.
  }
}

function canWrite(file: string): boolean {
  try {
    accessSync(file, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function readable(file: string): string {
  try {
    return canWrite(file) ? readFileSync(file, 'utf8') : ''
  } catch {
    return ''
  }
}
