import { readdir, symlink } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { AS_PROCESSES } from '../../support/process/command-host.ts'
import { HOOK, type ManifestServer, secretOf, startManifestServer } from './manifest-server.ts'
import { startProxy } from './remote-server.ts'

// Some commands are processes, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 120_000 })

let remote: ManifestServer
beforeAll(async () => {
  remote = await startManifestServer()
}, 60_000)
beforeEach(() => remote.clear())
afterAll(() => remote[Symbol.asyncDispose]())

/** An error of the API. */
interface Refusal {
  readonly status: number
  readonly error: { readonly code: string; readonly message: string; readonly details?: readonly object[] }
  readonly headers?: Readonly<Record<string, string>>
}

function refuse(answer: ServerResponse, { status, error, headers = {} }: Refusal): true {
  answer.writeHead(status, headers).end(JSON.stringify({ error: { ...error, requestId: 'x' } }))
  return true
}

test('an apply that is cut counts what was done, and prints it as JSON', async () => {
  for (const name of ['a', 'c', 'd']) await remote.write(`monitors/${name}.yaml`, remote.manifest(name))
  await remote.write('monitors/b.yaml', remote.manifest('b').replace(remote.site.url, 'http://10.1.2.3/'))
  let creations = 0
  await using proxy = await startProxy(remote, ({ method }, answer) => {
    if (method === 'POST') creations += 1
    return creations > 3 && refuse(answer, { status: 403, error: { code: 'FORBIDDEN', message: 'Not today.' } })
  })
  const { code, stdout, stderr } = await remote.sh('./tidemark apply -f monitors --json', proxy.environment)
  expect(code).toBe(77)
  expect(JSON.parse(stdout)).toMatchObject([{ external_key: 'shop/a' }, { external_key: 'shop/c' }])
  expect(stderr).toContain(
    '2 of 4 were applied before. Not applied, or not known to be:\n  monitor shop/b\n  monitor shop/d\n',
  )
})

test.each(['{"ok":true}', 'null', '{"data":[]}'])('diff against another service exits with 2: %s', async (text) => {
  await remote.write('monitors/a.yaml', remote.manifest('kettle'))
  await using proxy = await startProxy(remote, (_, answer) => (answer.end(text), true))
  const { code, stdout, stderr } = await remote.sh('./tidemark diff -f monitors', proxy.environment)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain('is not the address of a Tidemark API')
  expect(stderr).not.toContain('    at ')
})

test('faults of manifests are in the order of the files and lines', async () => {
  const flawed = remote
    .manifest('kettle', HOOK)
    .replace('name: kettle', 'name: Kettle')
    .replace('spec:', 'spec:\n  a: 1')
  for (const file of ['a', 'b']) await remote.write(`monitors/${file}.yaml`, `${flawed}---\nkind: Monitor\n`)
  for (const command of ['apply', 'diff']) {
    const { code, stderr } = await remote.sh(`./tidemark ${command} -f monitors`)
    const places = Array.from(
      stderr.matchAll(/(\w)\.yaml:(\d+) /g),
      ([, file = '', line]) => [file, Number(line)] as const,
    )
    expect([code, new Set(places.map(([file]) => file))]).toEqual([2, new Set(['a', 'b'])])
    expect(places.length).toBeGreaterThanOrEqual(8)
    expect(places).toEqual(places.toSorted(([a, one], [b, other]) => a.localeCompare(b) || one - other))
  }
})

test('a server that goes away in mid-apply: what was done is said, and the next apply finishes', async () => {
  for (const name of ['a', 'b', 'c', 'd']) await remote.write(`monitors/${name}.yaml`, remote.manifest(name))
  let creations = 0
  // After the second creation it takes the answer away, and answers nobody any more.
  await using proxy = await startProxy(
    remote,
    ({ method }, answer) => {
      if (method === 'POST') creations += 1
      if (creations > 2) answer.destroy()
      return creations > 2
    },
    () => creations === 2 && ++creations > 2,
  )
  const cut = await remote.sh('./tidemark apply -f monitors', proxy.environment)
  expect(cut.code).toBe(69)
  expect(cut.stdout).toContain('created monitor shop/a\n')
  expect(cut.stderr).toContain('1 of 4 were applied before. Not applied, or not known to be:\n  monitor shop/b\n')
  expect(cut.stderr).toContain('  monitor shop/d\nApply again')
  expect(await remote.sh('./tidemark apply -f monitors')).toMatchObject({ code: 0 })
  const keys = (await remote.list()).map(({ external_key: key }) => key)
  expect(new Set(keys)).toEqual(new Set(['shop/a', 'shop/b', 'shop/c', 'shop/d']))
  expect(keys).toHaveLength(4)
})

