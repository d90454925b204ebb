import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/**
 * Returns a text that identifies a running process, or null when there is none.
 *
 * A pid alone is not enough: a container restarts with the same small pids, so a stale file would name an unrelated
 * process. The start time makes it unique. A zombie counts as ended.
 */
export async function processIdentity(pid: number): Promise<string | null> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
    if (stat === null) return null
    // The second field, the program's name in parentheses, may contain anything. The fixed fields follow its last
    // parenthesis.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z') return null
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')
    return `${boot.trim()}:${fields[19] ?? ''}`
  }
  return processStatus(pid, 'lstart=')
}

/** Returns the command line of a process, its words joined by spaces, or null when it has ended. */
export async function processCommand(pid: number): Promise<string | null> {
  if (process.platform === 'linux') {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => null)
    return line === null || line === '' ? null : line.split('\0').join(' ').trim()
  }
  return processStatus(pid, 'command=')
}

async function processStatus(pid: number, column: string): Promise<string | null> {
  const result = await execute('ps', ['-o', column, '-p', String(pid)]).catch(() => null)
  return result === null ? null : result.stdout.trim() || null
}
