import { describe, expect, test } from 'vitest'
import { readManifests } from '../../manifests/read-manifests.ts'
import { faultsOf, resolveManifest } from '../../manifests/resolve-manifest.ts'
import { secretSource } from '../../manifests/secret-values.ts'
import { MonitorSpec } from '../../schema/monitor/monitor.ts'

const MONITOR = `# A comment
apiVersion: tidemark.dev/v1
kind: Monitor
metadata:
  name: kettle
  namespace: shop
  labels:
    label.tidemark.dev/env: prod
    app: other
  annotations:
    tidemark.dev/adopt: 5c1f
    tidemark.dev/run-requested-at: first
spec:
  name: Kettle
  url: https://shop.example.com/
  scheduleIntervalSeconds: 600
  suspend: true
  extractConfig:
    method: css
    fields:
      in_stock: "#stock"
  diffPredicate: { type: any_field_changes }
  requestHeadersFrom:
    - name: X-Token
      secretKeyRef: { name: keys, key: token }
  deliveries:
    - type: webhook
      urlFrom: { secretKeyRef: { name: keys, key: hook } }
`
const SEARCH = { apiVersion: 'tidemark.dev/v1', kind: 'SerpMonitor', metadata: { name: 'kettle' }, spec: { name: 'a' } }
const SECRET = `
apiVersion: v1
kind: Secret
metadata: { name: keys, namespace: shop }
data: { token: c2VjcmV0Cg== }
stringData: { hook: "https://hooks.example.com/a" }
`

const read = (text: string, file = 'a.yaml') => readManifests([{ file, text }])
const faults = (text: string) => read(text).faults.map(({ file, line, message }) => `${file}:${line} ${message}`)
const only = (text: string) => {
  const found = read(text)
  expect(found.faults).toEqual([])
  const [manifest] = found.manifests
  if (!manifest) throw new Error('no manifest was read')
  return manifest
}

describe('reading manifests', () => {
  test('takes monitors of both kinds and Secrets from several documents, lists and JSON', () => {
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [SEARCH] }, null, '\t')
    const found = readManifests([
      { file: 'a.yaml', text: `${MONITOR}---\n# nothing\n---${SECRET}` },
      { file: 'b.json', text: list },
    ])
    expect(found.faults).toEqual([])
    expect(found.manifests).toMatchObject([
      {
        resource: { kind: 'Monitor' },
        namespace: 'shop',
        name: 'kettle',
        labels: { env: 'prod' },
        adopts: '5c1f',
        runRequest: 'first',
        suspend: true,
        place: { file: 'a.yaml', line: 2 },
      },
      { resource: { kind: 'SerpMonitor' }, namespace: 'default', name: 'kettle', place: { file: 'b.json', line: 5 } },
    ])
    expect(found.manifests[0]?.spec).not.toHaveProperty('suspend')
    expect(found.secrets).toMatchObject([
      { namespace: 'shop', name: 'keys', values: { token: 'secret', hook: 'https://hooks.example.com/a' } },
    ])
  })

  test('accepts what kubectl writes into an export, and skips documents of other kinds', () => {
    const exported = { ...SEARCH, metadata: { name: 'a', uid: 'b', generation: 3, managedFields: [] }, status: {} }
    const found = read(`${JSON.stringify(exported)}\n---\napiVersion: v1\nkind: Namespace\nmetadata: { name: shop }\n`)
    expect(found).toMatchObject({
      faults: [],
      manifests: [{ name: 'a' }],
      skipped: [{ kind: 'Namespace', name: 'shop', line: 3 }],
    })
  })

  test('an empty text declares nothing', () => {
    for (const text of ['', '\n', '---\n', '# only a comment\n', '---\n---\n'])
      expect(read(text)).toMatchObject({ manifests: [], secrets: [], skipped: [], faults: [] })
  })

  test('a text without a character is reported: the writing of the file may have been cut off', () => {
    for (const text of ['', ' \n']) expect(read(text).empty).toMatchObject([{ file: 'a.yaml', line: 1 }])
    expect(read('# the kettle is gone\n').empty).toEqual([])
  })

  test('says the line of each part that the API names', () => {
    const { placeOf } = only(MONITOR)
    for (const [path, line] of [
      ['name', 14],
      ['schedule_interval_seconds', 16],
      ['extract_config.fields.in_stock', 21],
      ['deliveries[0].url', 28],
      ['request_headers["X-Token"]', 23],
      ['labels.env', 8],
      ['visual_config', 13],
      ['', 13],
    ] as const)
      expect([path, placeOf(path)]).toMatchObject([path, { file: 'a.yaml', line }])
  })

  test('an empty namespace, which a template may leave, is the default one', () => {
    expect(only(MONITOR.replace('namespace: shop', 'namespace:')).namespace).toBe('default')
  })

  test('one anchor may stand for a value in many monitors of a list', () => {
    const item = (nth: number) => `  - { <<: *first, metadata: { name: a${nth} } }\n`
    const first = `apiVersion: v1\nkind: List\nitems:\n  - &first\n${MONITOR.replaceAll(/^(?=.)/gm, '    ')}`
    const { manifests, faults: none } = read(first + Array.from({ length: 300 }, (_, nth) => item(nth)).join(''))
    expect(none).toEqual([])
    expect(manifests).toHaveLength(301)
    const shared = `deliveries: *hooks\n`
    const one = (nth: number) => `  - apiVersion: tidemark.dev/v1
    kind: Monitor
    metadata: { name: b${nth} }
    spec:
      name: B
      ${nth === 0 ? 'deliveries: &hooks [{ type: email, to: a@example.com }]\n' : shared}`
    const many = read(
      `apiVersion: v1\nkind: List\nitems:\n${Array.from({ length: 300 }, (_, nth) => one(nth)).join('')}`,
    )
    expect(many.faults).toEqual([])
    expect(many.manifests).toHaveLength(300)
  })

  test('follows anchors and merge keys', () => {
    const text = `apiVersion: tidemark.dev/v1
kind: List
items:
  - &first
    apiVersion: tidemark.dev/v1
    kind: Monitor
    metadata: { name: a }
    spec: &spec { name: A, url: "https://a.example.com/" }
  - <<: *first
    metadata: { name: b }
`
    const { manifests, faults: none } = read(text)
    expect(none).toEqual([])
    expect(manifests.map(({ name, spec }) => [name, spec['url']])).toEqual([
      ['a', 'https://a.example.com/'],
      ['b', 'https://a.example.com/'],
    ])
  })
})

