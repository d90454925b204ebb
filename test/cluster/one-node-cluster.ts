import { execFile } from 'node:child_process'
import { access, constants, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const BRIDGE_OF_A_TRIAL = 'tmktrial0'

/** Returns the path of a program in the shared folder. */
export const sharedTool = (name: string): string => join(process.env['TIDEMARK_SHARED'] ?? '', 'tools', name)

/** Returns why this machine cannot run a cluster of one node, as a sentence; null when it can. */
export async function whyNoOneNodeCluster(): Promise<string | null> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'a cluster of one node needs Linux on x64'
  if (process.getuid?.() !== 0) return 'a cluster of one node needs root'
  if (!(await isThere(sharedTool('one-node-cluster'))))
    return 'TIDEMARK_SHARED has no tools/one-node-cluster; set KUBECONFIG to use a cluster of your own'
  for (const program of ['go', 'python3'])
    if (!(await succeeds('which', program))) return `a cluster of one node needs ${program}`
  const mounts = await readFile('/proc/self/mounts', 'utf8')
  if (!mounts.split('\n').some((line) => /^\S+ \S+ cgroup2? rw/.test(line)))
    return 'the kernel gives this process no cgroups that it may write'
  if (!(await succeeds('unshare', '--mount', '--pid', '--net', '--fork', 'true')))
    return 'the kernel lets this process make no namespaces'
  // Where the program is missing, the cluster installs it.
  if ((await succeeds('which', 'ip')) && !(await makesBridges())) return 'the kernel lets this process make no bridge'
  return null
}

async function makesBridges(): Promise<boolean> {
  const made = await succeeds('ip', 'link', 'add', BRIDGE_OF_A_TRIAL, 'type', 'bridge')
  if (made) await run('ip', ['link', 'delete', BRIDGE_OF_A_TRIAL])
  return made
}

const isThere = (path: string): Promise<boolean> =>
  access(path, constants.R_OK).then(
    () => true,
    () => false,
  )

const succeeds = (program: string, ...args: readonly string[]): Promise<boolean> =>
  run(program, args).then(
    () => true,
    () => false,
  )

/** Starts and ends the cluster of one node. `up` resolves with its kubeconfig; a first one builds for minutes. */
export function oneNodeCluster() {
  const call = async (...args: readonly string[]): Promise<string> => {
    // The Node of this process must not stand in the way of the system's programs.
    const { stdout } = await run('bash', [sharedTool('one-node-cluster'), ...args], { maxBuffer: 64 * 1024 * 1024 })
    return stdout.trim()
  }
  return {
    up: async (): Promise<string> => (await call('up')).split('\n').at(-1) ?? '',
    load: (file: string) => call('load', file),
    down: () => call('down'),
  }
}
