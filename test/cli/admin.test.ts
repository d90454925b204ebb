import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli, startCli } from './cli-process.ts'
import { temporaryFolder } from './temporary-folder.ts'

const EMAIL = 'me@example.com'

test('while the server runs on its embedded database, commands change its accounts, keys and plans', async () => {
  await using folder = await temporaryFolder()
  const environment = { TIDEMARK_DATA_DIR: join(folder.path, 'data'), PORT: '0', TIDEMARK_OWNER_EMAIL: EMAIL }
  await using serve = startCli(['serve'], environment)
  const [banner = '', base = ''] = await serve.says(/Tidemark is running at (http:\S+)\n[\s\S]*\n\n/)
  expect(banner).toMatch(/E-mail\s+me@example\.com\n/)
  expect(banner).not.toContain('set-email')
  const admin = async (command: string, ...options: string[]) => {
    const { code, stdout, stderr } = await runCli(['admin', command, ...options, '--json'], environment)
    return code === 0 ? JSON.parse(stdout) : { code, stderr }
  }
  const ask = (path: string, key: string) => fetch(`${base}${path}`, { headers: { authorization: `Bearer ${key}` } })
  const post = (path: string, body: object) =>
    fetch(`${base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: base },
      body: JSON.stringify(body),
    })

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
  expect(nobody.stderr).not.toMatch(/^\s+at /m)

  serve.signal('SIGTERM')
  expect(await serve.exited).toBe(0)
  expect(await admin('list-keys', '--email', 'ada@example.com')).toMatchObject({ keys: [{ name: 'First key' }] })
}, 120_000)

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
      const { code, stdout, stderr } = await runCli(['admin', ...args], { TIDEMARK_DATA_DIR: dataDir })
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
