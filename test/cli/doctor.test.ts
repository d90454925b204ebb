import { readdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { DOCTOR_CHECKS, DoctorReport } from '../../schema/doctor.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import { runCli, startCli, startShell } from '../support/process/cli-process.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'

// Processes and a browser, on a machine that does other things besides.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 })

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let settings: Record<string, string>
beforeAll(async () => {
  folder = await temporaryFolder()
  settings = { TIDEMARK_DATA_DIR: join(folder.path, 'data'), PORT: '0' }
})
afterAll(() => folder[Symbol.asyncDispose]())

test('with nothing set it exits with 0, in words and in JSON for other programs', async () => {
  const words = await runCli(['doctor'], settings)
  expect([words.code, words.stderr]).toEqual([0, ''])
  expect(words.stdout).toMatch(/^Tidemark \S+, Node \d\S+, \w+-\w+\n\n/)
  expect(words.stdout).toMatch(/^ok {10}browser {5}Chromium .*in its sandbox\.$/m)
  expect(words.stdout).toMatch(/^not set up {2}mail {8}SMTP_URL is not set: .*\n {24}→ Set SMTP_URL/m)
  await using shell = startShell(
    `./tidemark doctor --json | "${process.execPath}" -p 'JSON.parse(require("fs").readFileSync(0)).checks.length'`,
    settings,
  )
  expect(await shell.exited).toBe(0)
  expect(Number(shell.stdout)).toBe(Object.keys(DOCTOR_CHECKS).length)
  expect(await readdir(folder.path)).toEqual([])
})

test('it exits with 1 when something failed, and with 2 for a bad command line', async () => {
  const broken = { ...settings, PORT: 'x', TIDEMARK_BROWSER_PAGES: '0', SMTP_URL: 'smtp://ada:canary-1@127.0.0.1:1' }
  const { code, stdout, stderr } = await runCli(['doctor', '--json'], broken)
  const read = checkerOf(DoctorReport).validate(JSON.parse(stdout))
  expect([code, stderr, read.ok]).toEqual([1, '', true])
  expect(stdout).not.toContain('canary')
  expect((await runCli(['doctor', '--frob'])).code).toBe(2)
})

test('a database that never answers does not keep it from its end', async () => {
  const silent = createServer((socket) => void socket.on('error', () => {}).resume())
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as { port: number }
  const own = { DATABASE_URL: `postgres://ada@127.0.0.1:${port}/a`, TIDEMARK_ENCRYPTION_KEY: 'the key of a test' }
  const { code, stdout } = await runCli(['doctor'], { ...settings, ...own, TIDEMARK_BROWSER_PAGES: '0' })
  silent.close()
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^failed {6}postgres .* did not answer in time\.$/m)])
})

describe('beside a server that runs', () => {
  test('it sees its database and its port, and the server goes on', async () => {
    await using own = await temporaryFolder()
    const data = { TIDEMARK_DATA_DIR: join(own.path, 'data'), TIDEMARK_BROWSER_PAGES: '0' }
    await using serve = startCli(['serve'], { ...data, PORT: '0' })
    const [, base = ''] = await serve.says(/Tidemark is running at (http:\S+)\n/)
    const { code, stdout } = await runCli(['doctor'], { ...data, PORT: new URL(base).port })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ok +postgres +Postgres \S+ answers, the embedded one of a Tidemark that runs\.$/m)
    expect(stdout).toMatch(/^ok +migrations +The database has the schema of this version\.$/m)
    expect(stdout).toMatch(/^ok +clock +The clocks of this machine and of Postgres agree\.$/m)
    expect(stdout).toMatch(/^ok +ports +PORT \(\d+\) is in use by Tidemark\.$/m)
    expect((await fetch(`${base}/readyz`)).status).toBe(200)
    serve.signal('SIGTERM')
    expect(await serve.exited).toBe(0)
    // Its database is at rest now, and is not started.
    const after = await runCli(['doctor'], { ...data, PORT: '0' })
    expect([after.code, after.stdout]).toEqual([0, expect.stringContaining('no server runs on it')])
  })
})