test('a key without the scope write reads the diff, and applies nothing', async () => {
  await remote.write(
    'monitors/a.yaml',
    `${remote.manifest('kettle', HOOK)}---\n${secretOf('https://hooks.example.com/s3cret')}`,
  )
  await remote.sh('./tidemark apply -f monitors')
  const admin = { DATABASE_URL: remote.databaseUrl, TIDEMARK_ENCRYPTION_KEY: 'the encryption key of a test' }
  const line = './tidemark admin create-key --email owner@tidemark.local --name reader --scope read --json'
  const { key } = JSON.parse((await remote.sh(line, admin)).stdout) as { key: string }
  const reader = { TIDEMARK_API_KEY: key }
  expect(await remote.sh('./tidemark diff -f monitors', reader)).toMatchObject({ code: 0 })
  await remote.write('monitors/b.yaml', remote.manifest('pot'))
  const { code, stderr } = await remote.sh('./tidemark apply -f monitors', reader)
  expect([code, stderr]).toEqual([77, expect.stringMatching(/scope read does not allow .*\n.*0 of 1/)])
})

test('a monitor that is suspended from the start begins no run', async () => {
  const fetched = Promise.withResolvers<void>()
  let requests = 0
  const url = remote.site.page('/asleep', (answer) => {
    requests += 1
    fetched.resolve()
    answer.end('<p class="price">$1</p>')
  })
  await remote.write('monitors/a.yaml', remote.manifest('asleep', '  suspend: true\n').replace(remote.site.url, url))
  await remote.write('monitors/b.yaml', remote.manifest('awake'))
  // Whoever pauses it after its creation comes too late.
  await using proxy = await startProxy(remote, async ({ url: path = '' }) => {
    if (path.endsWith('/pause')) await fetched.promise
    return false
  })
  expect(await remote.sh('./tidemark apply -f monitors', proxy.environment)).toMatchObject({ code: 0, stderr: '' })
  await remote.sh('./tidemark run shop/awake --wait')
  const asleep = (await remote.list()).find(({ external_key: key }) => key === 'shop/asleep')
  expect(asleep).toMatchObject({ status: 'paused' })
  expect(await remote.ask('GET', `/v1/monitors/${asleep?.id}/runs`)).toMatchObject({ data: [] })
  expect(requests).toBe(0)
  expect(await remote.sh('./tidemark diff -f monitors')).toMatchObject({ code: 0 })
})

test('where nobody reads what it prints, apply goes on to its end', async () => {
  for (const name of ['a', 'b', 'c', 'd']) await remote.write(`monitors/${name}.yaml`, remote.manifest(name))
  let creations = 0
  await using proxy = await startProxy(remote, ({ method }) => {
    if (method === 'POST') creations += 1
    return false
  })
  await remote.sh('./tidemark apply -f monitors 2>&1 | head -n 1', { ...proxy.environment, ...AS_PROCESSES })
  expect([creations, (await remote.list()).length]).toEqual([4, 4])
})

test('Ctrl-C ends an apply between two changes, and it says what was done', async () => {
  for (const name of ['a', 'b', 'c']) await remote.write(`monitors/${name}.yaml`, remote.manifest(name))
  const asked = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  let creations = 0
  await using proxy = await startProxy(remote, async ({ method }) => {
    if (method === 'POST' && ++creations === 2) {
      asked.resolve()
      await goOn.promise
    }
    return false
  })
  await using apply = remote.start('exec ./tidemark apply -f monitors', proxy.environment)
  await asked.promise
  apply.signal('SIGINT')
  await apply.complains(/ending after the change that is under way/)
  goOn.resolve()
  expect(await apply.exited).toBe(130)
  expect(apply.stderr).toContain('2 of 3 were applied before. Not applied, or not known to be:\n  monitor shop/c\n')
  expect(apply.stdout).toContain('created monitor shop/b\n')
  expect(await remote.list()).toHaveLength(2)
})

test('a creation that the server has not ended yet is asked for again, and made once', async () => {
  await remote.write('monitors/a.yaml', remote.manifest('a'))
  let creations = 0
  await using proxy = await startProxy(remote, ({ method }, answer) => {
    if (method !== 'POST' || ++creations > 1) return false
    const error = { code: 'CONFLICT', message: 'A request with this Idempotency-Key is under way.' }
    return refuse(answer, { status: 409, error, headers: { 'retry-after': '1' } })
  })
  expect(await remote.sh('./tidemark apply -f monitors', proxy.environment)).toMatchObject({ code: 0, stderr: '' })
  expect([creations, (await remote.list()).length]).toEqual([2, 1])
})

test('a server of an earlier version that does not know a key: file, line and both versions are said', async () => {
  await remote.write('monitors/a.yaml', remote.manifest('a'))
  await using proxy = await startProxy(remote, ({ method }, answer) => {
    if (method !== 'POST') return false
    const details = [{ path: 'diff_predicate.type', message: 'is not known' }]
    const error = { code: 'VALIDATION_ERROR', message: 'The body is not valid.', details }
    return refuse(answer, { status: 422, error, headers: { 'tidemark-version': '0.0.9' } })
  })
  const { code, stderr } = await remote.sh('./tidemark apply -f monitors', proxy.environment)
  expect(code).toBe(1)
  expect(stderr).toMatch(
    /monitors\/a\.yaml:11 spec\.diffPredicate\.type is not known\nThis command is version .* 0\.0\.9/,
  )
})

