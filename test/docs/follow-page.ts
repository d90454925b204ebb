import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '../support/network/free-port.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'
import { SHELLS, type ShellName } from './shells.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A block of shell of a page. `runs`: until it is stopped, in a terminal of its own. */
interface Step {
  readonly text: string
  readonly runs: 'here' | 'on'
}

/** A process with all that it has printed. */
interface Terminal {
  readonly child: ChildProcess
  readonly output: () => string
}

/** Somebody who follows a page from its top, with folders and ports that nobody else uses. */
export interface Reader extends AsyncDisposable {
  /** Does what a block says. Returns what it printed; nothing of one that runs on. Throws where it fails. */
  follow(step: Step): Promise<string>
  /** What the page to practise on and its receiver have printed. */
  received(): string
}

/** Opens this shell in the folder of the repository, as the pages want it. */
export async function openReader(name: ShellName): Promise<Reader> {
  const folder = await temporaryFolder()
  const [port, pagePort] = [String(await freePort()), String(await freePort())]
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder.path,
    PORT: port,
    TIDEMARK_DATA_DIR: join(folder.path, 'data'),
  }
  const open = (file: string, args: readonly string[]): Terminal => {
    const child = spawn(file, args, { cwd: ROOT, env, detached: true })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
    return { child, output: () => output }
  }
  const { args, before: prompt } = SHELLS[name]
  const shell = open(name, args)
  shell.child.stdin?.write(`${prompt}set -e -o pipefail\n`)
  let page: Terminal | undefined
  let tidemark: Terminal | undefined
  let number = 0

  const adapted = (text: string) => text.replaceAll('8080', port).replaceAll('8181', pagePort)
  const saying = async ({ child, output }: Terminal, pattern: RegExp) => {
    const said = await eventually(output, (all) => pattern.test(all) || child.exitCode !== null)
    if (!pattern.test(said)) throw new Error(`it ended without saying ${String(pattern)}:\n${said}`)
    return said
  }

  async function inTerminal(text: string): Promise<string> {
    if (text.includes('changing-page.ts')) {
      page = open(name, ['-c', `exec ${text.trim()} --port ${pagePort}`])
      await saying(page, /its secrets/)
    } else {
      if (tidemark) await stop(tidemark)
      tidemark = open(name, ['-c', adapted(text)])
      await saying(tidemark, /running at .*\n[\s\S]*\n\n/)
    }
    return ''
  }

  async function inShell(text: string): Promise<string> {
    const before = shell.output().length
    const end = `end of block ${(number += 1)}\n`
    shell.child.stdin?.write(`${adapted(text)}\necho "${end.trim()}"\n`)
    const said = await eventually(shell.output, (all) => all.includes(end) || shell.child.exitCode !== null)
    if (!said.includes(end)) throw new Error(`this block failed:\n${text}\n${said.slice(before)}`)
    return said.slice(before)
  }

  return {
    follow: ({ text, runs }) => (runs === 'on' ? inTerminal(text) : inShell(text)),
    received: () => page?.output() ?? '',
    async [Symbol.asyncDispose]() {
      await leave(shell)
      for (const terminal of [page, tidemark]) if (terminal) await stop(terminal)
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Zsh at a prompt ignores SIGTERM. */
async function leave({ child }: Terminal): Promise<void> {
  child.stdin?.end()
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
}

async function stop({ child }: Terminal): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const closed = once(child, 'close')
  process.kill(-child.pid, 'SIGTERM')
  await closed
}
