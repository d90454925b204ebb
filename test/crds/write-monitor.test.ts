import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toApiNames } from '../../core/custom-resource/names.ts'
import { createPolicy } from '../../egress/policy.ts'
import { judgeInput } from '../../monitors/declared/judge-input.ts'
import { writeMonitor } from '../../monitors/declared/write-monitor.ts'
import { PAGE_SPEC } from '../../monitors/kinds/page-spec.ts'
import { SEARCH_SPEC } from '../../monitors/kinds/search-spec.ts'
import type { SpecKind } from '../../monitors/kinds/spec-kind.ts'
import type { EverySpec } from '../../schema/monitor/every-spec.ts'
import type { WrittenForm } from '../../schema/monitor/written-monitor.ts'
import { nodeOf } from '../../schema/shape/walk-schema.ts'
import { armCases, ruleCases } from './cases.ts'
import { MONITOR, SERP_MONITOR } from './definition.ts'
import { monitorWith } from './sample.ts'

const run = promisify(execFile)
const egress = createPolicy({ allowPrivateCidrs: [], neverAllow: [] })

/** Texts that mean something to YAML, to a shell, or to TypeScript. */
const HOSTILE = [
  'it\'s $HOME `id` $(id) \\ " ${x}\nJSON\n--- # no',
  '*/ </script> {{monitor.name}} \'"`',
  'no',
  '1_000',
  '\u2028 \u202e \u0085 \ufeff \u{e0041}',
  "']); process.exit(1) //",
]
const SECRET = "a secret's $HOME \" ']); #"
const WHOLE = {
  name: 'Größe: all keys',
  url: 'https://shop.example/a?b=c#d',
  schedule_interval_seconds: 3600,
  template_slug: 'generic-css',
  extract_config: {
    method: 'css',
    fields: { 'a b': 'h1', ["it's `x` ${y}"]: 'a[title="\'"]', constructor: 'h1', items: 'li[]' },
  },
  diff_predicate: {
    type: 'composite',
    operator: 'OR',
    conditions: HOSTILE.map((value) => ({ type: 'field_equals', field: 'a b', value })),
  },
  fetch_mode: 'browser',
  request_headers: { Authorization: SECRET, 'User-Agent': HOSTILE[5] },
  notify_on: ['failing', 'recovered'],
  quiet_hours: { from: '22:00', until: '06:00', time_zone: 'Europe/Berlin' },
  digest: { every_seconds: 3600 },
  external_key: 'mine',
  labels: { team: 'shop', 'a.b': '' },
  deliveries: [
    { type: 'webhook', url: 'https://hooks.example/1', headers: { 'X-Token': SECRET, Accept: 'text/plain' } },
    { type: 'slack', webhookUrl: 'https://hooks.slack.example/2' },
    { type: 'email', to: 'ada@example.com' },
  ],
}

const { name, quiet_hours, digest, external_key, labels, deliveries } = WHOLE
const WHOLE_SEARCH = {
  ...{ name, quiet_hours, digest, external_key, labels, deliveries },
  keyword: HOSTILE[0],
  schedule_interval_seconds: 86_400,
  notify_on: ['failing'],
  engine: 'bing',
  device: 'mobile',
  pages: 2,
  rank_change_threshold: 3,
}

interface Case {
  readonly title: string
  readonly kind: SpecKind
  readonly spec: EverySpec
}
/** What no monitor can have is not written: a case of the definition may have an address that is not allowed. */
const casesOf = (kind: SpecKind, definition: object): Case[] => {
  const root = definition as typeof MONITOR
  const bodies = [...armCases(root), ...ruleCases(root)].map(({ title, place, value }) => {
    const { suspend: _, ...body } = monitorWith(place, value, root)
    return { title, body: toApiNames(kind.definition, body) }
  })
  return bodies.flatMap(({ title, body }) => {
    const checked = kind.check(body, { egress, isNew: true })
    return checked.kind === 'valid' ? [{ title, kind, spec: checked.spec }] : []
  })
}
function valid(kind: SpecKind, body: unknown): EverySpec {
  const checked = kind.check(body, { egress, isNew: true })
  if (checked.kind === 'invalid') throw new Error(JSON.stringify(checked.issues))
  return checked.spec
}
const CASES: readonly Case[] = [
  { title: 'every key, with texts that mean something to the reader', kind: PAGE_SPEC, spec: valid(PAGE_SPEC, WHOLE) },
  { title: 'every key of a search', kind: SEARCH_SPEC, spec: valid(SEARCH_SPEC, WHOLE_SEARCH) },
  ...casesOf(PAGE_SPEC, MONITOR),
  ...casesOf(SEARCH_SPEC, SERP_MONITOR),
]
const written = (as: WrittenForm) =>
  Promise.all(CASES.map(async (one) => ({ ...one, ...(await writeMonitor(one.kind, one.spec, as)) })))
type Written = Awaited<ReturnType<typeof written>>[number]

/** Puts the secrets where a text refers to them. */
const filled = (value: unknown, secrets: Written['secrets'], refer: (key: string) => unknown): unknown => {
  const known = new Map(secrets.map(({ key, value: secret }) => [JSON.stringify(refer(key)), secret]))
  return JSON.parse(JSON.stringify(value), (_key, part: unknown) => known.get(JSON.stringify(part)) ?? part)
}

