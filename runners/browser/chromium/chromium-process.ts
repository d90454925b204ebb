import { spawn } from 'node:child_process'
import { chown, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { UnprivilegedUser } from '../../../platform/unprivileged-user.ts'
import { BrowserError } from '../browser-error.ts'
import { chromiumFlags } from './chromium-flags.ts'
import type { ChromiumProgram } from './chromium-program.ts'
import { type ProcessUsage, showsPages, usageBelow } from './process-usage.ts'

/** A Chromium process that Tidemark started. */
export interface ChromiumProcess {
  readonly pid: number
  /** DevTools messages, each with a zero byte behind it. */
  readonly toBrowser: Writable
  readonly fromBrowser: Readable
  /** Resolves when the process has ended, for whatever reason, and its profile is removed. Never rejects. */
  readonly ended: Promise<void>
  /** Returns the end of its standard error: why it did not start. */
  output(): string
  /** Returns `performance.now()` of the last page that filled its heap and was ended for it; -Infinity: never. */
  heapFullAt(): number
  /** Returns what its processes use. Empty where that is not known. */
  usage(): Promise<readonly ProcessUsage[]>
  /** Returns whether one of them shows pages. */
  showsPages(pid: number): Promise<boolean>
  /** Ends one of them. */
  killOne(pid: number): void
  kill(): void
}

interface ProcessOptions {
  readonly program: ChromiumProgram
  readonly user: UnprivilegedUser | null
  readonly proxyServer: string
  readonly heapMb: number
  readonly spki: string | null
  readonly isSandboxed: boolean
  /** Called with its standard error. */
  readonly onOutput?: (text: string) => void
}

const KEPT_OUTPUT = 8_192
/** A page's process writes this before it ends itself; without it the crash looks like any other. */
export const HEAP_FULL = /V8 \w+ OOM/
export const HEAP_FULL_LENGTH = 20
const PROFILE = 'tidemark-browser-'
/** No browser of Tidemark runs this long. */
const STALE_PROFILE_MS = 2 * 3_600_000

/**
 * Starts Chromium as an unprivileged account, with its own profile and its own process group, and with an environment
 * that contains nothing of Tidemark's. Throws a `BrowserError` when the program cannot be executed.
 */
export async function startChromium(options: ProcessOptions): Promise<ChromiumProcess> {
  const { program, user, proxyServer, heapMb, spki, isSandboxed, onOutput } = options
  await sweepProfiles()
  const profile = await mkdtemp(join(tmpdir(), `${PROFILE}${process.pid}-`))
  if (user !== null) await chown(profile, user.uid, user.gid)
  const child = spawn(program.path, chromiumFlags({ proxyServer, profile, heapMb, spki, isSandboxed }), {
    cwd: '/',
    env: {
      HOME: profile,
      TMPDIR: profile,
      XDG_CACHE_HOME: profile,
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      ...program.environment,
    },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    // Its own process group: Ctrl-C must not end the browser while running checks finish, and one signal ends it with
    // all its children.
    detached: true,
    ...user,
  })
  let output = ''
  let heapFullAt = -Infinity
  child.stderr?.on('data', (chunk: Buffer) => {
    const text = chunk.toString('latin1')
    // A message may arrive in two parts.
    if (HEAP_FULL.test(output.slice(-HEAP_FULL_LENGTH) + text)) heapFullAt = performance.now()
    output = (output + text).slice(-KEPT_OUTPUT)
    onOutput?.(text)
  })
  const { pid } = child
  const gone = Promise.withResolvers<void>()
  let spawnFault = ''
  child.once('error', (error: NodeJS.ErrnoException) => {
    spawnFault = error.code ?? error.message
    gone.reject(error)
  })
  child.once('exit', () => gone.resolve())
  const ended = gone.promise.catch(() => undefined).then(() => removeProfile(profile))
  if (pid === undefined) {
    await ended
    const account = user === null ? '' : ` as the account ${user.uid}`
    throw new BrowserError(
      `The browser ${program.path} cannot be executed${account} (${spawnFault}). Make it readable for all, or set ` +
        `CHROMIUM_PATH.`,
    )
  }
  lowerPriority(pid)
  const [toBrowser, fromBrowser] = [child.stdio[3] as Writable, child.stdio[4] as Readable]
  // A browser that has ended breaks the pipe. Its exit event reports the end.
  for (const pipe of [toBrowser, fromBrowser]) pipe.on('error', () => pipe.destroy())
  return {
    pid,
    toBrowser,
    fromBrowser,
    ended,
    output: () => output,
    heapFullAt: () => heapFullAt,
    usage: () => usageBelow(pid),
    showsPages,
    killOne: (one) => kill(one),
    // Windows has no groups; the children of a browser end with it.
    kill: () => kill(process.platform === 'win32' ? pid : -pid),
  }
}

/** Of 19 steps. A busy page gets a quarter of the processor time that this process gets when both want it. */
const NICE = 6

/** Lowers the priority of the browser and of all processes that it will start. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, NICE)
  } catch {
    // The process has already ended, or this platform does not allow it.
  }
}

/** Ends a process, or the group of the negative number. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}

/**
 * Removes the profiles that killed processes left. The process id alone is not enough where several containers share a
 * folder, so the age of the profile counts too.
 */
async function sweepProfiles(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const path = join(tmpdir(), name)
    const pid = name.startsWith(PROFILE) ? Number(name.slice(PROFILE.length).split('-')[0]) : Number.NaN
    if (!Number.isInteger(pid) || isRunning(pid)) continue
    const { mtimeMs = Infinity } = await stat(path).catch(() => ({ mtimeMs: undefined }))
    if (Date.now() - mtimeMs > STALE_PROFILE_MS) await removeProfile(path)
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Helper processes may still write for a moment after the browser has ended. */
async function removeProfile(profile: string): Promise<void> {
  await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch(() => undefined)
}
