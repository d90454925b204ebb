import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Config } from '../../schema/config.ts'
import { temporaryFolder } from '../cli/temporary-folder.ts'
import { eventually } from '../support/eventually.ts'
import { describeIf } from '../support/skip.ts'

const ROOT = join(import.meta.dirname, '../..')
const README = await readFile(join(ROOT, 'README.md'), 'utf8')

/** A block of shell in the README. */
interface Block {
  /** `on`: it runs until it is stopped, in a terminal of its own. `no`: the test cannot run it; the page says why. */
  readonly runs: 'here' | 'on' | 'no'
  readonly text: string
}

const BLOCK = /(?:<!-- (?<mark>runs on|not run)[^>]*-->\s*)?^ *```sh\n(?<text>.*?)^ *```$/gms
const RUNS = { 'runs on': 'on', 'not run': 'no' } as const
const BLOCKS = Array.from(README.matchAll(BLOCK), ({ groups }): Block => {
  const mark = groups?.['mark'] as keyof typeof RUNS | undefined
  return { runs: mark ? RUNS[mark] : 'here', text: groups?.['text'] ?? '' }
})

describe('every block of the README', () => {
  test('can be pasted into zsh and bash: it holds no comment', () => {
    expect(BLOCKS.length).toBeGreaterThan(15)
    for (const { text } of BLOCKS) expect(text).not.toMatch(/(?:^|\s)#/m)
  })

  test('gives no variable of its own the name of a setting, which the next start would read', () => {
    const names = BLOCKS.flatMap(({ text }) => Array.from(text.matchAll(/^(\w+)=\S*$/gm), ([, name = '']) => name))
    expect(names).toContain('API')
    for (const name of names) expect(Object.keys(Config.properties)).not.toContain(name)
  })

  test('calls the command by its path, so that npx fetches no package of this name', () => {
    expect(README).not.toMatch(/npx (?:tidemark|node)/)
  })
})

/** A process with all that it has printed. */
interface Terminal {
  readonly child: ChildProcess
  readonly output: () => string
}

// The visual monitor needs the embedded browser.
const hasEmbedded = process.platform === 'linux' && process.arch === 'x64'

describeIf(hasEmbedded, 'there is no embedded browser for this platform')('The README, followed from the top', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let environment: Record<string, string>
  let port = ''
  let pagePort = ''
  let shell: Terminal
  let page: Terminal | undefined
  let tidemark: Terminal | undefined

  beforeAll(async () => {
    folder = await temporaryFolder()
    ;[port, pagePort] = [await freePort(), await freePort()]
    environment = {
      PATH: process.env['PATH'] ?? '',
      HOME: folder.path,
      PORT: port,
      TIDEMARK_DATA_DIR: join(folder.path, 'data'),
    }
    shell = open('bash', ['--norc', '--noprofile'])
    shell.child.stdin?.write('set -e -o pipefail\n')
  })
  afterAll(async () => {
    for (const terminal of [shell, page, tidemark]) if (terminal) await stop(terminal)
    await folder[Symbol.asyncDispose]()
  })

  function open(file: string, args: readonly string[]): Terminal {
    const child = spawn(file, args, { cwd: ROOT, env: environment, detached: true })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
    return { child, output: () => output }
  }

  async function stop({ child }: Terminal): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
    const closed = once(child, 'close')
    process.kill(-child.pid, 'SIGTERM')
    await closed
  }

  const adapted = (text: string) => text.replaceAll('8080', port).replaceAll('8181', pagePort)

  const saying = ({ child, output }: Terminal, pattern: RegExp) =>
    eventually(output, (said) => pattern.test(said) || child.exitCode !== null)

  /** Runs a block in the one shell that keeps its variables. Returns what it printed. */
  async function inShell(text: string, number: number): Promise<string> {
    const before = shell.output().length
    shell.child.stdin?.write(`${adapted(text)}\necho "end of block ${number}"\n`)
    const ended = new RegExp(`end of block ${number}\n`)
    const said = await eventually(shell.output, (all) => ended.test(all) || shell.child.exitCode !== null)
    if (!ended.test(said)) throw new Error(`this block failed:\n${text}\n${said.slice(before)}`)
    return said.slice(before)
  }

  async function inTerminal(text: string): Promise<void> {
    if (text.includes('changing-page.ts')) {
      page = open('bash', ['-c', `exec ${text.trim()} --port ${pagePort}`])
      await saying(page, /its secrets/)
      return
    }
    if (tidemark) await stop(tidemark)
    tidemark = open('bash', ['-c', adapted(text)])
    expect(await saying(tidemark, /running at .*\n[\s\S]*\n\n/)).toMatch(/running at/)
  }

  test('each block does what the page says', async () => {
    const said: string[] = []
    for (const [number, { runs, text }] of BLOCKS.entries()) {
      if (runs === 'here') said.push(await inShell(text, number))
      else if (runs === 'on') await inTerminal(text)
    }
    const all = said.join('\n')
    expect(all).toContain('  price   "$19.99"\n  title   "Hearth kettle, 0.9 litres"\n')
    expect(all).toContain("extracted: { price: '$19.99' }")
    expect(all).toContain('queued: true')
    expect(all).toContain('created monitor kettles/title\n')
    expect(all).toMatch(/^Title of the kettle +\d+s +success/m)
    const change = '~ change monitor kettles/title\n    spec.scheduleIntervalSeconds: 3600 → 900\n'
    expect(all.split(change)).toHaveLength(3)
    expect(all).toContain('Nothing differs: 1 unchanged.\n')
    expect(all).toMatch(/diffUrl: 'http/)
    expect(all).toContain('grace@example.com team.member_joined\n')
    expect(all).toContain('owner@tidemark.local team.member_invited\n')
    const received = await eventually(
      () => page?.output() ?? '',
      (output) => output.includes('"change_pct"') && output.includes('"after": {\n      "price": "$17.49"'),
    )
    expect(received).toContain('received, verified:\n')
    expect(received).not.toContain('not verified')
    const stated = /"change_pct": ([\d.]+)/.exec(README)?.[1]
    expect(received).toContain(`"change_pct": ${stated}`)
  }, 180_000)
})

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return String(port)
}
