import { existsSync } from 'node:fs'
import { readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { freePort } from '../support/network/free-port.ts'
import { runCli, startCli, startShell } from '../support/process/cli-process.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { describeIf } from '../support/run/skip.ts'

// Processes start, several in a test, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 })

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let environment: Record<string, string>
// Some tests need the data of an earlier start.
beforeAll(async () => {
  folder = await temporaryFolder()
  environment = { TIDEMARK_DATA_DIR: join(folder.path, 'data'), PORT: '0' }
  await using serve = startCli(['serve'], environment)
  await serve.says(/Tidemark is running/)
  serve.signal('SIGTERM')
  await serve.exited
})
afterAll(() => folder[Symbol.asyncDispose]())

const RUNNING_ON_TERMINAL = /Tidemark is running at (\S+)\r?\n[\s\S]*\n\r?\n/

test.each(['18080', '0'])('an address that this machine does not have is named first, PORT=%s', async (port) => {
  await using own = await temporaryFolder()
  const data = join(own.path, 'data')
  const named = { TIDEMARK_DATA_DIR: data, HOST: '192.0.2.1', PORT: port }
  const { code, stdout, stderr } = await runCli(['serve'], named)
  const message = 'HOST is "192.0.2.1", which is not an address of this machine'
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(message)])
  expect(existsSync(data)).toBe(false)
})

test.each([['serve'], ['admin', 'create-owner', '--email', 'me@example.com']])(
  'a data folder that is a file, is below one, or cannot be written, is refused by %s in one sentence',
  async (...args) => {
    await using own = await temporaryFolder()
    const file = join(own.path, 'file')
    await writeFile(file, '')
    const folders = [
      file,
      join(file, 'data'),
      ...(process.platform === 'linux' ? ['/sys/tidemark', '/proc/tidemark'] : []),
    ]
    for (const path of folders) {
      const { code, stdout, stderr } = await runCli(args, { TIDEMARK_DATA_DIR: path, PORT: '0' })
      expect([code, stdout, stderr]).toEqual([
        1,
        '',
        expect.stringMatching(/^tidemark: the data folder \S+ cannot be used: [^\n]+; set TIDEMARK_DATA_DIR [^\n]+\n$/),
      ])
    }
  },
)

test('migrate without DATABASE_URL makes no database where there is none', async () => {
  await using own = await temporaryFolder()
  const { code, stderr } = await runCli(['migrate'], { TIDEMARK_DATA_DIR: join(own.path, 'data') })
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^tidemark: DATABASE_URL is not set, and there is no database in \S+: set [^\n]+\n$/),
  ])
  expect(await readdir(own.path)).toEqual([])
})

describeIf(process.getuid?.() === 0 && process.platform === 'linux', 'run as root on Linux')('A full disk', () => {
  test('is named in one sentence by a first start', async () => {
    await using own = await temporaryFolder()
    const mount = `mount -t tmpfs -o size=4k none "${own.path}" && head -c 4096 /dev/zero > "${own.path}/fill"`
    await using serve = startShell(`exec unshare -m sh -c '${mount} && exec ./tidemark serve'`, {
      TIDEMARK_DATA_DIR: own.path,
      PORT: '0',
    })
    expect(await serve.exited).toBe(1)
    expect(serve.stderr).toMatch(/^tidemark: the data folder \S+ cannot be used: its file system is full; [^\n]+\n$/)
  })
})

test('a database whose key file is missing is refused: nothing is created, and its old path is named', async () => {
  const dataDir = environment['TIDEMARK_DATA_DIR'] ?? ''
  const file = join(dataDir, 'encryption-key')
  const aside = join(folder.path, 'key')
  await rename(file, aside)
  const before = await readdir(dataDir)
  for (const args of [['serve'], ['migrate'], ['admin', 'create-key', '--email', 'me@example.com', '--name', 'x']]) {
    const { code, stderr } = await runCli(args, environment)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^tidemark: the encryption key is missing: it was in [^\n]+\n$/),
    ])
    expect(stderr).toContain(file)
  }
  expect(await readdir(dataDir)).toEqual(before)
  // Without the record of where the database is, it is found all the same.
  const record = join(dataDir, 'embedded.json')
  await rename(record, join(folder.path, 'record'))
  const less = await readdir(dataDir)
  const lost = await runCli(['serve'], environment)
  expect([lost.code, lost.stderr]).toEqual([1, expect.stringContaining('the encryption key is missing')])
  expect(await readdir(dataDir)).toEqual(less)

  await rename(aside, file)
  const again = await runCli(['migrate'], environment)
  expect([again.code, again.stdout]).toEqual([0, 'The database is up to date.\n'])
})

describeIf(existsSync('/usr/bin/script'), 'install util-linux')('The first start on a terminal', () => {
  test('prints each step when it begins, before the address', async () => {
    await using own = await temporaryFolder()
    const settings = { TIDEMARK_DATA_DIR: join(own.path, 'data'), PORT: '0' }
    const command = `echo pid=$$; exec ${process.execPath} cli/tidemark.ts serve`
    await using serve = startShell(`exec script -qec '${command}' /dev/null`, settings)
    await serve.says(RUNNING_ON_TERMINAL)
    const steps = serve.stdout.match(/^\w.* …(?=\r?$)/gm)
    expect(steps?.slice(-4)).toEqual([
      expect.stringMatching(/^Creating the database in .*postgres …$/),
      'Starting Postgres …',
      expect.stringMatching(/^Migrating the database \(\d+ migrations\) …$/),
      'Starting the API and the workers …',
    ])
    const pid = Number(/pid=(\d+)/.exec(serve.stdout)?.[1])
    // A pid of 0 would be this process and all beside it.
    if (!(pid > 1)) throw new Error(`the process printed no id: ${serve.stdout}`)
    process.kill(pid, 'SIGTERM')
    await serve.exited
  })
})

test('an API that others reach serves no metrics on its port without a token', async () => {
  const open = { ...environment, HOST: '0.0.0.0', TIDEMARK_BASE_URL: 'http://127.0.0.1:1' }
  const statusOf = async (more: Record<string, string>, headers: Record<string, string> = {}) => {
    const port = String(await freePort())
    await using serve = startCli(['serve'], { ...open, ...more, PORT: port })
    await serve.says(/Tidemark is running/)
    const { status } = await fetch(`http://127.0.0.1:${port}/metrics`, { headers })
    serve.signal('SIGTERM')
    await serve.exited
    return status
  }
  const token = 'a token of the tests'
  expect(await statusOf({})).toBe(404)
  expect(await statusOf({ TIDEMARK_METRICS_TOKEN: token })).toBe(401)
  expect(await statusOf({ TIDEMARK_METRICS_TOKEN: token }, { authorization: `Bearer ${token}` })).toBe(200)
})
