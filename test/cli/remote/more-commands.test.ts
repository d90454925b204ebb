import { chmod, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import { AS_PROCESSES } from '../../support/process/command-host.ts'
import { type RemoteServer, startRemoteServer } from './remote-server.ts'

// Some commands are processes, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 120_000 })

let remote: RemoteServer
beforeAll(async () => {
  remote = await startRemoteServer()
  await remote.watch('kettle')
}, 60_000)
afterAll(() => remote[Symbol.asyncDispose]())

const NO_ENVIRONMENT = { TIDEMARK_URL: '', TIDEMARK_API_KEY: '' }

describe('login', () => {
  const profiles = () => join(remote.folder, '.config/tidemark/profiles.json')
  beforeAll(async () => {
    const { base, key } = remote
    await remote.sh(`echo ${key} | ./tidemark login ${base}`, NO_ENVIRONMENT)
  })

  test('a file that others could read is for this account alone after the next login', async () => {
    await chmod(profiles(), 0o644)
    const { base, key } = remote
    const open = await remote.sh('./tidemark get', NO_ENVIRONMENT)
    expect([open.code, open.stderr]).toEqual([
      0,
      `tidemark: other accounts can open ${profiles()}, which has your keys: chmod 600 ${profiles()}\n`,
    ])
    expect(await remote.sh(`echo ${key} | ./tidemark login ${base}`, NO_ENVIRONMENT)).toMatchObject({ code: 0 })
    expect(((await stat(profiles())).mode & 0o777).toString(8)).toBe('600')
    expect(await remote.sh('./tidemark get', NO_ENVIRONMENT)).toMatchObject({ code: 0, stderr: '' })
  })

  test('several logins have names: the last one holds, another one by its name or the environment', async () => {
    const { base, key } = remote
    const away = { default: { url: 'http://127.0.0.1:1', key }, work: { url: base, key } }
    await writeFile(profiles(), JSON.stringify({ current: 'default', profiles: away }))
    expect((await remote.sh('./tidemark get', NO_ENVIRONMENT)).code).not.toBe(0)
    expect(await remote.sh('./tidemark get --profile work', NO_ENVIRONMENT)).toMatchObject({ code: 0 })
    expect(await remote.sh('./tidemark get', { ...NO_ENVIRONMENT, TIDEMARK_PROFILE: 'work' })).toMatchObject({
      code: 0,
    })
    const listed = await remote.sh('./tidemark profiles', NO_ENVIRONMENT)
    expect(listed.stdout).toMatch(/^work +http/m)
    expect(listed.stdout).not.toContain(key)
    expect(await remote.sh('./tidemark logout', NO_ENVIRONMENT)).toMatchObject({ code: 0 })
    const none = await remote.sh('./tidemark get', NO_ENVIRONMENT)
    expect(none).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('call ./tidemark login') })
    const unknown = await remote.sh('./tidemark get --profile home', NO_ENVIRONMENT)
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('no profile home; there are work') })
  })

  test('login and logout print JSON and names for programs', async () => {
    const { base, key } = remote
    const login = `echo ${key} | ./tidemark login ${base} --profile ci`
    const made = await remote.sh(`${login} --json`, NO_ENVIRONMENT)
    expect(JSON.parse(made.stdout)).toEqual({ name: 'ci', url: base, plan: 'unlimited', file: profiles() })
    const names = await remote.sh(`${login} -o name; ./tidemark logout --profile ci -o name`, NO_ENVIRONMENT)
    expect(names).toMatchObject({ code: 0, stdout: 'ci\nci\n' })
  })
})

