import { execFile } from 'node:child_process'
import { lstat, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandLine } from '../../cli/command-line.ts'
import { runCli, startCli } from '../support/process/cli-process.ts'
import { nodeSeconds } from '../support/process/node-seconds.ts'
import { runHere } from '../support/process/run-here.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'

const ROOT = join(import.meta.dirname, '../..')

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
  await writeFile(join(folder.path, 'page.html'), '<h1>Kettle</h1>')
})
afterAll(() => folder[Symbol.asyncDispose]())

describe('a command line that is not valid exits with 2 and says why', () => {
  test.each([
    [['serv'], 'Did you mean serve?'],
    [['--frob'], "unknown option '--frob'"],
    [['serve', 'now'], 'too many arguments'],
    [['api', '--frob'], "unknown option '--frob'"],
    [['worker', '--frob'], "unknown option '--frob'"],
    [['runner', '--frob'], "unknown option '--frob'"],
    [['operator', '--frob'], "unknown option '--frob'"],
    [['operator', '--default-team', 'shop'], 'must be the id of a team, a UUID'],
    [['operator', '--cluster-id', 'file'], 'must be the id of a cluster'],
    [['migrate', 'now'], 'too many arguments'],
    [['check'], 'name a file or an address'],
    [['check', '--css'], 'argument missing'],
    [['admin'], 'Usage: tidemark admin'],
    [['admin', 'frob'], "unknown command 'frob'"],
    [['admin', 'create-owner'], "required option '--email <address>'"],
    [['admin', 'create-owner', '--email', 'me@example.com', '--plan', 'gold'], 'Allowed choices'],
    [['admin', 'create-key', '--email', 'me', '--name', 'x'], 'e-mail address'],
    [['admin', 'create-runner-token', '--job', 'x', '--ttl', '3y'], 'a time such as 15m'],
    [['admin', 'create-runner-token', '--job', 'x', '--renew', '--ttl', '59m'], '--ttl must be 1h at least'],
  ])('%j', async (args, reason) => {
    const { code, stdout, stderr } = await runHere(args, { TIDEMARK_DATA_DIR: join(folder.path, 'never') })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(reason)
    expect(stderr).not.toContain('    at ')
    await expect(lstat(join(folder.path, 'never'))).rejects.toThrow('ENOENT')
  })
})

test.each([
  [['nope'], '(tidemark --help shows the commands)'],
  [['admin', 'nope'], '(tidemark admin --help shows the commands)'],
  [['admin', 'set-plan'], '(tidemark admin set-plan --help shows the options)'],
  [['cluster-secret', 'nope'], '(tidemark cluster-secret --help shows the commands)'],
  [['serve', '--frob'], '(tidemark serve --help shows the options)'],
  [['check', 'serp'], '(tidemark check serp --help shows the options)'],
  [['get', '--frob'], '(tidemark get --help shows the options)'],
])('%j says which help shows what is meant', async (args, hint) => {
  const { code, stderr } = await runHere(args)
  expect([code, stderr.trimEnd().split('\n').at(-1)]).toEqual([2, hint])
})

test.each([
  [['serve', '--port', '9000'], 'PORT'],
  [['serve', '--port=9000'], 'PORT'],
  [['--port', '9000'], 'PORT'],
  [['worker', '--database-url', 'postgres://a'], 'DATABASE_URL'],
  [['api', '--data-dir', '/tmp/x'], 'TIDEMARK_DATA_DIR'],
])('%j points to the setting that the option looks like', async (args, setting) => {
  const { code, stderr } = await runHere(args)
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(new RegExp(`set ${setting}, as in ${setting}=… \\./tidemark [a-z]+\\n$`)),
  ])
})

test.each([
  ['a search', ['check', 'serp', 'kettle']],
  ['rendering', ['check', 'http://127.0.0.1:9/', '--browser', '--css', 'title=h1']],
])(
  'without a browser, %s names the setting that turned it off, and no fault of the command line',
  async (what, args) => {
    const { code, stdout, stderr } = await runHere(args, { TIDEMARK_BROWSER_PAGES: '0' })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`TIDEMARK_BROWSER_PAGES is 0, and ${what} needs the browser; unset it`)
  },
)

