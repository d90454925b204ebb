import { execFile, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const SOURCE = new URL('kstatus/', import.meta.url).pathname
const FILES = ['main.go', 'go.mod', 'go.sum']

/** Whether this machine has Go, which builds the program. */
export const hasGo = (): boolean => spawnSync('go', ['version'], { stdio: 'ignore' }).status === 0

/** What kstatus, which Flux and Helm wait with, makes of an object. */
interface Kstatus {
  readonly status: 'InProgress' | 'Failed' | 'Current' | 'Terminating' | 'NotFound' | 'Unknown'
  readonly message: string
}

/** Asks kstatus about objects. The program is built once a machine, for each version of its source. */
export async function kstatusOf(objects: readonly object[]): Promise<readonly Kstatus[]> {
  const child = spawn(await builtProgram(), { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(objects.map((object) => `${JSON.stringify(object)}\n`).join(''))
  let text = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) text += String(chunk)
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Kstatus)
}

async function builtProgram(): Promise<string> {
  const digest = createHash('sha256')
  for (const file of FILES) digest.update(await readFile(join(SOURCE, file)))
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  const folder = join(cache, 'tidemark-kstatus', digest.digest('hex').slice(0, 16))
  const program = join(folder, 'kstatus')
  if (existsSync(program)) return program
  await mkdir(folder, { recursive: true })
  const partial = `${program}.${process.pid}.partial`
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly', GOTOOLCHAIN: 'local' }
  const built = promisify(execFile)('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', partial, '.'], {
    cwd: SOURCE,
    env,
  })
  await built
  await rename(partial, program)
  return program
}