describe('get', () => {
  test('colours the status on a terminal, unless NO_COLOR is set', async () => {
    const terminal = (setting: string) => remote.sh(`script -qec 'TERM=xterm ${setting} ./tidemark get' /dev/null`)
    expect((await terminal('')).stdout).toContain('\u001b[32mactive\u001b[39m')
    expect((await terminal('NO_COLOR=1')).stdout).toMatch(/active {2}/)
    expect((await terminal('NO_COLOR=1')).stdout).not.toContain('\u001b')
  })

  test('a reader that stops after the first line is no error', async () => {
    const { stderr } = await remote.sh('./tidemark get --json | head -1; ./tidemark get -o wide | true', AS_PROCESSES)
    expect(stderr).toBe('')
  })

  test('a part of a name finds nothing, and the names with it are shown', async () => {
    const { code, stderr } = await remote.sh('./tidemark get kett')
    expect([code, stderr]).toEqual([1, 'tidemark: there is no monitor "kett"; did you mean "kettle"?\n'])
  })

  test('a name that two monitors have is refused with their ids', async () => {
    const ids = [await remote.watch('twin'), await remote.watch('twin')]
    const { code, stderr } = await remote.sh('./tidemark pause twin')
    expect(code).toBe(1)
    for (const id of ids) expect(stderr).toContain(`monitor/${id}`)
    expect(await remote.sh(`./tidemark delete ${ids.join(' ')}`)).toMatchObject({
      code: 0,
      stdout: 'monitor twin deleted\nmonitor twin deleted\n',
    })
  })

  test('a name with control characters cannot move the cursor of a terminal', async () => {
    const id = await remote.watch('red \u001b[31m\u009b1m pot')
    for (const form of ['table', 'json', 'yaml', 'wide']) {
      const { stdout } = await remote.sh(`./tidemark get -o ${form}; ./tidemark describe ${id}`)
      expect(stdout).toContain('pot')
      expect(stdout).not.toMatch(/[\u001b\u009b]/)
    }
    const { stdout } = await remote.sh(`./tidemark get ${id} -o yaml; ./tidemark get ${id} --json`)
    const [yaml = '', json = ''] = stdout.split(/^(?=\{)/m)
    for (const shown of [parse(yaml), JSON.parse(json)])
      expect(shown).toMatchObject({ name: 'red \u001b[31m\u009b1m pot' })
    await remote.ask('DELETE', `/v1/monitors/${id}`)
  })

  test.each(['get --json', 'pause kettle', 'resume kettle', 'completion bash'])(
    'a full disk behind %s is said, and the command fails',
    async (line) => {
      const { code, stderr } = await remote.sh(`./tidemark ${line} > /dev/full`)
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/^tidemark: standard output cannot be written \(ENOSPC\)/),
      ])
    },
  )
})

test('one monitor that billing has locked does not keep the others from it', async () => {
  const ids = [await remote.watch('locked'), await remote.watch('open')]
  await changeMonitors(remote, ids[0] ?? '', { locked: true })
  const { code, stdout, stderr } = await remote.sh('./tidemark pause locked open')
  expect([code, stdout]).toEqual([77, 'monitor open paused\n'])
  expect(stderr).toContain('locked by billing cannot be paused')
  expect(await remote.sh(`./tidemark delete ${ids.join(' ')}`)).toMatchObject({ code: 0 })
})

test('a server refuses a key without the scope write: 77, with the scope', async () => {
  const admin = { DATABASE_URL: remote.databaseUrl, TIDEMARK_ENCRYPTION_KEY: 'the encryption key of a test' }
  const args = 'create-key --email owner@tidemark.local --name reader --scope read --json'
  const made = await remote.sh(`./tidemark admin ${args}`, admin)
  expect(made).toMatchObject({ code: 0, stderr: '' })
  const { key } = JSON.parse(made.stdout) as { key: string }
  const reader = { TIDEMARK_API_KEY: key }
  expect(await remote.sh('./tidemark get kettle', reader)).toMatchObject({ code: 0 })
  const { code, stderr } = await remote.sh('./tidemark pause kettle', reader)
  expect([code, stderr]).toEqual([77, expect.stringMatching(/scope read does not allow you to .*the key of/)])
})
