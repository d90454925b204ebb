import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { type Environment, startShell } from '../support/process/cli-process.ts'
import { runHere } from '../support/process/run-here.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { manifestText } from './remote/manifest-server.ts'

// Some commands are processes, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 120_000 })

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeEach(async () => {
  folder = await temporaryFolder()
})
afterEach(() => folder[Symbol.asyncDispose]())

const HOOK = '  deliveries: [{ type: webhook, urlFrom: { secretKeyRef: { name: chat, key: webhook } } }]\n'

const manifest = (name: string, more?: string, metadata?: string) =>
  manifestText(name, `https://shop.example.com/${name}`, more, metadata)

async function write(file: string, text: string | Buffer): Promise<void> {
  const path = join(folder.path, file)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

/** Validates the folder `monitors`, and returns its paths from there on. */
async function validate(environment: Environment = {}, ...options: readonly string[]) {
  const ended = await runHere(['validate', '-f', join(folder.path, 'monitors'), ...options], environment)
  return { ...ended, stdout: ended.stdout.replaceAll(join(folder.path, 'monitors/'), '') }
}

interface Shown {
  readonly valid: boolean
  readonly manifests: number
  readonly faults: readonly { readonly file: string; readonly line: number; readonly message: string }[]
  readonly warnings: Shown['faults']
}

describe('tidemark validate', () => {
  test('exits with 0 where nothing is wrong', async () => {
    await write('monitors/kettle.yaml', manifest('kettle'))
    expect(await validate()).toEqual({ code: 0, stdout: '1 manifest is valid\n', stderr: '' })
    await write('monitors/more/pot.yml', `${manifest('pot')}---\n${manifest('lamp')}`)
    expect(await validate()).toEqual({ code: 0, stdout: '3 manifests are valid\n', stderr: '' })
  })

  test('warns of a body that looks like JSON and is none, and says of which delivery', async () => {
    const body = '\'{"price": {{fields.price.after}}}\''
    const delivery = `{ type: webhook, service: custom, url: https://api.example.com/, body: ${body} }`
    await write('monitors/kettle.yaml', manifest('kettle', `  deliveries: [${delivery}]\n`))
    const { code, stdout } = await validate()
    expect(code).toBe(0)
    expect(stdout).toMatch(/^kettle\.yaml:\d+:\d+: warning: .*deliveries\[0\]\.body is sent as text.* column 12: /m)
  })

  test('warns of a threshold without a target and of unsent headers, by the keys of manifests', async () => {
    const rank =
      'apiVersion: tidemark.dev/v1\nkind: SerpMonitor\nmetadata: { name: rank }\nspec:\n  name: Rank\n' +
      '  keyword: kettle\n  scheduleIntervalSeconds: 86400\n  rankChangeThreshold: 3\n'
    await write('monitors/rank.yaml', rank)
    await write('monitors/kettle.yaml', manifest('kettle', '  requestHeaders: { Expect: x }\n'))
    const { code, stdout } = await validate()
    expect(code).toBe(0)
    expect(stdout).toMatch(/^kettle\.yaml:\d+:\d+: warning: spec\.requestHeaders names headers that .* "Expect"/m)
    expect(stdout).toMatch(/^rank\.yaml:8:3: warning: spec\.rankChangeThreshold fires nothing without targetDomain/m)
    expect(stdout).toMatch(/\n2 manifests are valid\n$/)
  })

  test('shows every fault of every manifest with file, line, column and path, and exits with 1', async () => {
    const kettle = manifest('kettle', '  labels: {}\n')
      .replace('3600', '5')
      .replace('.price', "'[['")
      .replace('https://shop.example.com/kettle', 'ftp://a')
    await write('monitors/a.yaml', `# A comment\n${kettle}---\n${manifest('pot', '  colour: red\n')}`)
    await write('monitors/b.yaml', manifest('pot'))
    await write('monitors/c.yaml', `${manifest('lamp')}  deliveries: [`)
    await write('monitors/d.yaml', '')
    await write('monitors/e.yaml', Buffer.from([0xff, 0xfe]))
    await symlink('/gone', join(folder.path, 'monitors/f.yaml'))
    const { code, stdout, stderr } = await validate()
    expect([code, stderr]).toEqual([1, ''])
    const places = stdout.split('\n').map((line) => line.replace(/^(\S+: \S+ \S+ \S+).*/, '$1'))
    expect(places.toSorted()).toEqual(
      [
        '',
        '10 faults',
        'e.yaml:1:1: is not UTF-8:',
        'f.yaml:1:1: is not there,',
        'a.yaml:9:3: spec.url must be',
        'a.yaml:10:3: spec.scheduleIntervalSeconds must be',
        'a.yaml:11:43: spec.extractConfig.fields.price is not',
        'a.yaml:13:3: spec.labels is not',
        'a.yaml:26:3: spec.colour is not',
        'b.yaml:4:3: metadata.name is used',
        'c.yaml:12:16: is not YAML:',
        'd.yaml:1:1: is empty: delete',
      ].toSorted(),
    )
  })

  test('a name that is not valid hides no other fault', async () => {
    const odd = manifest('Kettle!').replace('namespace: shop', 'namespace: Shop').replace('3600', '5')
    await write('monitors/a.yaml', odd)
    const { code, stdout } = await validate()
    const lines = stdout.split('\n').map((line) => line.split(' ', 2).join(' '))
    expect([code, lines]).toEqual([
      1,
      [
        'a.yaml:4:3: metadata.name',
        'a.yaml:5:3: metadata.namespace',
        'a.yaml:9:3: spec.scheduleIntervalSeconds',
        '3 faults',
        '',
      ],
    ])
  })

  test('has the spelling of manifests, and refuses that of the API', async () => {
    const waiting = '{ method: css, fields: { price: .price }, wait_for: main }'
    await write(
      'monitors/a.yaml',
      manifest('kettle', '  requestConfig: {}\n  visualConfig: { enabled: true }\n')
        .replace('scheduleIntervalSeconds', 'schedule_interval_seconds')
        .replace('{ method: css, fields: { price: .price } }', waiting),
    )
    await write('monitors/b.yaml', manifest('pot', '  fetch_modes: browser\n  requestHeader: {}\n'))
    const { stdout } = await validate()
    for (const line of [
      'a.yaml:9:3: spec.schedule_interval_seconds is not a known key (did you mean "scheduleIntervalSeconds"?)',
      'a.yaml:10:60: spec.extractConfig.wait_for is not a known key (did you mean "waitFor"?)',
      'b.yaml:12:3: spec.fetch_modes is not a known key (did you mean "fetchMode"?)',
      'b.yaml:13:3: spec.requestHeader is not a known key (did you mean "requestHeaders"?)',
    ])
      expect(stdout).toContain(`${line}\n`)
    expect(stdout).toContain('visualConfig cannot be enabled together with requestConfig: ')
    expect(stdout).not.toMatch(/request_config|visual_config/)
  })

  test('judges as the API does, and not as apply, which leaves to the server what only that can know', async () => {
    const webhook = 'deliveries: [{ type: webhook, url: "https://hooks.example.com/", headers: { Host: a } }]\n'
    await write('monitors/a.yaml', manifest('kettle').replace('https://shop.example.com/kettle', 'http://10.1.2.3/'))
    await write('monitors/b.yaml', manifest('pot', `  ${webhook}`, '  annotations: { tidemark.dev/adopt: kettle }\n'))
    const serp = 'apiVersion: tidemark.dev/v1\nkind: SerpMonitor\nmetadata: { name: rank }\nspec:\n'
    await write('monitors/c.yaml', `${serp}  name: Rank\n  keyword: a\n  scheduleIntervalSeconds: 3600\n  ${webhook}`)
    const { code, stdout } = await validate()
    expect(code).toBe(1)
    expect(stdout).toMatch(/^a\.yaml:8:3: spec\.url .*private/m)
    expect(stdout).toMatch(
      /^b\.yaml:6:18: metadata\.annotations\["tidemark\.dev\/adopt"\] must be the id of a monitor/m,
    )
    for (const [file, line] of ['b.yaml:13', 'c.yaml:8'].map((at) => at.split(':')))
      expect(stdout).toMatch(new RegExp(`^${file}:${line}:\\d+: spec\\.deliveries\\[0\\]\\.headers\\.Host `, 'm'))
    const allowed = await validate({ TIDEMARK_ALLOW_PRIVATE_CIDRS: '10.0.0.0/8' })
    expect(allowed.stdout).not.toContain('a.yaml')
  })

  test('a missing Secret is a fault at its reference, and hides no other one', async () => {
    await write('monitors/a.yaml', manifest('kettle', HOOK).replace('3600', '5'))
    const { code, stdout } = await validate()
    expect(code).toBe(1)
    expect(stdout).toMatch(/^a\.yaml:9:3: spec\.scheduleIntervalSeconds must be at least 60$/m)
    expect(stdout).toMatch(
      /^a\.yaml:12:44: spec\.\S+\.secretKeyRef: the Secret shop\/chat has no value .*SECRET_CHAT_WEBHOOK$/m,
    )
    expect(stdout).toContain('\n2 faults\n')
    await write('monitors/a.yaml', manifest('kettle', HOOK))
    expect((await validate()).code).toBe(1)
    expect((await validate({}, '--cluster-secrets')).code).toBe(0)
    expect((await validate({ SECRET_CHAT_WEBHOOK: 'https://hooks.example.com/a' })).code).toBe(0)
    // What a Secret has is judged too.
    const bad = await validate({ SECRET_CHAT_WEBHOOK: 'ftp://hooks.example.com/a' })
    expect([bad.code, bad.stdout]).toEqual([
      1,
      expect.stringMatching(/^a\.yaml:12:33: spec\.deliveries\[0\]\.url must/),
    ])
    const secret = 'apiVersion: v1\nkind: Secret\nmetadata: { name: chat, namespace: shop }\nstringData:\n'
    await write('secrets.yaml', `${secret}  webhook: https://hooks.example.com/a\n`)
    expect((await validate({}, '--secrets', join(folder.path, 'secrets.yaml'))).code).toBe(0)
  })

  test('a namespace that is none, or that no Namespace beside the manifests has, is named', async () => {
    const namespace = (name: string, labels = '') =>
      `apiVersion: v1\nkind: Namespace\nmetadata: { name: ${name}${labels} }\n---\n`
    const team = ', labels: { tidemark.dev/team: 6b1c4f0e-9d0c-4c5e-8a5b-0d4a3b2c1f00 }'
    const odd = manifest('kettle').replace('namespace: shop', 'namespace: Shop')
    await write('monitors/a.yaml', odd)
    expect((await validate()).stdout).toMatch(/^a\.yaml:5:3: metadata\.namespace must have/)
    await write('monitors/a.yaml', namespace('shop', team) + manifest('kettle'))
    expect(await validate()).toMatchObject({ code: 0, stdout: '1 manifest is valid\n', stderr: '' })
    await write('monitors/a.yaml', namespace('shop', team) + manifest('kettle').replace(': shop', ': shpo'))
    expect(await validate()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^a\.yaml:9:3: warning: metadata\.namespace is shpo.*did you mean "shop"/),
    })
    await write('monitors/a.yaml', namespace('shop') + manifest('kettle'))
    expect((await validate()).stdout).toMatch(/^a\.yaml:1:1: warning: .* belong to no team unless --default-team/)
    await write('monitors/a.yaml', namespace('shop', ', labels: { tidemark.dev/team: shop }') + manifest('kettle'))
    expect(await validate()).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^a\.yaml:3:35: metadata\.labels\["tidemark\.dev\/team"\] must be the id of a team/,
      ),
    })
  })

  test('gives programs the same as JSON and YAML', async () => {
    await write('monitors/a.yaml', manifest('kettle').replace('3600', '5'))
    const file = join(folder.path, 'monitors/a.yaml')
    const path = 'spec.scheduleIntervalSeconds'
    const faults = [{ file, line: 9, column: 3, path, message: `${path} must be at least 60` }]
    const expected = { valid: false, manifests: 1, faults, warnings: [] } satisfies Shown
    const json = await validate({}, '--json')
    expect([json.code, JSON.parse(json.stdout.replaceAll('"a.yaml"', JSON.stringify(file)))]).toEqual([1, expected])
    const yaml = await runHere(['validate', '-f', file, '-o', 'yaml'])
    expect([yaml.code, parse(yaml.stdout)]).toEqual([1, expected])
  })

  test('takes several files, and standard input', async () => {
    await write('a.yaml', manifest('kettle'))
    await write('b.yaml', manifest('kettle'))
    const both = await runHere(['validate', '-f', join(folder.path, 'a.yaml'), '-f', join(folder.path, 'b.yaml')])
    expect([both.code, both.stdout]).toEqual([1, expect.stringMatching(/b\.yaml:4:3: metadata\.name is used twice: /)])
    const line = `./tidemark validate -f - < ${join(folder.path, 'a.yaml')}`
    await using piped = startShell(line)
    expect([await piped.exited, piped.stdout]).toEqual([0, '1 manifest is valid\n'])
  })

  test.each([
    [[], 'say what to read'],
    [['-f', 'nothing'], 'nothing does not exist'],
    [['-f', 'package.json', '-o', 'name'], 'validate has no name'],
    [['-f', 'LICENSE', '--colour'], 'unknown option'],
  ])('a command line that is not valid ends with 2: %j', async (words, message) => {
    const { code, stdout, stderr } = await runHere(['validate', ...words])
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)])
  })

  test('an input without a monitor ends with 2', async () => {
    await write('monitors/a.yaml', '# nothing\n')
    expect(await validate()).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no Monitor') })
  })
})