describe('files as other programs write them', () => {
  test('with CRLF and a mark of the byte order mean the same', async () => {
    const crlf = `\ufeff${remote.manifest('a')}---\n\ufeff${remote.manifest('b')}`.replaceAll('\n', '\r\n')
    await remote.write('monitors/a.yaml', crlf)
    const runs = ['-f monitors', '-f monitors/a.yaml', '-f - < monitors/a.yaml'].map((how) => `./tidemark diff ${how}`)
    for (const line of runs)
      expect(await remote.sh(line)).toMatchObject({
        code: 1,
        stderr: '',
        stdout: '+ create monitor shop/a\n+ create monitor shop/b\n',
      })
  })

  test('in another encoding are refused, and no letter is replaced', async () => {
    await remote.write('monitors/a.yaml', Buffer.from(remote.manifest('a').replace('The a', 'Caf\u00e9'), 'latin1'))
    for (const how of ['-f monitors', '-f monitors/a.yaml', '-f - < monitors/a.yaml']) {
      const { code, stderr } = await remote.sh(`./tidemark apply ${how}`)
      expect([code, stderr]).toEqual([2, expect.stringContaining('is not UTF-8')])
    }
    expect(await remote.list()).toEqual([])
  })

  test('a link that leads nowhere is named, and one that leads back is no second folder', async () => {
    await remote.write('monitors/a.yaml', remote.manifest('a'))
    const folder = join(remote.folder, 'monitors')
    await symlink('.', join(folder, 'again'))
    await symlink('..', join(folder, 'monitors'))
    await symlink('.', join(folder, 'once-more'))
    expect(await remote.sh('./tidemark diff -f monitors')).toMatchObject({
      code: 1,
      stdout: '+ create monitor shop/a\n',
    })
    await symlink('nothing.yaml', join(folder, 'b.yaml'))
    const { code, stderr } = await remote.sh('./tidemark diff -f monitors')
    expect([code, stderr]).toEqual([2, expect.stringMatching(/\n {2}monitors\/b\.yaml:1 is not there, or leads to/)])
  })
})

test('a name with dots is exported with its name, to a file of its own, and applied without a difference', async () => {
  await remote.write('monitors/a.yaml', remote.manifest('blue.kettle'))
  await remote.sh('./tidemark apply -f monitors')
  const { code, stdout } = await remote.sh('./tidemark export --dir out && ./tidemark diff -f out')
  expect([code, stdout]).toEqual([0, 'out/shop.blue.kettle.monitor.yaml\nNothing differs: 1 unchanged.\n'])
  const other = remote
    .manifest('kettle')
    .replace('namespace: shop', 'namespace: default')
    .replace('name: kettle', 'name: shop.urn')
  await remote.write('monitors/b.yaml', `${other}---\n${remote.manifest('urn')}`)
  await remote.sh('./tidemark apply -f monitors')
  const both = await remote.sh('./tidemark export --dir both')
  expect([both.code, both.stderr]).toEqual([1, expect.stringContaining('would be the file of two monitors')])
  expect((await readdir(join(remote.folder, 'both'))).length).toBeGreaterThan(0)
})

test('a monitor in the file of --secrets is a fault, and so is an adopt of what is no id', async () => {
  await remote.write('monitors/a.yaml', remote.manifest('a'))
  await remote.write('secrets.yaml', `${secretOf('https://hooks.example.com/a')}---\n${remote.manifest('b')}`)
  const misplaced = await remote.sh('./tidemark diff -f monitors --secrets secrets.yaml')
  expect([misplaced.code, misplaced.stderr]).toEqual([2, expect.stringContaining('secrets.yaml:6 is a Monitor, and')])
  for (const id of ['', 'kettle']) {
    const adopting = remote
      .manifest('a')
      .replace('namespace: shop', `namespace: shop\n  annotations: { tidemark.dev/adopt: '${id}' }`)
    await remote.write('monitors/a.yaml', adopting)
    const { code, stderr } = await remote.sh('./tidemark apply -f monitors')
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`a.yaml:1 adopts "${id}", and there is no such monitor`),
    ])
  }
})

test('a name that looks like a mask does not hide the change of a secret', async () => {
  const named = remote.manifest('kettle', HOOK).replace('The kettle', "'********'")
  await remote.write('monitors/a.yaml', `${named}---\n${secretOf('https://hooks.example.com/old')}`)
  await remote.sh('./tidemark apply -f monitors')
  await remote.write('monitors/a.yaml', `${named}---\n${secretOf('https://hooks.example.com/new')}`)
  expect(await remote.sh('./tidemark diff -f monitors')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('with another value behind the mask'),
  })
})
