import { execFile } from 'node:child_process'
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type RemoteServer, startRemoteServer } from './remote-server.ts'

// Some commands are processes, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 120_000 })

const NO_ENVIRONMENT = { TIDEMARK_URL: '', TIDEMARK_API_KEY: '' }
const GRACE = 'grace@example.com'
const PASSWORD = ' kettles and fog '

let remote: RemoteServer
let settings: Record<string, string>
const sh = (lines: string) => remote.sh(lines, NO_ENVIRONMENT)
const profiles = () => join(remote.folder, '.config/tidemark/profiles.json')

beforeAll(async () => {
  remote = await startRemoteServer()
  settings = { DATABASE_URL: remote.databaseUrl, TIDEMARK_ENCRYPTION_KEY: 'the encryption key of a test' }
  await remote.watch('kettle')
  await writeFile(join(remote.folder, 'password.txt'), `${PASSWORD}\n`)
  await writeFile(join(remote.folder, 'owner.txt'), remote.password)
  await remote.sh(`./tidemark admin create-owner --email ${GRACE} --password '${PASSWORD}'`, settings)
}, 120_000)
afterAll(() => remote[Symbol.asyncDispose]())

test('login with an address reads the password from standard input, and keeps the session alone', async () => {
  const done = await sh(`./tidemark login ${remote.base} --email ${GRACE} < password.txt`)
  expect(done).toMatchObject({ code: 0, stderr: '' })
  expect(done.stdout).toContain(`Logged in to ${remote.base} as ${GRACE}, to a team on the plan`)
  expect(await readFile(profiles(), 'utf8')).not.toContain(PASSWORD.trim())
  expect((await sh('./tidemark profiles')).stdout).toMatch(new RegExp(`^default +yes +http\\S+ +${GRACE}$`, 'm'))
  // A person in one team alone has nothing to be told.
  expect(await sh('./tidemark get')).toMatchObject({ code: 0, stderr: 'There are no monitors.\n' })
})

test('the session is there for other programs, and opens what a key does not', async () => {
  const { stdout } = await sh('./tidemark token')
  const asking = (token: string) =>
    fetch(`${remote.base}/v1/billing`, { headers: { authorization: `Bearer ${token}` } })
  expect((await asking(stdout.trim())).status).toBe(200)
  expect((await asking(remote.key)).status).toBe(403)
})

test('a terminal asks for the password, and does not show it', async () => {
  const fifo = join(remote.folder, 'typed')
  await promisify(execFile)('mkfifo', [fifo])
  const line = `./tidemark login ${remote.base} --email ${GRACE} --profile typed`
  // The shell holds the other end as well, so that nothing ends before something was typed.
  await using terminal = remote.start(`exec 3<>typed; exec script -qec '${line}' /dev/null <&3`, NO_ENVIRONMENT)
  await terminal.says(new RegExp(`Password of ${GRACE} for ${remote.base}: `))
  await appendFile(fifo, `${PASSWORD}\r`)
  expect(await terminal.exited).toBe(0)
  expect(terminal.stdout).toContain(`as ${GRACE}`)
  expect(terminal.stdout).not.toContain(PASSWORD.trim())
})

test.each([
  [
    'a wrong password',
    'echo wrong',
    GRACE,
    77,
    `refuses the address or the password; "./tidemark admin link --email ${GRACE}" on the server prints a link`,
  ],
  ['an address without an account', 'echo wrong', 'nobody@example.com', 77, 'refuses the address or the password'],
  ['no password', 'true', GRACE, 2, 'there is no password: write it to standard input'],
  ['an address that is none', 'echo wrong', 'grace', 1, 'email'],
])('%s is refused, and changes no file', async (_, before, email, code, reason) => {
  const stored = await readFile(profiles(), 'utf8')
  const refused = await sh(`${before} | ./tidemark login ${remote.base} --email ${email}`)
  expect(refused).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(reason) })
  expect(await readFile(profiles(), 'utf8')).toBe(stored)
})

test('the password is no argument', async () => {
  const { stdout } = await sh('./tidemark login --help')
  expect(stdout).not.toMatch(/--password/)
  expect(stdout).toContain('./tidemark login --email owner@tidemark.local')
})

