import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import {
  CHART,
  type Manifest,
  describeWithHelm,
  manifestsIn,
  manifestsOf,
  podOf,
  program,
  render,
  valuesFile,
} from './helm.ts'
import { allows } from './network-policies.ts'

const TRY_OUT = ['-f', valuesFile('try-out')]
const CLUSTER = ['-f', valuesFile('cluster')]
/** The sections of values whose pods have labels of their own. */
const PARTS = ['api', 'worker', 'operator', 'runner', 'setup', 'postgres']

const json = (name: string, value: unknown) => ['--set-json', `${name}=${JSON.stringify(value)}`]
const named = (manifests: readonly Manifest[], kind: string, name: string) => {
  const found = manifests.find((one) => one.kind === kind && one.metadata.name === name)
  if (!found) throw new Error(`there is no ${kind} ${name}`)
  return found
}
const podsIn = (manifests: readonly Manifest[]) => manifests.map(podOf).filter((pod) => pod !== null)
const containersIn = (manifests: readonly Manifest[]) =>
  podsIn(manifests).flatMap(({ spec }) => [...spec.containers, ...(spec.initContainers ?? [])])
const variable = (manifests: readonly Manifest[], name: string) => [
  ...new Set(
    containersIn(manifests).flatMap(({ env = [] }) => env.filter((one) => one.name === name).map((one) => one.value)),
  ),
]

/** Returns the paths of sections, and of the values in them. What Kubernetes defines is a value as a whole. */
const pathsIn = (values: object, above: readonly string[] = []): string[] =>
  Object.entries(values).flatMap(([key, value]: [string, unknown]) => {
    const path = [...above, key]
    if (WHOLE.includes(key)) return []
    const isSection = typeof value === 'object' && value !== null && !Array.isArray(value)
    return [path.join('.'), ...(isSection ? pathsIn(value, path) : [])]
  })