test.each(['--help', 'admin --help', 'get --help', 'completion bash', 'check page.html --json'])(
  'where nobody reads what %s prints, it ends without a word',
  async (line) => {
    const command = `"${process.execPath}" "${ROOT}/cli/tidemark.ts" ${line}`
    // The reader has ended long before the command writes.
    const { stderr } = await promisify(execFile)('sh', ['-c', `${command} | true`], { cwd: folder.path })
    expect(stderr).toBe('')
  },
)

const NAMES = commandLine(process, '0').commands.map((command) => command.name())

test('a command in a folder that has been removed says so in one sentence', async () => {
  const command = `"${process.execPath}" "${ROOT}/cli/tidemark.ts" admin link --email a@example.com`
  const script = `cd "$(mktemp -d)" && rmdir "$PWD" && exec ${command}`
  const { code, stderr } = await promisify(execFile)('sh', ['-c', script]).then(
    () => ({ code: 0, stderr: '' }),
    (error: { code: number; stderr: string }) => error,
  )
  expect(stderr).toBe(
    'tidemark: the current folder has been removed; change to another one and start the command again\n',
  )
  expect(code).toBe(1)
})

test('help of every command exits with 0, and calls no command by npx', async () => {
  expect(NAMES).toContain('operator')
  const program = await runCli(['--help'])
  for (const name of NAMES) expect(program.stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
  const answers = await Promise.all(NAMES.map((name) => runHere([name, '--help'])))
  for (const { code, stdout } of [program, ...answers, await runCli(['help', 'operator'])]) {
    expect([code, stdout]).toEqual([0, expect.stringContaining('Usage: tidemark')])
    expect(stdout).not.toContain('npx')
  }
}, 60_000)

/** Returns the processor time of a command in seconds. */
const processorSeconds = (args: readonly string[], goal: number): Promise<number> =>
  nodeSeconds([join(ROOT, 'cli/tidemark.ts'), ...args], goal, folder.path)

describe('processor time', () => {
  // On an idle machine it is 0.1 s, and that of Node.js alone 0.03 s. A slow machine takes longer for both.
  test.each([[['--version']], [['--help']], [['check', '--help']]])('of %j is under 0.3 s', async (args) => {
    const limit = 0.3 * Math.max(1, (await nodeSeconds(['-e', '0'], 0.035, folder.path)) / 0.035)
    expect(await processorSeconds(args, limit)).toBeLessThan(limit)
  })

  // On an idle machine it is 0.4 s, and that of --version 0.1 s. A machine under load takes longer for both, and for
  // what uses more memory still longer.
  test('of a check of a file is under 1 s', async () => {
    const slowness = Math.max(1, (await processorSeconds(['--version'], 0.1)) / 0.1)
    const limit = slowness
    expect(await processorSeconds(['check', 'page.html', '--css', 'title=h1'], limit)).toBeLessThan(limit)
  })
})

describeIf(process.platform === 'linux', 'use Linux: /proc tells the memory of a process')('At rest', () => {
  // The goal is 160 MB (bench/README.md). On quiet machines it is 162 to 180 MB: see docs/rough-edges.md.
  test('tidemark serve has less than 190 MB in memory', async () => {
    const settings = { TIDEMARK_DATA_DIR: join(folder.path, 'data'), PORT: '0' }
    await using first = startCli(['serve'], settings)
    await first.says(/running at/)
    first.signal('SIGTERM')
    await first.exited
    await using serve = startCli(['serve'], settings)
    await serve.says(/running at/)
    const megabytes = await eventually(
      async () => {
        const status = await readFile(`/proc/${serve.pid}/status`, 'utf8')
        return (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024) / 1e6
      },
      (now) => now < 190,
    )
    expect(megabytes).toBeLessThan(190)
    serve.signal('SIGTERM')
    expect(await serve.exited).toBe(0)
  }, 90_000)
})