test('the first command of a new member says in which team they are and how to switch, once', async () => {
  const login = `./tidemark login ${remote.base} --email`
  await sh(`${login} owner@tidemark.local --profile owner < owner.txt`)
  const { stdout: session } = await sh('./tidemark token --profile owner')
  const invited = await fetch(`${remote.base}/v1/team/members/invite`, {
    method: 'POST',
    headers: { authorization: `Bearer ${session.trim()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: GRACE, role: 'viewer' }),
  })
  expect(invited.status).toBe(201)
  const links = await remote.sh(`./tidemark admin link --email ${GRACE} --json`, settings)
  const { invitations } = JSON.parse(links.stdout) as { invitations: { token: string }[] }
  const { stdout: hers } = await sh('./tidemark token --profile default')
  const accepted = await fetch(`${remote.base}/v1/team/accept`, {
    method: 'POST',
    headers: { authorization: `Bearer ${hers.trim()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ token: invitations[0]?.token }),
  })
  expect(accepted.status).toBe(200)

  // A sign-in acts for her own team, which has no monitor.
  await sh(`${login} ${GRACE} --profile member < password.txt`)
  const json = await sh('./tidemark get -o json')
  expect(json).toEqual({ code: 0, stdout: '[]\n', stderr: '' })
  const first = await sh('./tidemark get')
  const line =
    `You act for the team Team of grace of ${GRACE}, as owner. You are in 2 teams: "./tidemark teams" lists them, ` +
    '"./tidemark switch <team>" changes it.\n'
  expect(first.stderr).toBe(`${line}There are no monitors.\n`)
  expect((await sh('./tidemark get')).stderr).toBe('There are no monitors.\n')

  const teams = JSON.parse((await sh('./tidemark teams --json')).stdout) as { name: string; active: boolean }[]
  const theirs = teams.find(({ active }) => !active)?.name ?? ''
  expect((await sh('./tidemark teams')).stdout).toMatch(/^NAME +ACTIVE +ROLE +OWNER\n/)
  const switched = await sh(`./tidemark switch '${theirs}'`)
  expect(switched).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(`${theirs} now, as viewer`) })
  expect((await sh('./tidemark get')).stdout).toMatch(/^kettle +active/m)
  const unknown = await sh('./tidemark switch nowhere')
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('you are in no team "nowhere"; yours are') })
  expect(await remote.sh('./tidemark teams')).toMatchObject({
    code: 77,
    stderr: expect.stringContaining('./tidemark login --email'),
  })
})

test('logout ends the session; a command with a session that has ended says how to sign in again', async () => {
  const { stdout: session } = await sh('./tidemark token --profile typed')
  const kept = JSON.parse(await readFile(profiles(), 'utf8')) as { profiles: Record<string, object> }
  expect((await sh('./tidemark logout --profile typed')).stdout).toContain('Its session has ended.')
  const usage = await fetch(`${remote.base}/v1/usage`, { headers: { authorization: `Bearer ${session.trim()}` } })
  expect(usage.status).toBe(401)
  await writeFile(profiles(), JSON.stringify(kept))
  expect(await sh('./tidemark get --profile typed')).toMatchObject({
    code: 77,
    stderr: expect.stringContaining(`call ./tidemark login ${remote.base} --email ${GRACE}`),
  })
  expect(await sh('./tidemark logout --profile typed')).toMatchObject({ code: 0, stderr: '' })
})

test('logout forgets a login whose server is away, and says that the session is still valid', async () => {
  const kept = JSON.parse(await readFile(profiles(), 'utf8')) as { profiles: Record<string, { url: string }> }
  const away = { ...kept.profiles['member'], url: 'http://127.0.0.1:1' }
  await writeFile(profiles(), JSON.stringify({ current: null, profiles: { away } }))
  const done = await sh('./tidemark logout --profile away')
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('still valid') })
  expect(done.stderr).toContain('the session could not be ended')
  expect((await sh('./tidemark profiles -o name')).stdout).toBe('')
})
