import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { FAMILY, VALUE_FAMILIES } from '../../schema/chart/value-families.ts'
import { valueFamilies } from '../../tools/generate/chart/value-families.ts'
import { valueLeaves } from '../../tools/generate/chart/walk-values.ts'
import { describeWithHelm, render, valuesFile } from './helm.ts'

/** Texts that nothing can judge before they are used: what another service calls its own, and settings. */
const FREE = [
  ...['pictures.bucket.name', 'pictures.bucket.region', 'operator.clusterId'],
  'extraEnv.*.value',
  // A start says what is wrong with one of them.
  'settings.',
]

const FAMILIES = (
  parse(valueFamilies()) as readonly {
    readonly pattern: string
    readonly words: string
    readonly paths: readonly string[]
  }[]
).map((family, at) => ({ ...family, name: Object.keys(VALUE_FAMILIES)[at] as keyof typeof VALUE_FAMILIES }))

test.each(Object.entries(VALUE_FAMILIES))('The family %s tells its examples apart', (_, family) => {
  const pattern = new RegExp(family.pattern)
  expect(family.accepts.filter((one) => !pattern.test(one))).toEqual([])
  expect(family.rejects.filter((one) => pattern.test(one))).toEqual([])
})

test('Each text among the values of the chart has a family, a list of choices or a pattern', () => {
  const texts = valueLeaves().filter(({ node: { type } }) => type === 'string')
  expect(texts.length).toBeGreaterThan(100)
  const free = texts.filter(({ node }) => !node.enum && node.pattern === undefined && node[FAMILY] === undefined)
  const unjudged = free.map(({ path }) => path.join('.')).filter((path) => !FREE.some((own) => path.startsWith(own)))
  expect(unjudged).toEqual([])
})

/** Returns values with one value at a path of the generated file. */
function valuesAt([key = '', ...rest]: readonly string[], value: string): unknown {
  const within = (path: readonly string[]) => (path.length === 0 ? value : valuesAt(path, value))
  const [next] = rest
  if (next === '@') return { [key]: { [value]: '1' } }
  if (next !== '*') return { [key]: within(rest) }
  const one = within(rest.slice(1))
  if (['requests', 'limits'].includes(key)) return { [key]: { memory: one } }
  return { [key]: [typeof one === 'string' ? one : { ...BESIDE[key], ...(one as object) }] }
}
/** What items of lists have beside the value that is tried. */
const BESIDE: Readonly<Record<string, object>> = {
  parentRefs: { name: 'web' },
  extraVolumeMounts: { name: 'tmp', mountPath: '/a' },
}

/** Returns the value as Helm's messages name it. */
const shown = (path: string): string =>
  path.endsWith('/@')
    ? `a key of ${path.slice(0, -2).replaceAll('/', '.')}`
    : path
        .replace(/(requests|limits)\/\*/, '$1/memory')
        .replaceAll('/*', '[0]')
        .replaceAll('/', '.')