test('the cases have every key of both kinds with another value than its default', () => {
  for (const kind of [PAGE_SPEC, SEARCH_SPEC]) {
    const { properties = {} } = nodeOf(kind.definition)
    const specs = CASES.filter((one) => one.kind === kind).map(({ spec }): object => spec)
    const used = (key: string, plain: unknown) =>
      specs.some(
        (spec) => JSON.stringify(Object.entries(spec).find(([name]) => name === key)?.[1]) !== JSON.stringify(plain),
      )
    const unused = Object.entries(properties).filter(([key, node]) => !used(key, node.default))
    expect(unused.map(([key]) => key)).toEqual([])
  }
  expect(CASES.length).toBeGreaterThan(100)
})

test('a manifest, applied with its Secret, is the same configuration', async () => {
  for (const { title, kind, spec, text, secrets } of await written('manifest')) {
    const values = new Map(secrets.map(({ key, value }) => [key, value]))
    const source = { valueOf: ({ key }: { key: string }) => values.get(key) ?? null, waysToGive: () => 'a Secret' }
    const texts = [{ file: 'a.yaml', text }]
    const judged = judgeInput({ texts, unread: [], secretsOf: () => source, refusesEmpty: true, egress, isNew: true })
    expect(judged.faults, title).toEqual([])
    const [{ spec: applied } = { spec: null }] = judged.valid
    const identity = { external_key: applied?.external_key }
    // The key of a record that is declared is the identity of its manifest, which does not know of templates.
    const declared = { ...spec, ...identity, ...('template_slug' in spec && { template_slug: null }) }
    expect(kind.definition && applied, title).toEqual(declared)
  }
})

describe('a curl command', () => {
  test('has a body from which the same configuration is made, once secrets replace its masks', async () => {
    for (const { title, kind, spec, text, secrets } of await written('curl')) {
      const [, json = ''] = /<<'JSON'\n([^]*)\nJSON\n$/.exec(text) ?? []
      expect(
        valid(
          kind,
          filled(JSON.parse(json), secrets, (key) => key),
        ),
        title,
      ).toEqual(spec)
      const refused = kind.check(JSON.parse(json), { egress, isNew: true })
      expect(refused.kind, title).toBe(secrets.length > 0 ? 'invalid' : 'valid')
    }
  })

  test('is read by a shell as it is written', async () => {
    const [{ text } = { text: '' }] = await written('curl')
    const { stdout } = await run('sh', ['-c', `curl() { printf '%s\\n' "$@"; cat; }\n${text}`], {
      env: { TIDEMARK_URL: 'https://tidemark.example', TIDEMARK_API_KEY: 'svc_1' },
    })
    const [, json = ''] = /<<'JSON'\n([^]*\n)JSON\n$/.exec(text) ?? []
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      '-sS',
      'https://tidemark.example/v1/monitors',
      '-H',
      'Authorization: Bearer svc_1',
    ])
    expect(stdout.endsWith(json)).toBe(true)
  })
})

describe('a program of Pulumi', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-programs-'))
    const modules = {
      '@pulumi/pulumi': 'export class Config { requireSecret(key) { return { secret: key } } }',
      '@tidemark/pulumi': `
        class Resource { constructor(name, args) { globalThis.made.push({ kind: new.target.name, name, args }) } }
        export class Monitor extends Resource {}
        export class SerpMonitor extends Resource {}`,
    }
    for (const [name, source] of Object.entries(modules)) {
      const at = join(folder, 'node_modules', name)
      await mkdir(at, { recursive: true })
      await writeFile(join(at, 'package.json'), '{"type":"module","exports":{".":"./i.js","./rest":"./i.js"}}')
      await writeFile(join(at, 'i.js'), source)
    }
  })
  afterAll(() => rm(folder, { recursive: true }))

  test('gives its resource the same configuration, with the secrets of the stack', async () => {
    const programs = await written('pulumi')
    await Promise.all(programs.map(({ text }, at) => writeFile(join(folder, `${at}.ts`), text)))
    const main = `globalThis.made = []
      for (let at = 0; at < ${programs.length}; at += 1) await import('./' + at + '.ts')
      process.stdout.write(JSON.stringify(globalThis.made))`
    await writeFile(join(folder, 'main.mjs'), main)
    const { stdout } = await run(process.execPath, [join(folder, 'main.mjs')], { maxBuffer: 64 * 1024 * 1024 })
    const made = JSON.parse(stdout) as { kind: string; name: string; args: object }[]
    expect(made).toHaveLength(programs.length)
    for (const [at, { title, kind, spec, secrets }] of programs.entries()) {
      const args = filled(made[at]?.args, secrets, (secret) => ({ secret }))
      const body = toApiNames(kind.definition, args)
      const template = 'template_slug' in spec && { template_slug: null }
      expect([made[at]?.kind, valid(kind, body)], title).toEqual([kind.resource.kind, { ...spec, ...template }])
    }
  })
})

test.each(['manifest', 'pulumi', 'curl'] as const)('no secret is in a %s', async (as) => {
  const { text, secrets } = await writeMonitor(PAGE_SPEC, valid(PAGE_SPEC, WHOLE), as)
  expect(secrets).toHaveLength(4)
  for (const { value } of secrets) expect(text).not.toContain(value)
  expect(text).not.toContain('a secret')
})