/** Null removes them, or what they have by default. */
const WHOLE = ['resources', 'browserResources', 'labels', 'seccompProfile']
describeWithHelm('The chart, for who runs a platform,', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-platform-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('renders the same each time, without asking a cluster, as tools that compare need it', async () => {
    for (const values of [TRY_OUT, CLUSTER]) expect((await render(...values)).out).toBe((await render(...values)).out)
    const files = await readdir(join(CHART, 'templates'), { recursive: true, withFileTypes: true })
    for (const file of files.filter((one) => one.isFile())) {
      const text = await readFile(join(file.parentPath, file.name), 'utf8')
      expect(text, file.name).not.toMatch(/\b(?:lookup|now|uuidv4|rand[A-Z]\w+|gen[A-Z]\w+|\.Capabilities)\b/)
    }
  })

  test('leaves the number of pods to what scales them', async () => {
    const manifests = await manifestsOf(...TRY_OUT, '--set', 'api.replicas=null,worker.replicas=null')
    for (const name of ['tidemark-api', 'tidemark-worker']) {
      expect(named(manifests, 'Deployment', name).spec).not.toHaveProperty('replicas')
      expect(named(manifests, 'PodDisruptionBudget', name).spec.maxUnavailable).toBe(1)
    }
    expect(named(await manifestsOf(...TRY_OUT), 'Deployment', 'tidemark-worker').spec.replicas).toBe(2)
  })

  test('lets a cluster assign the users of all pods', async () => {
    const users = (manifests: readonly Manifest[]) =>
      JSON.stringify(podsIn(manifests)).match(/"(?:runAsUser|runAsGroup|fsGroup)":/g)
    expect(users(await manifestsOf(...TRY_OUT))).not.toBeNull()
    const manifests = await manifestsOf(...TRY_OUT, '--set', 'assignedUsers=true')
    expect(users(manifests)).toBeNull()
    expect(podsIn(manifests).map(({ spec }) => spec)).toEqual(
      podsIn(manifests).map(() =>
        expect.objectContaining({ securityContext: expect.objectContaining({ runAsNonRoot: true }) }),
      ),
    )
  })

  test('listens on addresses of IPv6 where pods have them', async () => {
    expect(variable(await manifestsOf(...TRY_OUT), 'HOST')).toEqual(['0.0.0.0'])
    expect(variable(await manifestsOf(...TRY_OUT, '--set', 'listenAddress=::'), 'HOST')).toEqual(['::'])
  })

  test('asks for names on the ports that pods of DNS have', async () => {
    const manifests = await manifestsOf(...TRY_OUT, '--set', 'networkPolicy.dnsPorts={53,5353}')
    const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy')
    const end = { labels: {}, namespace: 'openshift-dns' }
    for (const component of ['api', 'worker', 'operator', 'setup', 'runner', 'test']) {
      const labels = {
        'app.kubernetes.io/name': 'tidemark',
        'app.kubernetes.io/instance': 'tidemark',
        'app.kubernetes.io/component': component,
      }
      for (const protocol of ['UDP', 'TCP'])
        for (const port of [53, 5353, 5354])
          expect(
            allows(policies, { labels, namespace: 'tidemark' }, 'egress', { end, port, protocol }),
            component,
          ).toBe(port !== 5354)
    }
  })

  test.each([
    ['imageRegistry', 'imagePullSecrets'],
    ['global.imageRegistry', 'global.imagePullSecrets'],
  ])('takes all images from the registry of %s, with %s', async (registry, secrets) => {
    const args = ['--set', `${registry}=registry.example.com/mirror`, ...json(secrets, [{ name: 'pull' }])]
    const digest = `sha256:${'a'.repeat(64)}`
    const manifests = await manifestsOf(...TRY_OUT, ...args, '--set', `runner.image.digest=${digest}`)
    expect(new Set(containersIn(manifests).map(({ image }) => image))).toEqual(
      new Set(
        ['tidemark-service:0.1.0', `tidemark-runner@${digest}`, 'postgres:18'].map(
          (name) => `registry.example.com/mirror/${name}`,
        ),
      ),
    )
    for (const { spec } of podsIn(manifests)) expect(spec.imagePullSecrets).toEqual([{ name: 'pull' }])
  })

  test('is a dependency of another chart', async () => {
    const parent = join(folder, 'platform')
    await mkdir(join(parent, 'charts'), { recursive: true })
    await cp(CHART, join(parent, 'charts/tidemark'), { recursive: true })
    const dependencies = [{ name: 'tidemark', version: '0.1.0', condition: 'tidemark.enabled' }]
    await writeFile(
      join(parent, 'Chart.yaml'),
      JSON.stringify({ apiVersion: 'v2', name: 'platform', version: '1.0.0', dependencies }),
    )
    const values = {
      global: { imageRegistry: 'registry.example.com', storageClass: 'fast' },
      tidemark: {
        ...{ enabled: true, postgres: { enabled: true }, pictures: { volume: { create: true } } },
        ...{ worker: { replicas: null } },
      },
    }
    await writeFile(join(parent, 'values.yaml'), JSON.stringify(values))
    const of = ['template', 'tidemark', parent, '-n', 'tidemark', '--kube-version', '1.34.10']
    const { ok, out } = await program('helm', ...of)
    expect(ok, out).toBe(true)
    const worker = named(manifestsIn(out), 'Deployment', 'tidemark-worker')
    expect(podOf(worker)?.spec.containers[0]?.image).toBe('registry.example.com/tidemark-service:0.1.0')
    expect(worker.spec).not.toHaveProperty('replicas')
  })

  test('gives the pods of each part labels and annotations of their own, before common labels', async () => {
    const own = PARTS.flatMap((part) => [
      ...json(`${part}.podLabels`, { part, 'sidecar.istio.io/inject': 'false' }),
      ...json(`${part}.podAnnotations`, { 'example.com/part': part }),
    ])
    const manifests = await manifestsOf(...TRY_OUT, '--set', 'commonLabels.part=all,commonLabels.cost=web', ...own)
    for (const { metadata } of podsIn(manifests)) {
      const component = metadata.labels?.['app.kubernetes.io/component'] ?? ''
      const part = component === 'test' ? 'setup' : component
      expect(metadata.labels, component).toMatchObject({ part, cost: 'web', 'sidecar.istio.io/inject': 'false' })
      expect(metadata.annotations, component).toMatchObject({ 'example.com/part': part })
    }
    const parts = podsIn(manifests).map(({ metadata }) => metadata.labels?.['part'])
    expect(new Set(parts)).toEqual(new Set(PARTS))
  })

  test('gives the labels of its own and those of values to all objects, each once', async () => {
    const labels = ['serviceMonitor', 'prometheusRule', 'dashboard'].flatMap((key) =>
      json(`metrics.${key}.labels`, { release: 'prometheus' }),
    )
    const { ok, out } = await render(...CLUSTER, '--set', 'commonLabels.release=all', ...labels)
    expect(ok, out).toBe(true)
    // A key that is there twice cannot be read.
    const manifests = manifestsIn(out)
    for (const { kind, metadata } of manifests) {
      const isSelected = ['ServiceMonitor', 'PrometheusRule', 'ConfigMap'].includes(kind)
      const release = isSelected ? 'prometheus' : 'all'
      const own = { 'app.kubernetes.io/name': 'tidemark', release }
      expect(metadata.labels, `${kind} ${metadata.name}`).toMatchObject(own)
    }
  })

  test('gives what runs once requests and limits that a quota asks for, on the nodes of the API', async () => {
    const resources = { requests: { cpu: '10m', memory: '128Mi' }, limits: { cpu: '1', memory: '300Mi' } }
    const manifests = await manifestsOf(
      ...TRY_OUT,
      ...json('setup.resources', resources),
      ...json('api', { priorityClassName: 'web', affinity: { nodeAffinity: {} }, nodeSelector: { pool: 'web' } }),
    )
    const short = containersIn(manifests).filter(({ name }) =>
      ['migrate', 'setup', 'keys', 'test', 'strip-finalizers'].includes(name),
    )
    expect(new Set(short.map(({ name }) => name)).size).toBe(5)
    for (const container of short) expect(container.resources, container.name).toMatchObject(resources)
    const setup = manifests.find(({ kind, metadata }) => kind === 'Job' && metadata.name.endsWith('-setup'))
    expect(setup?.spec.template.spec).toMatchObject({
      ...{ priorityClassName: 'web', affinity: { nodeAffinity: {} }, nodeSelector: { pool: 'web' } },
    })
  })

  test('puts all objects into the namespace of a value', async () => {
    const manifests = await manifestsOf(...TRY_OUT, '--set', 'namespaceOverride=watch')
    const namespaces = manifests.map(({ metadata }) => metadata.namespace).filter((one) => one !== undefined)
    expect(new Set(namespaces)).toEqual(new Set(['watch']))
    const bound = manifests.flatMap(({ subjects = [] }) => subjects.map(({ namespace }) => namespace))
    expect(new Set(bound)).toEqual(new Set(['watch']))
    expect(variable(manifests, 'TIDEMARK_BASE_URL')).toEqual(['http://tidemark-api.watch.svc'])
    const operator = podOf(named(manifests, 'Deployment', 'tidemark-operator'))
    expect(operator?.spec.containers[0]?.args).toEqual(expect.arrayContaining(['--namespace', 'watch']))
  })

  test.each([
    [[], 'http://tidemark-api.tidemark.svc'],
    [['--set', 'api.service.port=8080'], 'http://tidemark-api.tidemark.svc:8080'],
    [['--set', 'api.ingress.enabled=true,api.ingress.host=t.example.com'], 'http://t.example.com'],
    [
      ['--set', 'api.ingress.enabled=true,api.ingress.host=t.example.com,api.ingress.tlsSecretName=tls'],
      'https://t.example.com',
    ],
    [['--set', 'api.ingress.enabled=true,api.ingress.host=*.example.com'], 'http://tidemark-api.tidemark.svc'],
    [
      ['--set', 'api.ingress.enabled=true,api.ingress.host=t.example.com,api.baseUrl=https://other.example.com'],
      'https://other.example.com',
    ],
  ])('with %j links lead to %s', async (args, url) => {
    expect(variable(await manifestsOf(...TRY_OUT, ...args), 'TIDEMARK_BASE_URL')).toEqual([url])
  })

  test('belongs to a Gateway', async () => {
    const manifests = await manifestsOf(
      ...TRY_OUT,
      ...json('api.httpRoute', {
        enabled: true,
        parentRefs: [{ name: 'web', namespace: 'gateways' }],
        hostnames: ['t.example.com'],
      }),
    )
    expect(named(manifests, 'HTTPRoute', 'tidemark-api').spec).toEqual({
      parentRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'web', namespace: 'gateways' }],
      hostnames: ['t.example.com'],
      rules: [
        {
          matches: [{ path: { type: 'PathPrefix', value: '/' } }],
          backendRefs: [{ group: '', kind: 'Service', name: 'tidemark-api', port: 80, weight: 1 }],
        },
      ],
    })
  })

  test('gives the pods of each part an account of their own, and two of them a token', async () => {
    const role = 'arn:aws:iam::111122223333:role/tidemark'
    const own = PARTS.flatMap((part) =>
      json(`${part}.serviceAccountAnnotations`, { 'eks.amazonaws.com/role-arn': `${role}-${part}` }),
    )
    const manifests = await manifestsOf(...TRY_OUT, ...own)
    for (const part of PARTS) {
      const account = named(manifests, 'ServiceAccount', `tidemark-${part}`)
      expect(account.metadata.annotations).toEqual({ 'eks.amazonaws.com/role-arn': `${role}-${part}` })
      const pods = podsIn(manifests).filter(({ spec }) => spec.serviceAccountName === account.metadata.name)
      expect(pods.length, part).toBeGreaterThan(0)
      for (const { spec } of pods)
        expect(spec.automountServiceAccountToken, part).toBe(['operator', 'setup'].includes(part))
    }
  })

  test('lets a load balancer keep the addresses of clients, and take some of them only', async () => {
    const service = {
      ...{ type: 'LoadBalancer', ipFamilyPolicy: 'PreferDualStack', externalTrafficPolicy: 'Local' },
      ...{ loadBalancerClass: 'example.com/internal', loadBalancerSourceRanges: ['192.0.2.0/24', '198.51.100.7'] },
    }
    const of = async (more: object) =>
      named(await manifestsOf(...TRY_OUT, ...json('api.service', { ...service, ...more })), 'Service', 'tidemark-api')
        .spec
    expect(await of({})).toMatchObject({ ...service, loadBalancerSourceRanges: ['192.0.2.0/24', '198.51.100.7/32'] })
    // The API server refuses them of other types.
    expect(JSON.stringify(await of({ type: 'ClusterIP' }))).not.toMatch(/loadBalancer|externalTraffic/)
    expect(JSON.stringify(await of({ type: 'NodePort' }))).not.toMatch(/loadBalancer/)
  })

  test('judges each release of a cluster by itself', async () => {
    const rules = named(await manifestsOf(...CLUSTER), 'PrometheusRule', 'tidemark-metrics').spec.groups[0].rules
    expect(rules.length).toBeGreaterThan(3)
    for (const { alert, expr } of rules as { alert: string; expr: string }[])
      expect(expr.match(/\b(?:max|min|sum|avg|count|group)\b(?! by \(namespace[,)])/g), alert).toBeNull()
  })

  test('takes a key without content, as one whose content is commented out, for one that is not there', async () => {
    const keys = [
      ...['settings', 'secretSettings', 'commonLabels', 'extraEnv', 'imagePullSecrets', 'runner.seccompProfile'],
      ...['egress.allowPrivateCidrs', 'egress.denyCidrs', 'operator.namespaces', 'operator.watchNamespaces'],
      ...['networkPolicy.dns', 'networkPolicy.dnsPorts', 'networkPolicy.apiServerPorts', 'networkPolicy.extraEgress'],
    ]
    const { ok, out } = await render(...TRY_OUT, ...keys.flatMap((key) => ['--set', `${key}=null`]))
    expect(ok, out).toBe(true)
    expect(out).toBe((await render(...TRY_OUT)).out)
  })

  test('takes the default for sections and values that are null', async () => {
    const all = pathsIn(parse(await readFile(join(CHART, 'values.yaml'), 'utf8')) as object)
    for (const values of [TRY_OUT, CLUSTER]) {
      const given = pathsIn(parse(await readFile(values[1] ?? '', 'utf8')) as object)
      const free = all.filter((path) => !given.includes(path))
      const { out: byDefault } = await render(...values)
      const sections = free.filter((path) => all.some((other) => other.startsWith(`${path}.`)))
      // A number of pods that is null is left to what scales them.
      const own = free.filter((path) => !sections.includes(path) && !path.endsWith('.replicas'))
      expect(sections).toEqual(expect.arrayContaining(['worker', 'runner', 'api.service', 'networkPolicy']))
      const byDepth = [1, 2, 3].map((depth) => sections.filter((path) => path.split('.').length === depth))
      for (const paths of [...byDepth, own].filter(({ length }) => length > 0)) {
        const { ok, out } = await render(...values, '--set', paths.map((path) => `${path}=null`).join(','))
        expect(ok, out).toBe(true)
        expect(out).toBe(byDefault)
      }
    }
    // What is needed has no default.
    for (const section of ['database', 'pictures', 'pictures.bucket'])
      expect((await render(...CLUSTER, '--set', `${section}=null`)).out).toMatch(/: set (?:database|pictures)\./)
  })

  test('lets the operator write mirrors in all namespaces only where that is wanted', async () => {
    const verbs = async (...args: string[]) => {
      const role = named(await manifestsOf(...TRY_OUT, ...args), 'ClusterRole', 'tidemark-tidemark-operator')
      const of = (resource: string) =>
        (role.rules ?? []).flatMap(({ resources = [], verbs: own = [] }) => (resources.includes(resource) ? own : []))
      return [...of('monitors'), ...of('monitors/mirror').map((verb) => `mirror:${verb}`)]
    }
    expect(await verbs()).toEqual(['get', 'list', 'watch', 'patch'])
    const all = ['get', 'list', 'watch', 'patch', 'create', 'update', 'delete', 'mirror:update']
    expect(await verbs('--set', 'operator.mirrors=true')).toEqual(all)
  })

  test('lets the operator change its own lease alone', async () => {
    const role = named(await manifestsOf(...TRY_OUT), 'Role', 'tidemark-operator')
    const rules = (role.rules ?? []).filter(({ resources }) => resources?.includes('leases'))
    expect(rules).toEqual([
      expect.objectContaining({ verbs: ['create'] }),
      expect.objectContaining({ verbs: ['get', 'update'], resourceNames: ['tidemark-operator'] }),
    ])
  })

  test.each([
    [['--set', 'api.httpRoute.enabled=true'], 'set api.httpRoute.parentRefs'],
    [['--set', 'runner.seccompProfile.type=Localhost'], 'set runner.seccompProfile.localhostProfile'],
    [json('extraEnv', [{ name: 'HOST', value: '::' }]), 'extraEnv has HOST, which is there already'],
    [json('extraEnv', [{ name: 'DATABASE_URL', value: 'x' }]), 'extraEnv has DATABASE_URL, which is there already'],
    [json('extraEnv', [{ name: 'PORT', value: '1' }]), 'extraEnv has PORT, which is there already'],
    [
      [...json('extraEnv', [{ name: 'A' }, { name: 'A' }])],
      'extraEnv has A, which is there already: the chart or another value sets it, or it is there twice',
    ],
    [
      [...json('extraEnv', [{ name: 'SMTP_FROM', value: 'a@b.example' }]), '--set', 'settings.SMTP_FROM=a@b.example'],
      'extraEnv has SMTP_FROM, which is there already',
    ],
    [
      json('api.podLabels', { 'app.kubernetes.io/component': 'x' }),
      'api.podLabels has app.kubernetes.io/component, which the chart sets itself: leave it out',
    ],
    [
      json('runner.podLabels', { 'tidemark.dev/runners': 'x' }),
      'runner.podLabels has tidemark.dev/runners, which the chart sets itself: leave it out',
    ],
    [
      json('metrics.serviceMonitor.labels', { 'helm.sh/chart': 'x' }),
      'metrics.serviceMonitor.labels has helm.sh/chart, which the chart sets itself: leave it out',
    ],
    [['--set', 'api.resources.limit.cpu=1'], "additional properties 'limit' not allowed"],
    [json('worker.tolerations', [{ keys: 'a' }]), "additional properties 'keys' not allowed"],
    [json('operator.affinity', { nodeAffinities: {} }), "additional properties 'nodeAffinities' not allowed"],
    [json('imagePullSecrets', ['registry']), 'got string, want object'],
    [json('imagePullSecrets', [{ secret: 'registry' }]), "additional properties 'secret' not allowed"],
    [['--set', 'runner.seccompProfile.profile=a.json'], "additional properties 'profile' not allowed"],
    [['--set', 'image.digest=0123456789abcdef'], 'does not match pattern'],
    [['--set', 'commonLabels.team=a team'], 'does not match pattern'],
    [['--set', 'listenAddress=127.0.0.1'], 'value must be one of'],
  ])('%j is refused in words', async (args, message) => {
    const { ok, out } = await render(...TRY_OUT, ...args)
    expect(ok).toBe(false)
    expect(out).toContain(message)
  })
})