const slip = (line: number, key: string, meant: string) =>
  `a.yaml:${line} metadata.${key} is not a known key (did you mean "${meant}"?)`

describe('a fault in a manifest', () => {
  test.each([
    ['half of a document', 'apiVersion: tidemark.dev/v1\nkind: Monitor\nmetadata:\n  name: "a', 'a.yaml:4 is not YAML'],
    ['a list that does not end', 'a:\n  - [1, 2\nb: 3\n', 'a.yaml:3 is not YAML'],
    ['a key that is given twice', 'a: 1\na: 2\n', 'a.yaml:2 is not YAML: Map keys must be unique'],
    ['an alias without its anchor', 'a: *b\n', 'a.yaml:1 is not YAML: Unresolved alias'],
    ['a text that is no object', 'hello\n', 'a.yaml:1 must be an object'],
    ['no kind', 'apiVersion: v1\n', 'a.yaml:1 kind is required'],
    ['no apiVersion', MONITOR.replace(/apiVersion.*\n/, ''), 'a.yaml:2 apiVersion is required'],
    ['no apiVersion of another kind', '\nkind: Secret\n', 'a.yaml:2 apiVersion is required'],
    ['another version', 'kind: Monitor\napiVersion: tidemark.dev/v9\n', 'a.yaml:2 apiVersion must be tidemark.dev/v1'],
    [
      'the group of another',
      'kind: Monitor\napiVersion: tidemark.io/v1\n',
      'a.yaml:2 apiVersion must be tidemark.dev/v1',
    ],
    ['a group without a version', 'kind: SerpMonitor\napiVersion: tidemark.dev\n', 'a.yaml:2 apiVersion must be'],
    ['a list of another group', 'kind: MonitorList\napiVersion: x/v1\nitems: []\n', 'a.yaml:2 apiVersion must be'],
    ['another kind', 'apiVersion: tidemark.dev/v1\nkind: Watcher\n', 'a.yaml:2 kind must be Monitor or SerpMonitor'],
    ['a list of nothing', 'apiVersion: v1\nkind: List\nitems: 3\n', 'a.yaml:3 items must be a list'],
    ['a spec that is a list', MONITOR.replace(/spec:\n[^]*/, 'spec: []\n'), 'a.yaml:13 spec must be an object'],
    [
      'a name with a space',
      MONITOR.replace('name: kettle', 'name: a b'),
      'a.yaml:5 metadata.name must have lower-case',
    ],
    ['a name that is a number', MONITOR.replace('name: kettle', 'name: 7'), 'a.yaml:5 metadata.name must be a text'],
    ['no name', MONITOR.replace('  name: kettle\n', ''), 'a.yaml:4 metadata.name is required'],
    [
      'a namespace that is a number',
      MONITOR.replace('namespace: shop', 'namespace: 7'),
      'a.yaml:6 metadata.namespace must be a text: write it in quotes',
    ],
    ['an unknown key', `${MONITOR}colour: blue\n`, 'a.yaml:29 colour is not a known key'],
    ['a key like a known one', `${MONITOR}specs: {}\n`, 'a.yaml:29 specs is not a known key (did you mean "spec"?)'],
    ['a slip: namspace', MONITOR.replace('namespace:', 'namspace:'), slip(6, 'namspace', 'namespace')],
    ['a slip: lables', MONITOR.replace('labels:', 'lables:'), slip(7, 'lables', 'labels')],
    ['a slip: annotation', MONITOR.replace('annotations:', 'annotation:'), slip(10, 'annotation', 'annotations')],
    [
      'a slip: adpot',
      MONITOR.replace('dev/adopt', 'dev/adpot'),
      'metadata.annotations["tidemark.dev/adpot"] is not a known annotation (did you mean "tidemark.dev/adopt"?)',
    ],
    [
      'a label without its prefix',
      MONITOR.replace('label.tidemark.dev/env', 'tidemark.dev/env'),
      'a.yaml:8 metadata.labels["tidemark.dev/env"] is not a known label: those of the monitor have the prefix label.',
    ],
    [
      'another prefix of a label',
      MONITOR.replace('label.tidemark.dev/env', 'labels.tidemark.dev/env'),
      'a.yaml:8 metadata.labels["labels.tidemark.dev/env"] is not a known label',
    ],
    [
      'a slip in the values of a Secret',
      SECRET.replace('stringData', 'strngData'),
      'a.yaml:6 strngData is not a known',
    ],
    ['a slip in a Secret', SECRET.replace('namespace:', 'ns:'), 'a.yaml:4 metadata.ns is not a known key'],
    ['labels in the spec', `${MONITOR}  labels: { a: b }\n`, 'a.yaml:29 spec.labels is not a known key: write labels'],
    ['a key of its own', `${MONITOR}  externalKey: a\n`, 'a.yaml:29 spec.externalKey is not a known key: namespace'],
    ['a label that is no text', MONITOR.replace('env: prod', 'env: 1'), 'a.yaml:8 metadata.labels["label.tidemark.dev'],
    ['suspend that is no boolean', MONITOR.replace('suspend: true', 'suspend: yes'), 'a.yaml:17 spec.suspend must be'],
    ['data that is not text', SECRET.replace('c2VjcmV0Cg==', '/w=='), 'a.yaml:5 data.token must be base64 of a text'],
    ['data that is not base64', SECRET.replace('c2VjcmV0Cg==', '"*"'), 'a.yaml:5 data.token must be base64'],
  ])('names file and line of %s', (_, text, expected) => {
    expect(faults(text)).toEqual([expect.stringContaining(expected)])
  })

  test('without apiVersion names the faults of name and spec too', () => {
    const text = MONITOR.replace('apiVersion: tidemark.dev/v1\n', '').replace('name: kettle', 'name: a b')
    expect(faults(text.replace('suspend: true', 'suspend: yes'))).toEqual([
      expect.stringContaining('a.yaml:2 apiVersion is required'),
      expect.stringContaining('a.yaml:4 metadata.name must have'),
      expect.stringContaining('a.yaml:16 spec.suspend must be'),
    ])
    expect(read(text).flawed).toHaveLength(1)
  })

  test('is no annotation and no label that others wrote, or the operator on a mirror', () => {
    const others = MONITOR.replace(
      'app: other',
      'app: other\n    tidemark.dev/mirror-of: a\n    eu.example/tidemark.dev: b',
    ).replace(
      'tidemark.dev/adopt: 5c1f',
      'tidemark.dev/mirrored: a\n    example.com/adopt: b\n    nottidemark.dev/a: c',
    )
    expect(faults(others)).toEqual([])
  })

  test('names both documents of one name', () => {
    const found = readManifests([
      { file: 'a.yaml', text: MONITOR },
      { file: 'b.yaml', text: `# second\n${MONITOR}` },
      { file: 'c.yaml', text: MONITOR.replace('namespace: shop', 'namespace: other') },
    ])
    expect(found.manifests.map(({ namespace }) => namespace)).toEqual(['shop', 'other'])
    expect(found.faults).toMatchObject([
      {
        file: 'b.yaml',
        line: 6,
        path: 'metadata.name',
        message: 'metadata.name is used twice: Monitor shop/kettle is in a.yaml:2 already',
      },
    ])
  })

  test('of a text that is made to fill the memory or the stack is one line', () => {
    expect(faults('['.repeat(100_000))).toEqual(['a.yaml:1 is nested too deeply'])
    const bomb = Array.from({ length: 9 }, (_x, i) => `a${i}: &a${i} [${`*a${i - 1},`.repeat(10)}]`).slice(1)
    expect(faults(`a0: &a0 [x]\n${bomb.join('\n')}\n`)).toEqual([expect.stringContaining('Excessive alias count')])
  })
})