describeWithHelm('The chart', () => {
  const rendered = (path: string, value: string) => {
    const [section = ''] = path.split('/')
    const values = valuesAt(path.split('/'), value) as Readonly<Record<string, unknown>>
    return render('-f', valuesFile('try-out'), '--set-json', `${section}=${JSON.stringify(values[section])}`)
  }

  test.each(FAMILIES)('takes a $name and refuses what is none in words', async ({ name, words, paths }) => {
    const { accepts, rejects } = VALUE_FAMILIES[name]
    const [path = ''] = paths
    expect(path).not.toBe('')
    const [right, wrong] = [await rendered(path, accepts[0]), await rendered(path, rejects[0])]
    // What the value is one part of may lack another part.
    expect(right.out).not.toContain('which is not')
    expect(wrong.ok).toBe(false)
    expect(wrong.out).toContain(`${shown(path)} is ${JSON.stringify(rejects[0])}, which is not ${words}`)
  })

  test.each([
    [['--set', 'egress.allowPrivateCidrs={10.0.0.0/8,10.0.0.0/33}'], 'egress.allowPrivateCidrs[1] is "10.0.0.0/33"'],
    [
      ['--set', 'egress.allowPrivateCidrs={::ffff:10.0.0.0/104}'],
      'egress.allowPrivateCidrs[0] is "::ffff:10.0.0.0/104"',
    ],
    [['--set', 'egress.denyCidrs={1:2:3:4:5:6:7:8:9}'], 'egress.denyCidrs[0] is "1:2:3:4:5:6:7:8:9", which is not'],
    [['--set', 'api.baseUrl=tidemark.example.com'], 'api.baseUrl is "tidemark.example.com", which is not an address'],
    [['--set', 'worker.resources.limits.memory=lots'], 'worker.resources.limits.memory is "lots"'],
    [['--set', 'encryptionKey.name=My-Keys'], 'encryptionKey.name is "My-Keys", which is not the name of an object'],
    [['--set', 'secretSettings.SMTP_URL.name=Mail'], 'secretSettings.SMTP_URL.name is "Mail"'],
    [['--set', 'settings.LLM_BASE_URL=models.example.com'], 'settings.LLM_BASE_URL is "models.example.com"'],
    [['--set-json', 'worker.tolerations=[{"operator":"exists"}]'], 'worker.tolerations[0].operator is "exists"'],
    [['--set-json', 'worker.tolerations=[{"key":"a","operator":"Exists","value":"b"}]'], 'Exists and a value'],
    [['--set-json', 'api.tolerations=[{"value":"b"}]'], 'api.tolerations[0] has no key: set one, or its operator'],
    [['--set-json', 'api.tolerations=[{"key":"a","tolerationSeconds":5}]'], 'set its effect to NoExecute'],
    [['--set', 'worker.resources.limits.memory=512Mi'], 'worker.resources.requests.memory is "768Mi", above worker.'],
    [['--set', 'runner.browserResources.requests.cpu=1500m,runner.browserResources.limits.cpu=1'], 'is "1500m", above'],
    [['--set', 'api.resources.limits.memory=5e8'], 'api.resources.requests.memory is "512Mi", above'],
    [['--set-string', 'worker.resources.limits=512Mi'], "at '/worker/resources/limits': got string, want object"],
    [['--set-string', 'setup.resources.requests.cpu='], 'setup.resources.requests.cpu is "", which is not a quantity'],
    [
      ['--set-json', 'networkPolicy.apiFrom=[{"ipBlock":{"cidr":"10.0.0.0/33"}}]'],
      'networkPolicy.apiFrom[0].ipBlock.cidr is "10.0.0.0/33", which is not a network with its length',
    ],
    [
      ['--set-json', 'networkPolicy.extraEgress=[{"to":[{"ipBlock":{"cidr":"10.0.0.0/8","except":["10.1.1.1"]}}]}]'],
      'networkPolicy.extraEgress[0].to[0].ipBlock.except[0] is "10.1.1.1"',
    ],
    [
      ['--set-json', 'networkPolicy.dns=[{"ipBlock":{}}]'],
      "at '/networkPolicy/dns/0/ipBlock': missing property 'cidr'",
    ],
    [['--set-json', 'metrics.from=[{}]'], "at '/metrics/from/0': minProperties: got 0, want 1"],
    [['--set-json', 'extraEnv=[{"name":"A","value":5}]'], "at '/extraEnv/0/value': got number, want string"],
    [['--set-json', 'extraVolumeMounts=[{"name":"a","mountPath":"/a"}]'], 'of which there is no volume: put it into'],
    [['--set-json', 'runner.extraVolumeMounts=[{"name":"tmp","mountPath":"/tmp/"}]'], 'something else is mounted'],
    [['--set-json', 'extraVolumes=[{"name":"data","emptyDir":{}}]'], 'extraVolumes[0].name is "data", which is there'],
    [['--set-json', 'extraVolumes=[{"emptyDir":{}}]'], "at '/extraVolumes/0': missing property 'name'"],
    [['--set-json', 'imagePullSecrets=[{"name":"Pull"}]'], 'imagePullSecrets[0].name is "Pull", which is not the name'],
    [['--set-json', 'global={"imagePullSecrets":[{"name":"Pull"}]}'], 'global.imagePullSecrets[0].name is "Pull"'],
    [
      ['--set-json', 'global={"imagePullSecrets":["pull"]}'],
      "at '/global/imagePullSecrets/0': got string, want object",
    ],
    [['--set', 'global.imageRegistry=https://a'], 'global.imageRegistry is "https://a", which is not a registry'],
    [['--set', 'runner.seccompProfile.localhostProfile=a'], 'set runner.seccompProfile.type to Localhost'],
    [
      ['--set-json', 'api.httpRoute={"enabled":true,"parentRefs":[{"namespace":"x"}]}'],
      "at '/api/httpRoute/parentRefs/0': missing property 'name'",
    ],
    [['--set', 'api.ingress.host=10.0.0.1'], 'api.ingress.host is "10.0.0.1", which is not a host name'],
    [['--set', 'encryptionKey.key=..data'], 'encryptionKey.key is "..data", which is not a key of a Secret'],
    [
      ['--set-json', 'worker.resources.requests={"nvidia.com/gpu":1}'],
      'worker.resources.requests.nvidia.com/gpu is set: set worker.resources.limits.nvidia.com/gpu to the same',
    ],
    [
      ['--set-json', 'worker.resources={"requests":{"a.example/b":1},"limits":{"a.example/b":2}}'],
      'worker.resources.requests.a.example/b is "1", and worker.resources.limits.a.example/b is "2": set both',
    ],
    [['--set-json', 'worker.resources.limits={"a.example/b":"0.5"}'], 'a.example/b is "0.5": set a whole number'],
    [['--set', 'postgres.volume.size=0'], 'postgres.volume.size is "0": set a size above 0'],
    [
      ['--set-json', 'metrics.from=[{"ipBlock":{"cidr":"10.0.0.0/8"},"podSelector":{}}]'],
      'metrics.from[0] has ipBlock and a selector: make two peers of them',
    ],
    [
      ['--set-json', 'networkPolicy.dns=[{"ipBlock":{"cidr":"10.0.0.0/8","except":["11.0.0.0/16"]}}]'],
      'networkPolicy.dns[0].ipBlock.except[0] is "11.0.0.0/16", which is no part of 10.0.0.0/8',
    ],
    [
      ['--set-json', 'networkPolicy.apiFrom=[{"ipBlock":{"cidr":"10.0.0.0/8","except":["10.0.0.0/8"]}}]'],
      'networkPolicy.apiFrom[0].ipBlock.except[0] is "10.0.0.0/8", which is no part of',
    ],
    [
      ['--set-json', 'networkPolicy.extraEgress=[{"ports":[{"port":"smtp","endPort":30}]}]'],
      'networkPolicy.extraEgress[0].ports[0] has endPort: set port to the number of the first port',
    ],
    [['--set-json', 'networkPolicy.extraEgress=[{"ports":[{"port":5,"endPort":4}]}]'], 'endPort is below port'],
    [['--set', 'api.baseUrl=https://:8080'], 'api.baseUrl is "https://:8080", which is not an address'],
    [['--set', 'api.baseUrl=https://a.example:99999'], 'api.baseUrl is "https://a.example:99999"'],
  ] as const)('%j is refused in words', async (args, message) => {
    const { ok, out } = await render('-f', valuesFile('try-out'), ...args)
    expect(ok).toBe(false)
    expect(out).toContain(message)
  })

  test('compares quantities of other units, and takes a request that is its limit', async () => {
    for (const memory of ['536870912', '0.5Gi', '512Mi', '524288Ki', '536870912e0', '+.5Gi']) {
      const { ok, out } = await render(
        '-f',
        valuesFile('try-out'),
        '--set-string',
        `api.resources.limits.memory=${memory}`,
      )
      expect(ok, out).toBe(true)
    }
  })

  test('takes peers, rules, volumes and tolerations as Kubernetes does', async () => {
    const values = {
      networkPolicy: {
        apiFrom: [{ podSelector: {}, namespaceSelector: { matchLabels: { team: 'web' } } }],
        extraEgress: [
          {
            to: [{ ipBlock: { cidr: 'fd00::/8', except: ['fd00::1/128'] } }],
            ports: [{ port: 'smtp', protocol: 'TCP' }],
          },
          { ports: [{ port: 5000, endPort: 5010 }] },
        ],
      },
      worker: {
        resources: { requests: { 'nvidia.com/gpu': 1 }, limits: { 'nvidia.com/gpu': '1', 'a.example/b': 2 } },
        tolerations: [
          { operator: 'Exists' },
          { key: 'spot', value: 'yes', effect: 'NoExecute', tolerationSeconds: 60 },
        ],
      },
      extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }, { name: 'scratch' }],
      extraVolumeMounts: [
        { name: 'ca', mountPath: '/etc/company', subPath: 'a/b', readOnly: true },
        { name: 'ca', mountPath: 'etc/other', subPath: './a//c' },
      ],
      postgres: { enabled: true, volume: { size: 10_737_418_240 } },
      encryptionKey: { name: 'x'.repeat(200) },
      extraEnv: [
        { name: '3SCALE_URL', value: 'http://a' },
        { name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'B', value: '' },
      ],
      runner: { seccompProfile: { type: 'Localhost', localhostProfile: 'profiles/runner.json' } },
      global: { imageRegistry: '', storageClass: 'fast' },
    }
    const args = Object.entries(values).flatMap(([key, value]) => ['--set-json', `${key}=${JSON.stringify(value)}`])
    const { ok, out } = await render('-f', valuesFile('try-out'), ...args)
    expect(ok, out).toBe(true)
  })
})
