import { execFile } from 'node:child_process'
import { access, constants, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const BRIDGE_OF_A_TRIAL = 'tmktrial0'
/** Where the cluster keeps its state. */
export const FOLDER = process.env['TIDEMARK_CLUSTER_DIR'] ?? '/var/lib/tidemark-one-node'
/** The folders of the volumes of a release: the cluster makes none itself. */
export const VOLUMES = '/var/lib/tidemark-test-volumes'
const PROFILE = 'tidemark/chromium.json'
/** Names the process whose tests have the cluster. A machine has one. */
const TAKEN = `${FOLDER}.taken`

/** Returns the path of a program in the shared folder. */
const sharedTool = (name: string): string => join(process.env['TIDEMARK_SHARED'] ?? '', 'tools', name)

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
  // Left by a trial that was killed.
  await succeeds('ip', 'link', 'delete', BRIDGE_OF_A_TRIAL)
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

async function call(...args: readonly string[]): Promise<string> {
  const { stdout } = await run('bash', [sharedTool('one-node-cluster'), ...args], { maxBuffer: 64 * 1024 * 1024 })
  return stdout.trim()
}

/** The cluster of this machine, while the tests of one process have it. */
interface OneNodeCluster {
  readonly kubeconfig: string
  load(file: string): Promise<unknown>
  /** Gives it back; it goes on, for the next run. */
  leave(): Promise<void>
  /** Ends it, and removes what it left. */
  end(): Promise<void>
}

/**
 * Starts the cluster of this machine; a first one builds for minutes. What a killed run left is ended first, unless
 * `keep` is set: then a cluster that runs is used as it is. Rejects while another process has it.
 */
export async function startOneNodeCluster(keep: boolean): Promise<OneNodeCluster> {
  await take()
  try {
    if (!keep) await end()
    const kubeconfig = (await call('up')).split('\n').at(-1) ?? ''
    return { kubeconfig, load: (file) => call('load', file), leave, end: endAndLeave }
  } catch (error) {
    await endAndLeave()
    throw error
  }
}

const leave = () => rm(TAKEN, { force: true })

async function endAndLeave(): Promise<void> {
  try {
    await end()
  } finally {
    await leave()
  }
}

/** Writes down that this process has the cluster. */
async function take(): Promise<void> {
  const [pid = '', began = ''] = (await readFile(TAKEN, 'utf8').catch(() => '')).split(' ')
  if (pid !== '' && Number(pid) !== process.pid && (await beganOf(pid)) === began)
    throw new Error(`the tests of process ${pid} use the cluster of this machine: wait for their end`)
  await writeFile(TAKEN, `${process.pid} ${await beganOf(process.pid)}`)
}

/** Returns when a process began, as the kernel counts: a number is used again, the two together are not. */
async function beganOf(pid: string | number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
}

/** Ends the cluster, also one whose run was killed, and removes what it left. */
async function end(): Promise<void> {
  // `down` ends processes by numbers that `up` wrote down. After a restart of the machine others have them.
  for (const name of await readdir(join(FOLDER, 'pid')).catch(() => [])) {
    const file = join(FOLDER, 'pid', name)
    if (!(await isOfCluster((await readFile(file, 'utf8')).trim()))) await rm(file)
  }
  await call('down')
  // It finds neither processes whose numbers are lost, nor containers whose containerd is gone.
  for (const pid of await readdir('/proc'))
    if (/^\d+$/.test(pid) && (await isOfCluster(pid))) for (const one of await familyOf(pid)) kill(Number(one))
  await rm(VOLUMES, { recursive: true, force: true })
}

/** Puts the profile of the chart on the node. Returns its name for a pod. */
export async function putProfile(): Promise<string> {
  const file = join(FOLDER, 'kubelet/seccomp', PROFILE)
  await mkdir(dirname(file), { recursive: true })
  await cp(join(import.meta.dirname, '../../charts/tidemark/files/seccomp/chromium.json'), file)
  return PROFILE
}

/** Whether a process is one of the cluster, or a kubectl that talks to it: its arguments name the folder. */
async function isOfCluster(pid: string): Promise<boolean> {
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  const [program = '', ...args] = line.split('\0')
  return PROGRAMS.test(program) && args.some((argument) => argument.includes(`${FOLDER}/`))
}

const PROGRAMS = /(?:^|\/)(?:containerd(?:-shim-runc-v2)?|etcd|coredns|kube[a-z-]+)$/

/** Returns a process and those that it began, the innermost first. */
async function familyOf(pid: string): Promise<string[]> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')).split(' ')
  const families = await Promise.all(children.filter(Boolean).map(familyOf))
  return [...families.flat(), pid]
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