describe('values of Secrets', () => {
  const secret = (values: Record<string, string>) => ({
    namespace: 'shop',
    name: 'keys',
    values,
    place: { file: 'a.yaml', line: 1, column: 1 },
  })

  test('two Secrets of one name add up, and the later one wins', () => {
    const { valueOf } = secretSource([secret({ a: '1', b: '1' }), secret({ b: '2' })], {})
    const values = ['a', 'b', 'c', '__proto__'].map((key) => valueOf({ namespace: 'shop', name: 'keys', key }))
    expect(values).toEqual(['1', '2', null, null])
  })

  test('a variable without a value is none', () => {
    const { valueOf } = secretSource([], { SECRET_KEYS_A: '', SECRET_KEYS_B: 'x' })
    expect(['a', 'b'].map((key) => valueOf({ namespace: 'shop', name: 'keys', key }))).toEqual([null, 'x'])
  })
})

describe('resolving a manifest', () => {
  test('gives the body of the API, with labels and the values of Secrets', () => {
    const resolved = resolveManifest(only(MONITOR), MonitorSpec, secretSource(read(SECRET).secrets, {}))
    expect(resolved).toMatchObject({
      faults: [],
      body: {
        name: 'Kettle',
        schedule_interval_seconds: 600,
        extract_config: { method: 'css', fields: { in_stock: '#stock' } },
        request_headers: { 'X-Token': 'secret' },
        deliveries: [{ type: 'webhook', url: 'https://hooks.example.com/a' }],
        labels: { env: 'prod' },
      },
    })
  })

  test('names each value of a Secret that is missing, at the reference, and what gives it', () => {
    const elsewhere = { namespace: 'shpo', name: 'keys', values: { hook: 'a' }, place: only(MONITOR).place }
    const { faults: missing } = resolveManifest(
      only(MONITOR),
      MonitorSpec,
      secretSource([elsewhere], { SECRET_KEYS_TOKEN: '' }),
    )
    expect(missing).toEqual([
      {
        file: 'a.yaml',
        line: 25,
        column: 7,
        path: 'spec.requestHeadersFrom[0].secretKeyRef',
        message:
          'spec.requestHeadersFrom[0].secretKeyRef: the Secret shop/keys has no value for the key token: add a ' +
          'Secret document, or the variable SECRET_KEYS_TOKEN, which is empty',
      },
      {
        file: 'a.yaml',
        line: 28,
        column: 18,
        path: 'spec.deliveries[0].urlFrom.secretKeyRef',
        message:
          'spec.deliveries[0].urlFrom.secretKeyRef: the Secret shop/keys has no value for the key hook: add a Secret ' +
          'document, or the variable SECRET_KEYS_HOOK; the namespace shpo has it',
      },
    ])
  })

  test.each([
    ['urlFrom: { secretKeyRef: { name: keys, key: hook } }', 'urlFrom: {}', 28, 'deliveries[0].urlFrom must have'],
    ['urlFrom: { secretKeyRef: { name: keys, key: hook } }', 'urlFrom: text', 28, 'deliveries[0].urlFrom must have'],
    ['- type: webhook', '- type: webhook\n      url: https://a.example.com/', 29, 'urlFrom cannot be given beside url'],
    ['secretKeyRef: { name: keys, key: token }', 'key: token', 23, 'requestHeadersFrom must have items'],
    ['deliveries:\n    - type: webhook', 'deliveries:\n    - 3\n    - type: webhook', 27, 'deliveries[0] must be'],
  ])('refuses a reference that is none: %s → %s', (before, after, line, message) => {
    const resolved = resolveManifest(
      only(MONITOR.replace(before, after)),
      MonitorSpec,
      secretSource(read(SECRET).secrets, {}),
    )
    expect(resolved).toMatchObject({ faults: [{ line, message: expect.stringContaining(message) }] })
  })

  test('gives faults of the API their lines and the spelling of the manifest', () => {
    const issues = [
      { path: 'extract_config.fields.in_stock', message: 'is bad' },
      { path: 'labels.env', message: 'is long' },
      { path: '', message: 'is odd' },
    ]
    expect(faultsOf(only(MONITOR), issues)).toMatchObject([
      {
        line: 21,
        column: 7,
        path: 'spec.extractConfig.fields.in_stock',
        message: expect.stringMatching(/^spec.* is bad$/),
      },
      { line: 8, column: 5, message: 'metadata.labels["label.tidemark.dev/env"] is long' },
      { line: 13, column: 1, path: 'spec', message: 'spec is odd' },
    ])
  })
})
