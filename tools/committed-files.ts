import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Returns the files that git has at or below some paths. What it ignores, such as the data of a server, stays out. */
export async function committed(root: string, paths: readonly string[]): Promise<readonly string[]> {
  const args = ['ls-files', '-z', '--', ...paths]
  const { stdout } = await promisify(execFile)('git', args, { cwd: root, maxBuffer: 16 * 1024 * 1024 })
  return stdout.split('\0').filter((path) => path !== '')
}
