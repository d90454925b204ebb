import { beforeAll, expect, test } from 'vitest'
import { publicCheck } from '../../../tools/check/public.ts'
import { type SourceFile, sourceFiles } from '../../../tools/check/source-file.ts'
import { breaks } from '../../../tools/public/breaks.ts'
import { type PublicInterface, publicInterface } from '../../../tools/public/public-interface.ts'

const ROOT = new URL('../../../', import.meta.url).pathname

let files: readonly SourceFile[]
let tree: PublicInterface
beforeAll(async () => {
  files = await sourceFiles(ROOT)
  tree = await publicInterface(files)
})

/** Returns what is public with a part of one subject set anew; undefined removes it. */
function withPart(file: string, path: readonly string[], value: unknown): PublicInterface {
  const subject: unknown = JSON.parse(tree.get(file) ?? '')
  const [last = '', ...others] = path.toReversed()
  let at = subject
  for (const step of others.toReversed()) at = Reflect.get(Object(at), step)
  if (value === undefined) Reflect.deleteProperty(Object(at), last)
  else Reflect.set(Object(at), last, value)
  return new Map([...tree, [file, JSON.stringify(subject)]])
}

type Part = [file: string, path: string[], value: unknown]

const MONITORS = ['paths', '/v1/monitors']
const LISTED = [...MONITORS, 'get', 'responses', '200', 'content', 'application/json', 'schema', 'properties', 'data']
const PAYLOAD = ['components', 'schemas', 'DeliveryPayload', 'properties']
const CRD = 'crds/tidemark.dev_monitors.json'
const SPEC = 'spec.versions.0.schema.openAPIV3Schema.properties.spec.properties'.split('.')
const RATE = ['properties', 'TIDEMARK_RATE_LIMIT']
const APPLY = ['commands', 'apply']

test.each<[Part, string]>([
  [['openapi.json', [...MONITORS, 'post'], undefined], 'openapi: POST /v1/monitors is gone'],
  [
    ['openapi.json', LISTED, undefined],
    'openapi: GET /v1/monitors: the answer 200 as application/json: .data: is gone',
  ],
  [
    ['openapi.json', [...MONITORS, 'post', 'operationId'], 'make'],
    'openapi: POST /v1/monitors: operationId was postMonitors, and is make',
  ],
  [['openapi.json', [...PAYLOAD, 'diff'], undefined], 'openapi: DeliveryPayload.diff: is gone'],
  [[CRD, [...SPEC, 'url', 'maxLength'], 10], 'crds/tidemark.dev_monitors: .spec.url: maxLength is smaller'],
  [[CRD, ['spec', 'scope'], 'Cluster'], 'crds/tidemark.dev_monitors: scope is another one'],
  [['values.json', ['properties', 'crds'], undefined], 'values: crds: is gone'],
  [
    ['values.json', ['properties', 'crds', 'properties', 'keep', 'default'], false],
    'values: crds.keep: the default was true, and is false',
  ],
  [['settings.json', RATE, undefined], 'settings: TIDEMARK_RATE_LIMIT: is gone'],
  [['settings.json', [...RATE, 'default'], 1], 'settings: TIDEMARK_RATE_LIMIT: the default was 6000, and is 1'],
  [['settings.json', [...RATE, 'maximum'], 5], 'settings: TIDEMARK_RATE_LIMIT: maximum is smaller'],
  [['settings.json', ['secrets'], []], 'settings: DATABASE_URL is not read from a file'],
  [['metrics.json', ['tidemark_checks_total'], undefined], 'metrics: tidemark_checks_total is gone'],
  [
    ['metrics.json', ['tidemark_checks_total', 'labels'], ['code']],
    'metrics: tidemark_checks_total: the label outcome is gone',
  ],
  [
    ['metrics.json', ['tidemark_checks_total', 'type'], 'gauge'],
    'metrics: tidemark_checks_total: it was a counter, and is a gauge',
  ],
  [['command-line.json', APPLY, undefined], 'command-line: apply is gone'],
  [['command-line.json', [...APPLY, 'options', '--prune'], undefined], 'command-line: apply: --prune is gone'],
  [
    ['command-line.json', [...APPLY, 'options', '--prune', 'takes'], 'a value'],
    'command-line: apply: --prune: it took nothing, and takes a value',
  ],
  [['command-line.json', ['exit_codes', 'refused'], 1], 'command-line: the exit code refused was 77, and is 1'],
  [['errors.json', ['api', 'CONFLICT'], 400], 'errors: CONFLICT was 409, and is 400'],
  [['errors.json', ['run', 'dns_failed'], undefined], 'errors: dns_failed was "broken", and is gone'],
  [['migrations.json', ['000003-monitors.sql'], 'x'], 'migrations: 000003-monitors.sql has another text'],
  [
    ['migrations.json', ['000003-z.sql'], 'x'],
    expect.stringMatching(/^migrations: 000003-z\.sql comes before 0000\d\d-\S+\.sql, which databases have$/),
  ],
])('%j is refused', (part, sentence) => {
  expect(breaks(tree, withPart(...part))).toContainEqual(sentence)
})

