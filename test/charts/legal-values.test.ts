import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type KubeApi, startKubeApi } from '../support/kubernetes/kube-api.ts'
import { describeWithHelm, render, valuesFile } from './helm.ts'

const LONG = 'x'.repeat(200)
const ONE = [{ podSelector: {}, namespaceSelector: {} }]

/** Values that look odd, and that Kubernetes takes. */
const LEGAL: readonly (readonly [string, object])[] = [
  [
    'names without a dot that are longer than a part of a host name',
    {
      encryptionKey: { name: LONG },
      imagePullSecrets: [{ name: LONG }],
      secretSettings: { SMTP_URL: { name: LONG, key: '.url' } },
      postgres: { volume: { storageClassName: LONG } },
      api: {
        priorityClassName: LONG,
        nodeSelector: { [`${'x'.repeat(70)}.example/disk`]: 'ssd' },
        ingress: { enabled: true, className: LONG, host: '*.10.example.com', tlsSecretName: LONG },
      },
    },
  ],
  [
    'variables that no shell can set',
    {
      extraEnv: ['3SCALE_URL', 'a:b', 'A B', '.'].map((name) => ({ name, value: '1' })),
    },
  ],
  [
    'paths that are written in another way',
    {
      extraVolumes: [{ name: 'own', emptyDir: {} }],
      extraVolumeMounts: ['.', './a//b', 'a/.', '...'].map((subPath, at) => ({
        name: 'own',
        mountPath: `etc/${at}`,
        subPath,
      })),
      runner: { seccompProfile: { type: 'Localhost', localhostProfile: './profiles/runner.json' } },
    },
  ],
  [
    'sizes and resources as numbers, in other units, and of devices',
    {
      postgres: { volume: { size: 10_737_418_240 } },
      api: { resources: { requests: { 'c.example/d': null }, limits: { cpu: null } } },
      worker: {
        resources: {
          requests: { cpu: '+.5', memory: 805_306_368, 'nvidia.com/gpu': 1, 'hugepages-2Mi': '4Mi' },
          limits: {
            'c.example/d': null,
            cpu: '1e0',
            memory: '0.75Gi',
            'nvidia.com/gpu': '1',
            'a.example/b': 2,
            'hugepages-2Mi': '4096Ki',
          },
        },
      },
    },
  ],
  [
    'tolerations, peers and ports of all forms',
    {
      api: {
        tolerations: [
          { key: '', operator: 'Exists' },
          { key: 'a', value: '' },
          { key: 'a', effect: '' },
        ],
      },
      metrics: { from: [{ ipBlock: { cidr: '10.9.9.9/8', except: ['10.1.0.0/16', '10.9.9.9/32'] } }, ...ONE] },
      networkPolicy: {
        extraEgress: [
          {},
          { to: [], ports: [{}] },
          { ports: [{ port: 5, endPort: 5 }, { port: 'smtp' }] },
          { to: [{ ipBlock: { cidr: 'FD00::/8', except: ['fd00:0:1::/48'] } }] },
        ],
      },
    },
  ],
]

describeWithHelm('A value that looks odd', () => {
  let kube: KubeApi
  let folder: string
  beforeAll(async () => {
    kube = await startKubeApi()
    folder = await mkdtemp(join(tmpdir(), 'tidemark-legal-'))
    await kube.call('POST', '/api/v1/namespaces', { metadata: { name: 'tidemark' } })
    await kube.call('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: LONG }, value: 1 })
  })
  afterAll(async () => {
    await kube?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  test.each(LEGAL)('is taken by the chart as by the API server: %s', async (_, values) => {
    const [given, objects] = [join(folder, 'values.json'), join(folder, 'objects.yaml')]
    await writeFile(given, JSON.stringify(values))
    const { ok, out } = await render('-f', valuesFile('try-out'), '-f', given)
    expect(ok, out).toBe(true)
    await writeFile(objects, out)
    const said = await kube.kubectl('apply', '--dry-run=server', '--validate=strict', '-f', objects)
    expect(said).toContain('deployment.apps/tidemark-worker created')
  })
})
