import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { open, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, test } from 'vitest'
import { keyId } from '../../core/derived-key.ts'
import { runningPostgres } from '../../platform/postgres/running-postgres.ts'
import { runCli, startCli } from '../support/process/cli-process.ts'
import { runHere } from '../support/process/run-here.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'

const EMAIL = 'me@example.com'

/** Connects to the embedded database of the server that runs in a data folder. */
async function connectTo(data: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: (await runningPostgres(data))?.url ?? '' })
  await client.connect()
  // The end of the embedded Postgres ends its connections.
  client.on('error', () => {})
  return client
}

const lockKeys = (client: pg.Client) => client.query('begin; lock table encryption_keys in access exclusive mode')

/** Waits until another session waits for the lock. */
const waitForKeys = (client: pg.Client) =>
  eventually(
    () => client.query(`select from pg_locks where relation = 'encryption_keys'::regclass and not granted`),
    ({ rowCount }) => rowCount === 1,
  )

test('while the server runs on its embedded database, commands change its accounts, keys and plans', async () => {
  await using folder = await temporaryFolder()
  const environment = { TIDEMARK_DATA_DIR: join(folder.path, 'data'), PORT: '0', TIDEMARK_OWNER_EMAIL: EMAIL }
  await using serve = startCli(['serve'], environment)
  const [banner = '', base = ''] = await serve.says(/Tidemark is running at (http:\S+)\n[\s\S]*\n\n/)
  expect(banner).toMatch(/E-mail\s+me@example\.com\n/)
  expect(banner).not.toContain('set-email')
  const admin = async (command: string, ...options: string[]) => {
    const { code, stdout, stderr } = await runHere(['admin', command, ...options, '--json'], environment)
    return code === 0 ? JSON.parse(stdout) : { code, stderr }
  }
  const ask = (path: string, key: string) => fetch(`${base}${path}`, { headers: { authorization: `Bearer ${key}` } })
  const post = (path: string, body: object) =>
    fetch(`${base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: base },
      body: JSON.stringify(body),
    })

  for (const name of ['', 'x'.repeat(101)])
    expect(await admin('create-key', '--email', EMAIL, '--name', name)).toMatchObject({ code: 2 })
  const { key, id } = await admin('create-key', '--email', EMAIL, '--name', 'ci')
  expect((await ask('/v1/usage', key)).status).toBe(200)
  const { keys } = await admin('list-keys', '--email', EMAIL)
  expect(keys.map(({ name }: { name: string }) => name).sort()).toEqual(['First key', 'ci'])

  expect(await admin('set-plan', '--email', EMAIL, '--plan', 'lite')).toMatchObject({ previous_plan: 'unlimited' })
  expect(await admin('grant-credits', '--email', EMAIL, '--runs', '50')).toMatchObject({ credits: 50 })
  expect(await (await ask('/v1/usage', key)).json()).toMatchObject({
    tier: 'lite',
    runCredits: 50,
    runs: { limit: 1000 },
  })

  expect(await admin('set-email', '--email', EMAIL, '--to', 'Ada@example.com')).toMatchObject({
    email: 'ada@example.com',
  })
  // The command's own PORT is not that of the server.
  const { token, url } = await admin('link', '--email', 'ada@example.com')
  expect(url.startsWith(`${base}/`)).toBe(true)
  expect(url).toContain(token)
  const reset = { token, newPassword: 'a new password' }
  expect((await post('/auth/reset-password', reset)).status).toBe(200)
  expect((await post('/auth/reset-password', reset)).status).toBe(422)
  const signIn = { email: 'ada@example.com', password: 'a new password' }
  expect((await post('/auth/sign-in/email', signIn)).status).toBe(200)

  expect(await admin('revoke-key', '--email', 'ada@example.com', '--id', id)).toMatchObject({ revoked: true })
  const again = await admin('revoke-key', '--email', 'ada@example.com', '--id', id)
  expect(again.stderr).toContain('list-keys shows its keys')
  const nobody = await admin('link', '--email', EMAIL)
  expect(nobody.stderr).toContain(`there is no account with the address ${EMAIL}`)
  expect(nobody.stderr).toContain('create one with ./tidemark admin create-owner')
  expect(nobody.stderr).not.toMatch(/^\s+at /m)

  serve.signal('SIGTERM')
  expect(await serve.exited).toBe(0)
  expect(await admin('list-keys', '--email', 'ada@example.com')).toMatchObject({ keys: [{ name: 'First key' }] })

  const goodbye = ['delete-account', '--email', 'ada@example.com'] as const
  expect((await admin(...goodbye)).stderr).toContain('--yes')
  expect(await admin(...goodbye, '--yes')).toMatchObject({ deleted: true, teams_left: 0 })
  expect((await admin(...goodbye, '--yes')).stderr).toContain('there is no account')
}, 360_000)

test('a command for an installation that is not there creates nothing, and says where it looked', async () => {
  await using folder = await temporaryFolder()
  const data = join(folder.path, 'data')
  const runs = [
    [data, 'create-key', '--email', EMAIL, '--name', 'x'],
    [folder.path, 'set-plan', '--email', EMAIL, '--plan', 'lite'],
    [data, 'create-runner-token', '--job', 'x'],
  ] as const
  await Promise.all(
    runs.map(async ([dataDir, ...args]) => {
      const { code, stdout, stderr } = await runHere(['admin', ...args], { TIDEMARK_DATA_DIR: dataDir })
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/^tidemark: there is no installation in (\S+); set TIDEMARK_DATA_DIR [^\n]+\n$/)
      expect(stderr).toContain(` ${dataDir};`)
    }),
  )
  expect(await readdir(folder.path)).toEqual([])
}, 60_000)

test('the first owner may be created before the first start, which is said', async () => {
  await using folder = await temporaryFolder()
  const environment = { TIDEMARK_DATA_DIR: join(folder.path, 'data') }
  const first = await runCli(['admin', 'create-owner', '--email', EMAIL, '--json'], environment)
  expect([first.code, first.stderr]).toEqual([
    0,
    `There is no database in ${environment.TIDEMARK_DATA_DIR} yet. A new one is created.\n`,
  ])
  expect(JSON.parse(first.stdout)).toMatchObject({ api_key: expect.stringMatching(/^svc_/) })
  const second = await runCli(['admin', 'create-owner', '--email', 'you@example.com', '--json'], environment)
  expect([second.code, second.stderr]).toEqual([0, ''])
  const link = await runCli(['admin', 'link', '--email', EMAIL], environment)
  expect([link.code, link.stdout]).toEqual([0, expect.stringContaining('or set TIDEMARK_BASE_URL.')])
}, 60_000)

test('a rotated key in the data folder is taken up by a server that runs, and opens all after a restart', async () => {
  await using folder = await temporaryFolder()
  const environment = { TIDEMARK_DATA_DIR: join(folder.path, 'data'), PORT: '0' }
  const file = join(folder.path, 'data', 'encryption-key')
  const start = async () => {
    const serve = startCli(['serve'], environment)
    const [banner = '', base = ''] = await serve.says(/Tidemark is running at (http:\S+)\n[\s\S]*\n\n/)
    return { serve, base, key: /API key\s+(svc_\w+)/.exec(banner)?.[1] }
  }
  const rotate = () => runCli(['admin', 'rotate-key', '--json'], environment)
  const newSession = async (email: string): Promise<string> => {
    const { stdout } = await runHere(['admin', 'create-owner', '--email', email, '--json'], environment)
    return JSON.parse(stdout).session_token
  }
  const statusOf = async (base: string, session: string) =>
    (await fetch(`${base}/v1/usage`, { headers: { authorization: `Bearer ${session}` } })).status
  const first = await start()
  await using _ = first.serve
  const headers = { authorization: `Bearer ${first.key}`, 'content-type': 'application/json' }
  const hook = 'https://example.com/hook'
  const create = async (base: string) => {
    const body = {
      name: 'Kettle',
      url: 'https://example.com/',
      schedule_interval_seconds: 3600,
      extract_config: { method: 'full_page' },
      diff_predicate: { type: 'any_field_changes' },
      deliveries: [{ type: 'webhook', url: hook }],
    }
    const answer = await fetch(`${base}/v1/monitors`, { method: 'POST', headers, body: JSON.stringify(body) })
    return ((await answer.json()) as { id: string }).id
  }
  const hookOf = async (base: string, id: string) => {
    const answer = await fetch(`${base}/v1/monitors/${id}`, { headers })
    return ((await answer.json()) as { deliveries: [{ url: string }] }).deliveries[0].url
  }

  const before = await readFile(file, 'utf8')
  const older = await create(first.base)
  const sessions = [await newSession('before@example.com')]
  const { code, stdout, stderr } = await rotate()
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({ rows_encrypted: 2, old_keys_may_be_removed: true })
  const after = await readFile(file, 'utf8')
  expect(after).toMatch(/^[\w+/]{43}=\n$/)
  expect(after).not.toBe(before)
  expect(await hookOf(first.base, older)).toBe(hook)
  const newer = await create(first.base)
  sessions.push(await newSession('after@example.com'))
  for (const session of sessions) expect(await statusOf(first.base, session)).toBe(200)
  first.serve.signal('SIGTERM')
  expect(await first.serve.exited).toBe(0)

  // Without a server the command does the same by itself.
  expect(JSON.parse((await rotate()).stdout)).toMatchObject({ rows_encrypted: 3 })
  expect(await readFile(file, 'utf8')).not.toBe(after)
  const second = await start()
  await using __ = second.serve
  expect([await hookOf(second.base, older), await hookOf(second.base, newer)]).toEqual([hook, hook])
  for (const session of sessions) expect(await statusOf(second.base, session)).toBe(200)
}, 240_000)

test('only the server says which key it uses, and a second rotation does not begin meanwhile', async () => {
  await using folder = await temporaryFolder()
  const data = join(folder.path, 'data')
  const environment = { TIDEMARK_DATA_DIR: data, PORT: '0' }
  const file = join(data, 'encryption-key')
  await using serve = startCli(['serve'], environment)
  await serve.says(/Tidemark is running at/)
  const client = await connectTo(data)
  try {
    const noted = async () =>
      (await client.query<{ id: string }>('select id from encryption_keys')).rows.map(({ id }) => id)
    const old = (await readFile(file, 'utf8')).trim()
    const list = `a new key of the tests,${old}\n`
    serve.signal('SIGSTOP')
    await writeFile(file, list)
    const other = await runHere(['admin', 'list-keys', '--email', 'owner@tidemark.local'], environment)
    expect({ code: other.code, noted: await noted() }).toEqual({ code: 0, noted: [keyId(old)] })

    await client.query(`select pg_advisory_lock(hashtext('tidemark.rotate_key'))`)
    const second = await runCli(['admin', 'rotate-key'], environment)
    expect(second).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'tidemark: another rotation of the encryption key is under way; wait for its end. ' +
        'This one has changed nothing\n',
    })
    expect(await readFile(file, 'utf8')).toBe(list)
    await client.query(`select pg_advisory_unlock_all()`)

    serve.signal('SIGCONT')
    const third = await runCli(['admin', 'rotate-key'], environment)
    expect(third).toMatchObject({ code: 0, stderr: '' })
    expect(await readFile(file, 'utf8')).toBe('a new key of the tests\n')
    expect(await noted()).toEqual([keyId('a new key of the tests')])
  } finally {
    serve.signal('SIGCONT')
    await client.end()
  }
}, 360_000)

test('a server that is stopped while it takes up a new key notes it first', async () => {
  await using folder = await temporaryFolder()
  const data = join(folder.path, 'data')
  const file = join(data, 'encryption-key')
  await using serve = startCli(['serve'], { TIDEMARK_DATA_DIR: data, PORT: '0' })
  await serve.says(/Tidemark is running at/)
  const client = await connectTo(data)
  const old = (await readFile(file, 'utf8')).trim()
  await lockKeys(client)
  await writeFile(file, `a new key of the tests,${old}\n`)
  await waitForKeys(client)
  serve.signal('SIGTERM')
  await serve.says(/"msg":"draining"/)
  await client.query('commit')
  await client.end()
  expect(await serve.exited).toBe(0)
  expect(serve.stdout).toContain('the encryption key in the data folder was replaced, and is used')
  expect(serve.stdout).not.toContain('cannot be used')
}, 60_000)

test('a command whose database ends with the server that runs says so in one sentence', async () => {
  await using folder = await temporaryFolder()
  const data = join(folder.path, 'data')
  const environment = { TIDEMARK_DATA_DIR: data, PORT: '0' }
  await using serve = startCli(['serve'], environment)
  await serve.says(/Tidemark is running at/)
  const client = await connectTo(data)
  await lockKeys(client)
  await using rotate = startCli(['admin', 'rotate-key'], environment)
  await waitForKeys(client)
  serve.signal('SIGTERM')
  expect(await rotate.exited).toBe(1)
  expect(rotate.stderr).toBe(
    'tidemark: the database of the server was stopped, or did not answer in time; run this again\n',
  )
  expect(await serve.exited).toBe(0)
}, 60_000)

test('a key file whose read hangs takes five seconds of a stop', async () => {
  await using folder = await temporaryFolder()
  const data = join(folder.path, 'data')
  const file = join(data, 'encryption-key')
  await using serve = startCli(['serve'], { TIDEMARK_DATA_DIR: data, PORT: '0' })
  await serve.says(/Tidemark is running at/)
  await promisify(execFile)('mkfifo', [`${file}.pipe`])
  await rename(`${file}.pipe`, file)
  // It opens when the server reads, and the read waits for a writer that says nothing.
  const writer = await eventually(
    () => open(file, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => null),
    (opened) => opened !== null,
  )
  try {
    serve.signal('SIGTERM')
    await serve.says(/"msg":"stopped"/)
    // The other parts have the rest of the 22 seconds.
    expect(serve.stdout).toContain('"message":"the key file was not read, or its key not noted, in 5000 ms"')
    expect(serve.stdout).toContain('"msg":"could not stop the encryption key cleanly"')
  } finally {
    await writer?.close()
  }
  expect(await serve.exited).toBe(0)
}, 60_000)