test.each<Part>([
  ['openapi.json', ['paths', '/v1/new'], { get: { operationId: 'getNew', responses: {} } }],
  ['openapi.json', [...PAYLOAD, 'new'], { type: 'string' }],
  ['openapi.json', [...MONITORS, 'post', 'x-beyond-contract'], true],
  [CRD, [...SPEC, 'fresh'], { type: 'string' }],
  [CRD, [...SPEC, 'url', 'maxLength'], 100_000],
  ['values.json', ['properties', 'fresh'], { type: 'boolean', default: true }],
  ['settings.json', ['properties', 'TIDEMARK_FRESH'], { type: 'string' }],
  ['settings.json', [...RATE, 'maximum'], 1e12],
  ['metrics.json', ['tidemark_fresh_total'], { type: 'counter', labels: [] }],
  ['command-line.json', ['commands', 'fresh'], { arguments: [], options: {} }],
  ['command-line.json', [...APPLY, 'options', '--fresh'], { takes: 'a value' }],
  ['errors.json', ['api', 'FRESH'], 418],
  ['migrations.json', ['999999-fresh.sql'], 'x'],
])('in %s, an addition at %j passes', (...part) => {
  expect(breaks(tree, withPart(...part))).toEqual([])
})

test('a parameter that is new and required is refused', () => {
  const parameters = [...MONITORS, 'get', 'parameters']
  const added = [{ name: 'team', in: 'query', required: true, schema: { type: 'string' } }]
  expect(breaks(tree, withPart('openapi.json', parameters, added))).toEqual(
    expect.arrayContaining([
      'openapi: GET /v1/monitors: the parameter limit is gone',
      'openapi: GET /v1/monitors: the parameter team is new and required',
    ]),
  )
})

test('a version does not break with itself', () => {
  const shorter = [...tree].map(([name, text]) => [name, JSON.stringify(JSON.parse(text))] as const)
  expect(breaks(tree, new Map(shorter))).toEqual([])
})

/** The faults of the gate where the recorded version had one setting more. */
function gateWith(upgrade: string) {
  const had = withPart('settings.json', ['properties', 'TIDEMARK_OLD'], { type: 'string' })
  const others = files.filter(({ path }) => !path.startsWith('releases/') && path !== 'docs/upgrade.md')
  const recorded = [...had].map(([name, text]) => ({ path: `releases/0.1.0/${name}`, text }))
  const page = { path: 'docs/upgrade.md', text: `# Upgrade\n\n## What breaks\n\n${upgrade}\n\n## More\n` }
  return publicCheck.faults({ root: ROOT, files: [...others, ...recorded, page] })
}

test('the gate refuses a break, with what to do', async () => {
  expect(await gateWith('')).toEqual([
    'settings: TIDEMARK_OLD: is gone: keep what 0.1.0 has, or say under "What breaks" of docs/upgrade.md what to do',
  ])
})

test('the gate admits a break that has an entry in the section of a version to come', async () => {
  const entry = '- `settings: TIDEMARK_OLD: is gone`. Set TIDEMARK_NEW\n  instead.'
  expect(await gateWith(`### 0.2.0\n\n${entry}`)).toEqual([])
  expect(await gateWith('### 0.2.0\n\n- `settings: TIDEMARK_OLD`: set TIDEMARK_NEW instead.')).toEqual([])
  expect(await gateWith(`### 0.1.0\n\n${entry}`)).toHaveLength(1)
  expect(await gateWith('### 0.2.0\n\n- `settings: TIDEMARK_OLD: is gone`')).toHaveLength(1)
})
