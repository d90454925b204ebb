import { execFile, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { USER_ID } from '../../images/root-file-systems.ts'

const run = promisify(execFile)
const PATH = process.env['PATH'] ?? ''

/** Mounts what an engine gives a container. The root is read-only. */
const MOUNTS = `mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && mount -t proc proc "$1/proc" &&
  mount --bind /dev "$1/dev" && mount -t tmpfs tmpfs "$1/tmp" && chmod 1777 "$1/tmp" && mount --bind "$2" "$1/data" &&
  r=$1 && shift 2 || exit 1`
const CHROOT = `chroot --userspec=${USER_ID}:${USER_ID} "$r"`

interface ContainerOptions {
  readonly command: readonly string[]
  /** The folder that it has as `/data`. */
  readonly data: string
  readonly environment?: Readonly<Record<string, string>>
  /** A command that runs in it from the start, and that its first process did not begin. */
  readonly beside?: readonly string[]
  /** It has the network of this machine, whose loopback a test reaches. Default: no network. */
  readonly hasNetwork?: boolean
}

/** Returns what `unshare` needs to run a command in a root file system, as the user of the image. */
function containerOf(root: string, { command, data, beside, environment, hasNetwork = false }: ContainerOptions) {
  const first = beside === undefined ? '' : `${CHROOT} ${beside.map((word) => `'${word}'`).join(' ')} &`
  const script = `${MOUNTS}\n${first}\nexec ${CHROOT} "$@"`
  const flags = ['--mount', '--pid', '--fork', ...(hasNetwork ? [] : ['--net'])]
  return {
    args: [...flags, 'bash', '-c', script, 'bash', root, data, ...command],
    env: { HOME: '/tmp', PATH, ...environment },
  }
}

/** Runs a program in a root file system to its end. */
export async function runInRoot(root: string, options: ContainerOptions): Promise<{ code: number; text: string }> {
  const { args, env } = containerOf(root, options)
  try {
    const { stdout, stderr } = await run('unshare', args, { env, maxBuffer: 64 * 1024 * 1024 })
    return { code: 0, text: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, text: stdout + stderr }
  }
}

/** A container that runs. Disposing of it kills all of it. */
interface RunningContainer extends AsyncDisposable {
  /** What it has written. */
  output(): string
  /** All processes of it, those that have ended too. */
  processes(): Promise<readonly { readonly line: string }[]>
  /** Sends a signal to the first process, and waits until all have ended. Returns the exit code of the first. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Starts a program as the first process of a container. */
export function startInRoot(root: string, options: ContainerOptions): RunningContainer {
  const { args, env } = containerOf(root, options)
  const child = spawn('unshare', args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  /**
   * All of a container end with its first process. A signal that comes with the end of its parent would not reach that
   * one: it changed its user.
   */
  async function end(signal: NodeJS.Signals): Promise<number | null> {
    const [first] = await childrenOf(child.pid ?? 0)
    if (first === undefined) child.kill('SIGKILL')
    else process.kill(first, signal)
    return ended
  }
  return {
    output: () => output,
    processes: () => processesBelow(child.pid ?? 0),
    end,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await end('SIGKILL')
    },
  }
}

async function childrenOf(pid: number): Promise<readonly number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return children
    .split(' ')
    .filter((text) => text !== '')
    .map(Number)
}

async function processesBelow(pid: number): Promise<{ readonly line: string }[]> {
  const all = await Promise.all(
    (await childrenOf(pid)).map(async (child) => {
      const line = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')
      return [{ line }, ...(await processesBelow(child))]
    }),
  )
  return all.flat()
}
