import { open, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { scriptedPage } from '../support/network/scripted-page.ts'
import { openSite } from '../support/network/site.ts'
import { runCli } from '../support/process/cli-process.ts'
import { runHere } from '../support/process/run-here.ts'
import { openRunnerInstallation } from '../support/process/runner-installation.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'
import { shared } from '../support/run/shared.ts'

// Processes and browsers start.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const installation = shared(openRunnerInstallation)

/** Makes a token that is renewed, as the Compose file does. */
function create(job: string, file: string) {
  const args = ['admin', 'create-runner-token', '--job', job, '--renew', '--file', file, '--json']
  return runHere(args, installation.trusted)
}
const created = async (...given: Parameters<typeof create>) => JSON.parse((await create(...given)).stdout) as object

/** The settings of a runner whose token is in a file. */
const kept = (file: string) => ({
  ...installation.runnerEnvironment(''),
  TIDEMARK_RUNNER_TOKEN: '',
  TIDEMARK_RUNNER_TOKEN_FILE: file,
})
async function started(file: string) {
  const runner = installation.start(['runner'], kept(file))
  await runner.says(/Tidemark is rendering for/)
  return runner
}
const textOf = async (file: string) => (await readFile(file, 'utf8')).trim()
const setClock = (offset: string) =>
  installation.rows(`do $$ begin
    execute format('alter database %I set tidemark.clock_offset = %L', current_database(), '${offset}');
  end $$`)
const beat = (token: string) =>
  fetch(`${installation.runnerApiUrl}/runner/heartbeat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{"checks":[]}',
  }).then(({ status }) => status)

test('a token is written into a file for this account, and a second call keeps one that works', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'token')
  expect(await created('filed', file)).toEqual({ job: 'filed', file, created: true })
  const token = await textOf(file)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await created('filed', file)).toEqual({ job: 'filed', file, created: false })
  expect(await textOf(file)).toBe(token)
  await runHere(['admin', 'revoke-runner-token', '--job', 'filed'], installation.trusted)
  expect(await created('filed', file)).toEqual({ job: 'filed', file, created: true })
  expect(await textOf(file)).not.toBe(token)
  // The runner of the file may not be trusted: what it leaves there is not followed.
  const link = join(folder.path, 'link')
  await symlink('/dev/zero', link)
  expect(await created('linked', link)).toMatchObject({ created: true })
  expect(await textOf(link)).toMatch(/^tdr_/)
  const nowhere = await create('nowhere', join(folder.path, 'none', 'token'))
  expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringMatching(/cannot be kept in .* \(ENOENT\); name/)])
  expect(await installation.rows(`select from runner_tokens where job = 'nowhere'`)).toEqual([])
})

test('a token is made and kept in a store that a newer version has migrated', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'token')
  await installation.rows(`insert into migrations (name, checksum) values ('999999-the-future.sql', '')`)
  try {
    expect(await created('rolled-back', file)).toEqual({ job: 'rolled-back', file, created: true })
    expect(await created('rolled-back', file)).toMatchObject({ created: false })
    const others = await runHere(['admin', 'revoke-runner-token', '--job', 'none'], installation.trusted)
    expect([others.code, others.stderr]).toEqual([1, expect.stringContaining('start a newer version')])
  } finally {
    await installation.rows(`delete from migrations where name = '999999-the-future.sql'`)
  }
})

test('a runner renews its token, starts again with it, and its copy ends both with a notice', async () => {
  await using site = await openSite()
  await using folder = await temporaryFolder()
  site.answer(scriptedPage('$7'))
  const file = join(folder.path, 'token')
  await created('renews', file)
  const first = await textOf(file)
  const runner = await started(file)
  await setClock('16 days')
  const second = await eventually(
    () => textOf(file),
    (text) => text !== first,
  )
  expect(await installation.ended(await installation.watch(site.url))).toMatchObject([{ status: 'success' }])
  expect(await beat(first)).toBe(401)
  // Requests that were under way are no theft.
  expect(await beat(second)).toBe(200)
  runner.signal('SIGKILL')
  await runner.exited
  await setClock('40 days')
  const again = await started(file)
  await eventually(
    () => textOf(file),
    (text) => text !== second,
  )
  await again.says(/the runner token was renewed/)
  expect(await beat(first)).toBe(401)
  expect(await again.exited).toBe(77)
  expect(again.stderr).toContain('docker compose up')
  expect(again.stdout + again.stderr).not.toMatch(/tdr_\w/)
  const notices = await installation.rows(`select detail from notice_events where detail ? 'runner_token'`)
  expect(notices).toEqual([{ detail: { runner_token: { job: 'renews' }, waiting_for_browser: true } }])
  expect(await installation.metrics()).toContain('tidemark_runner_tokens_reused_total 1')
  await setClock('0')
})

test('a runner whose token is renewed and has no file that can be replaced says so at its start', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'token')
  await created('unkept', file)
  const given = await runCli(['runner'], installation.runnerEnvironment(await textOf(file)))
  expect([given.code, JSON.parse(given.stderr).msg]).toEqual([1, expect.stringMatching(/TIDEMARK_RUNNER_TOKEN is a/)])
  // Nothing can be created in this folder, not even by root.
  await using handle = await open(file)
  const unwritable = `/proc/${process.pid}/fd/${handle.fd}`
  const readOnly = await runCli(['runner'], kept(unwritable))
  expect(readOnly.code).toBe(1)
  expect(JSON.parse(readOnly.stderr).msg).toMatch(
    /TIDEMARK_RUNNER_TOKEN_FILE names \/proc\/\S+, which cannot be replaced \(\w+\): .* folder that the runner may/,
  )
  await writeFile(file, 'no token\n')
  expect((await runCli(['runner'], kept(file))).code).not.toBe(0)
})
