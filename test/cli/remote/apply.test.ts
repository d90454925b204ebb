import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import { HOOK, type ManifestServer, secretOf, startManifestServer } from './manifest-server.ts'

// Some commands are processes, and on a busy machine each takes its time.
vi.setConfig({ testTimeout: 120_000 })

let remote: ManifestServer
beforeAll(async () => {
  remote = await startManifestServer()
}, 60_000)
beforeEach(() => remote.clear())
afterAll(() => remote[Symbol.asyncDispose]())

const SEARCH = `apiVersion: tidemark.dev/v1
kind: SerpMonitor
metadata: { name: rank, namespace: shop }
spec:
  name: Rank
  keyword: kettle
  scheduleIntervalSeconds: 86400
  locationCode: GB
  targetDomain: shop.example.com
`

describe('apply', () => {
  test('makes both kinds of a folder; again it changes nothing, and diff exits with 0', async () => {
    await remote.write(
      'monitors/kettle.yaml',
      `${remote.manifest('kettle', HOOK)}---\n${secretOf('https://hooks.example.com/s3cret')}`,
    )
    await remote.write('monitors/deep/rank.yaml', SEARCH)
    const shown = await remote.sh('./tidemark diff -f monitors')
    expect(shown).toMatchObject({ code: 1, stderr: '' })
    expect(shown.stdout).toBe('+ create serpmonitor shop/rank\n+ create monitor shop/kettle\n')
    expect(await remote.list()).toEqual([])
    const first = await remote.sh('./tidemark apply -f monitors/')
    expect(first).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('created monitor shop/kettle') })
    const [kettle] = await remote.list()
    expect(kettle).toMatchObject({
      external_key: 'shop/kettle',
      deliveries: [{ url: 'https://hooks.example.com/s3cret' }],
    })
    expect(await remote.list('/v1/serp-monitors')).toMatchObject([{ external_key: 'shop/rank' }])
    const again = await remote.sh('./tidemark apply -f monitors; ./tidemark diff -f monitors')
    expect(again).toMatchObject({ code: 0, stdout: 'Nothing differs: 2 unchanged.\n'.repeat(2) })
    expect(await remote.sh('./tidemark get kettle shop/rank -o name')).toMatchObject({ code: 1 })
    expect(await remote.sh('./tidemark get shop/kettle -o name')).toMatchObject({ stdout: `monitor/${kettle?.id}\n` })
  })

  test('what export prints of applied monitors can be applied again, and changes nothing', async () => {
    await remote.write('monitors/kettle.yaml', remote.manifest('kettle'))
    await remote.write('monitors/rank.yaml', SEARCH.replace(', namespace: shop', ''))
    await remote.sh('./tidemark apply -f monitors')
    const again = await remote.sh('./tidemark export --dir exported; ./tidemark diff -f exported')
    expect(again.code).toBe(0)
    expect(again.stdout.split('\n')).toEqual([
      'exported/shop.kettle.monitor.yaml',
      'exported/rank.serpmonitor.yaml',
      'Nothing differs: 2 unchanged.',
      '',
    ])
  })

  test('says in words what changes, with secrets masked, and changes only that', async () => {
    await remote.write(
      'monitors/kettle.yaml',
      `${remote.manifest('kettle', HOOK)}---\n${secretOf('https://hooks.example.com/old')}`,
    )
    await remote.sh('./tidemark apply -f monitors')
    const changed = remote.manifest('kettle', HOOK).replace('Seconds: 3600', 'Seconds: 900')
    await remote.write('monitors/kettle.yaml', `${changed}---\n${secretOf('https://hooks.example.com/new')}`)
    const shown = await remote.sh('./tidemark diff -f monitors')
    expect(shown.stdout).toBe(
      '~ change monitor shop/kettle\n' +
        '    spec.scheduleIntervalSeconds: 3600 → 900\n' +
        '    spec.deliveries[0].url: "https://hooks.example.com/********", with another value behind the mask\n',
    )
    for (const form of ['json', 'yaml'])
      expect((await remote.sh(`./tidemark diff -f monitors -o ${form}`)).stdout).not.toMatch(/\/(old|new)/)
    expect(await remote.sh('./tidemark apply -f monitors')).toMatchObject({ code: 0 })
    const deliveries = [{ url: 'https://hooks.example.com/new' }]
    expect(await remote.list()).toMatchObject([{ schedule_interval_seconds: 900, deliveries }])
  })

  test('says what the server warns of, with the keys of manifests', async () => {
    const warned = SEARCH.replace('targetDomain: shop.example.com', 'rankChangeThreshold: 3')
    await remote.write('monitors/rank.yaml', warned)
    const applied = await remote.sh('./tidemark apply -f monitors')
    const warning = /^warning: serpmonitor shop\/rank: rankChangeThreshold fires nothing without targetDomain/m
    expect(applied).toMatchObject({ code: 0, stderr: expect.stringMatching(warning) })
    expect((await remote.sh('./tidemark apply -f monitors')).stderr).toBe('')
    await remote.write('monitors/rank.yaml', warned.replace('rankChangeThreshold: 3', 'rankChangeThreshold: 4'))
    expect((await remote.sh('./tidemark apply -f monitors -o name')).stderr).toMatch(warning)
  })

  test('takes secrets from --secrets and the environment; a missing one is refused with file and line', async () => {
    await remote.write('monitors/pot.yaml', `# A comment\n${remote.manifest('pot', HOOK)}`)
    const none = await remote.sh('./tidemark apply -f monitors')
    expect([none.code, none.stdout]).toEqual([2, ''])
    expect(none.stderr).toMatch(
      /pot\.yaml:1[3-9] spec\.\S+: the Secret shop\/chat has no value for the key webhook: add a Secret document, --s/,
    )
    expect(none.stderr).toContain('document, --secrets FILE, or the variable SECRET_CHAT_WEBHOOK\n')
    await remote.write('secrets.yaml', secretOf('https://hooks.example.com/a'))
    expect(await remote.sh('./tidemark apply -f monitors --secrets secrets.yaml')).toMatchObject({ code: 0 })
    const variable = { SECRET_CHAT_WEBHOOK: 'https://hooks.example.com/b' }
    expect(await remote.sh('./tidemark diff -f monitors', variable)).toMatchObject({ code: 1 })
    expect(await remote.sh('./tidemark apply -f monitors', variable)).toMatchObject({ code: 0 })
    expect(await remote.list()).toMatchObject([{ deliveries: [{ url: 'https://hooks.example.com/b' }] }])
  })

  test('an empty variable is a missing secret, and Secrets of --secrets and of the input add up', async () => {
    const two = `${HOOK}  requestHeadersFrom:\n    - { name: X-Token, secretKeyRef: { name: chat, key: token } }\n`
    await remote.write(
      'monitors/pot.yaml',
      `${remote.manifest('pot', two)}---\n${secretOf('https://hooks.example.com/a')}`,
    )
    const empty = await remote.sh('./tidemark apply -f monitors', { SECRET_CHAT_TOKEN: '' })
    expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('SECRET_CHAT_TOKEN, which is empty')])
    await remote.write('secrets.yaml', secretOf('x').replace(/webhook: .* }/, 'token: t0ken }'))
    expect(await remote.sh('./tidemark apply -f monitors --secrets secrets.yaml')).toMatchObject({ code: 0 })
    expect(await remote.list()).toMatchObject([{ deliveries: [{ url: 'https://hooks.example.com/a' }] }])
  })

  test('--prune deletes what an apply of this set made and no manifest declares, and nothing else', async () => {
    await remote.write('monitors/kettle.yaml', remote.manifest('kettle'))
    await remote.write('monitors/pot.yaml', remote.manifest('pot'))
    await remote.write('other.yaml', remote.manifest('urn'))
    await remote.watch('by hand', { external_key: 'shop/by-hand' })
    await remote.sh('./tidemark apply -f monitors; ./tidemark apply -f other.yaml --set other')
    await rm(join(remote.folder, 'monitors/pot.yaml'))
    expect(await remote.sh('./tidemark diff -f monitors')).toMatchObject({ code: 0 })
    const shown = await remote.sh('./tidemark diff -f monitors --prune')
    expect(shown).toMatchObject({ code: 1, stdout: expect.stringContaining('- delete monitor shop/pot\n') })
    expect(await remote.sh('./tidemark apply -f monitors --prune')).toMatchObject({ code: 0 })
    expect((await remote.list()).map(({ name }) => name).sort()).toEqual(['The kettle', 'The urn', 'by hand'])
    await rm(join(remote.folder, 'monitors/kettle.yaml'))
    const empty = await remote.sh('./tidemark apply -f monitors --prune')
    expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining('has no files') })
    expect(await remote.list()).toHaveLength(3)
  })

  test('--prune deletes nothing where a creation was refused: a renamed manifest keeps its old record', async () => {
    await remote.write('monitors/a.yaml', remote.manifest('kettle'))
    await remote.sh('./tidemark apply -f monitors')
    await remote.write('monitors/a.yaml', remote.manifest('blue-kettle').replace(remote.site.url, 'http://10.1.2.3/'))
    const { code, stderr } = await remote.sh('./tidemark apply -f monitors --prune')
    expect(code).toBe(1)
    expect(stderr).toContain('nothing was deleted, because something failed before:\n  monitor shop/kettle\n')
    expect(stderr).toContain('0 of 2 were applied; apply again')
    expect(await remote.list()).toMatchObject([{ external_key: 'shop/kettle' }])
    await remote.write('monitors/a.yaml', remote.manifest('blue-kettle'))
    expect(await remote.sh('./tidemark apply -f monitors --prune')).toMatchObject({ code: 0 })
    expect(await remote.list()).toMatchObject([{ external_key: 'shop/blue-kettle' }])
  })

  test('--prune takes an empty file and a slip in apiVersion for faults; other documents are named', async () => {
    await remote.write('monitors/a.yaml', remote.manifest('kettle'))
    await remote.write('monitors/b.yaml', remote.manifest('pot'))
    await remote.sh('./tidemark apply -f monitors')
    await remote.write('monitors/b.yaml', '')
    const cut = await remote.sh('./tidemark apply -f monitors --prune')
    expect([cut.code, cut.stderr]).toEqual([2, expect.stringContaining('monitors/b.yaml:1 is empty')])
    await remote.write('monitors/b.yaml', remote.manifest('pot').replace('tidemark.dev/v1', 'tidemark.io/v1'))
    const slip = await remote.sh('./tidemark apply -f monitors --prune')
    expect([slip.code, slip.stderr]).toEqual([
      2,
      expect.stringContaining('b.yaml:1 apiVersion must be tidemark.dev/v1'),
    ])
    expect(await remote.list()).toHaveLength(2)
    await remote.write(
      'monitors/b.yaml',
      `${remote.manifest('pot')}---\napiVersion: v1\nkind: Namespace\nmetadata: { name: shop }\n`,
    )
    const other = await remote.sh('./tidemark apply -f monitors --prune')
    expect(other).toMatchObject({ code: 0, stderr: 'tidemark: left out, being no monitors: Namespace shop\n' })
  })

  test('adopts a record of the API once, and keeps its id', async () => {
    const id = await remote.watch('The kettle')
    await remote.write(
      'monitors/a.yaml',
      remote.manifest('kettle', '', `  annotations: { tidemark.dev/adopt: ${id} }\n`),
    )
    const done = await remote.sh('./tidemark apply -f monitors')
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('took over monitor shop/kettle') })
    expect(await remote.list()).toMatchObject([{ id, external_key: 'shop/kettle' }])
    expect(await remote.sh('./tidemark diff -f monitors')).toMatchObject({ code: 0 })
    await remote.write('monitors/a.yaml', remote.manifest('pot', '', `  annotations: { tidemark.dev/adopt: ${id} }\n`))
    const taken = await remote.sh('./tidemark apply -f monitors')
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining('belongs to shop/kettle') })
  })

  test('suspend pauses; without it the monitor is resumed, but not one that a person has paused', async () => {
    await remote.write('monitors/a.yaml', remote.manifest('kettle', '  suspend: true\n'))
    await remote.sh('./tidemark apply -f monitors')
    expect(await remote.list()).toMatchObject([{ status: 'paused' }])
    expect(await remote.sh('./tidemark diff -f monitors')).toMatchObject({ code: 0 })
    // An export has no labels of apply: it makes them anew.
    const exported = await remote.sh('./tidemark export shop/kettle; ./tidemark export shop/kettle --json')
    expect(exported).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ {2}suspend: true$/m) })
    expect(exported.stdout).not.toMatch(/tidemark-s|^ {2}labels:/m)
    expect(await remote.sh('./tidemark export shop/kettle | ./tidemark diff -f -')).toMatchObject({ code: 0 })
    await remote.write('monitors/a.yaml', remote.manifest('kettle'))
    await remote.sh('./tidemark apply -f monitors')
    expect(await remote.list()).toMatchObject([{ status: 'active' }])
    await remote.sh('./tidemark pause shop/kettle; ./tidemark apply -f monitors')
    expect(await remote.list()).toMatchObject([{ status: 'paused' }])
  })
})

