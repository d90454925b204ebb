import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { manifestYaml } from '../../manifests/manifest-yaml.ts'
import { describeWithApiServer, kubeAssets } from '../support/kubernetes/kube-assets.ts'

/** Texts that one version of YAML or one reader of it would make something else of. */
const TEXTS = [
  ...['yes', 'no', 'on', 'off', 'y', 'n', 'Y', 'N', 'True', 'NO', '~', 'null', '', '=', '<<', '---'],
  ...[
    '1_000',
    '0777',
    '0o777',
    '0b11',
    '0x1f',
    '1:30',
    '190:20:30.15',
    '1e3',
    '+1',
    '.5',
    '1.',
    '.inf',
    '.NaN',
    '1e400',
  ],
  ...['2020-01-01', '2020-1-1 1:1:1', '2020-01-01T00:00:00Z', '9007199254740993'],
  ...['!x', '#a', 'a #b', 'a: b', 'a:', '- a', '? a', '&a', '*a', '@a', '`a', '%a', '[a', '{a', '|', '>'],
  ...['a\nb', 'a\r\nb', 'lines\n', '\n\n', '\tx\n y', '  a\n b\n', '  x', 'a\n\tb', `${'long '.repeat(20)}\n\tend`],
  ...['a\u0085b', '\u2028', '\u2029', '\ufeffa', '\u0007', '\u007f', '\u00a0', '\u{1f600}'],
]
const MANIFEST = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a' },
  values: TEXTS,
  keys: Object.fromEntries(TEXTS.map((text, index) => [text, index])),
  others: [true, false, null, 0, 1.5, 1e21, -7],
}
/** One whose `spec` is long enough to be written as JSON. */
const LONG = { ...MANIFEST, spec: { ...MANIFEST, long: 'x'.repeat(70_000) } }
const yaml = (manifest: object = MANIFEST) => manifestYaml({ manifest: { ...manifest }, secrets: [] }, 'a')

test.each(['1.1', '1.2'] as const)('every text of a manifest is the same text to a reader of YAML %s', (version) => {
  const options = { version, schema: version === '1.1' ? 'yaml-1.1' : 'core', merge: version === '1.1' } as const
  for (const manifest of [MANIFEST, LONG]) expect(parse(yaml(manifest), options)).toEqual(manifest)
})

test('the spec of a long manifest is JSON, and its other parts are as people write them', () => {
  const [head = '', spec = ''] = yaml(LONG).split(/^spec:/m)
  expect(head).toContain('\nmetadata:\n  name: a\n')
  expect(JSON.parse(spec)).toEqual(LONG.spec)
})

const assets = kubeAssets()
describeWithApiServer('kubectl', () => {
  test('reads every text of a manifest as it is', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidemark-manifest-'))
    try {
      const file = join(folder, 'manifest.yaml')
      const args = ['label', '--local', '-f', file, 'seen=true', '-o', 'json']
      for (const manifest of [MANIFEST, LONG]) {
        writeFileSync(file, yaml(manifest))
        const read: unknown = JSON.parse(execFileSync(join(assets ?? '', 'kubectl'), args, { encoding: 'utf8' }))
        expect(read).toEqual({ ...manifest, metadata: { name: 'a', labels: { seen: 'true' } } })
      }
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