describe('an input that is not valid changes nothing, and names file and line', () => {
  test.each([
    ['half-written YAML', (kettle: string) => `${kettle}  deliveries: [`, /bad\.yaml:\d+ is not YAML/],
    ['two documents of one name', (kettle: string) => `${kettle}---\n${kettle}`, /bad\.yaml:\d+ .*is used twice/],
    ['an unknown key', (kettle: string) => `${kettle}  colour: red\n`, /bad\.yaml:12 spec\.colour is not a known key/],
    [
      'a selector that cannot be read',
      (kettle: string) => kettle.replace('.price', "'[['"),
      /bad\.yaml:10 spec\.extractConfig\.fields\.price/,
    ],
    [
      'an interval too short',
      (kettle: string) => kettle.replace('Seconds: 3600', 'Seconds: 5'),
      /bad\.yaml:9 spec\.schedule.* at least 60/,
    ],
  ])('%s', async (_, change, message) => {
    await remote.write('monitors/good.yaml', remote.manifest('pot'))
    await remote.write('monitors/bad.yaml', change(remote.manifest('kettle')))
    for (const command of ['apply', 'diff']) {
      const { code, stdout, stderr } = await remote.sh(`./tidemark ${command} -f monitors`)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(message)
      expect(stderr).not.toContain('    at ')
    }
    expect(await remote.list()).toEqual([])
  })

  test.each([
    ['./tidemark apply', 'say what to read'],
    ['./tidemark apply -f nothing', 'nothing does not exist'],
    ['./tidemark apply -f https://example.com/a.yaml', 'get it first, as in curl -fsS https://example.com/a.yaml'],
    ['./tidemark apply -f /dev/zero', '/dev/zero is larger than 64 MB'],
    ['./tidemark apply -f - < /dev/zero', 'standard input is larger than 64 MB'],
    ['echo "kind: Namespace" | ./tidemark apply -f -', 'standard input:1 apiVersion is required'],
    ['echo | ./tidemark apply -f -', 'there is no Monitor'],
    ['./tidemark diff -f - --set "a b" < /dev/null', '--set is the value of a label'],
  ])('%s', async (line, message) => {
    const { code, stderr } = await remote.sh(line)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })

  test('what only the server can find is reported with file and line; the others are applied', async () => {
    await remote.write('monitors/a.yaml', remote.manifest('kettle').replace(remote.site.url, 'http://10.1.2.3/'))
    await remote.write('monitors/b.yaml', remote.manifest('pot'))
    const { code, stderr } = await remote.sh('./tidemark apply -f monitors')
    expect(code).toBe(1)
    expect(stderr).toMatch(/monitor shop\/kettle was not applied: .*\n +monitors\/a\.yaml:8 spec\.url/)
    expect((await remote.list()).map(({ name }) => name)).toEqual(['The pot'])
  })

  test('a record that a file or a cluster declares is not touched', async () => {
    await remote.write('monitors/a.yaml', remote.manifest('kettle'))
    await remote.sh('./tidemark apply -f monitors')
    await changeMonitors(remote, 'all', { managedBy: 'file' })
    await remote.write('monitors/a.yaml', remote.manifest('kettle').replace('Seconds: 3600', 'Seconds: 900'))
    const { code, stderr } = await remote.sh('./tidemark apply -f monitors')
    expect([code, stderr]).toEqual([1, expect.stringMatching(/a\.yaml:1 .*tidemark serve --config: change it there/)])
    await changeMonitors(remote, 'all', { managedBy: 'api' })
  })
})
