import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHART_SETTINGS } from '../../schema/chart/setting-values.ts'
import { Config } from '../../schema/config/config.ts'
import { type KubeApi, startKubeApi } from '../support/kubernetes/kube-api.ts'
import {
  CHART,
  EXAMPLES,
  type Manifest,
  describeWithHelm,
  manifestsIn,
  manifestsOf,
  podOf,
  program,
  render,
  valuesFile,
} from './helm.ts'
import { writeKubeSchemas } from './kube-schemas.ts'

/** Kinds that the API server lacks: they belong to the Prometheus Operator. */
const FOREIGN_KINDS = ['ServiceMonitor', 'PrometheusRule']
/** Variables that are no settings. */
const PLAIN_VARIABLES = [
  'HOME',
  'OWNER_TEAM',
  'TIDEMARK_URL',
  'TIDEMARK_API_KEY',
  'POSTGRES_USER',
  'POSTGRES_DB',
  'POSTGRES_PASSWORD',
  'PGDATA',
]
const TRY_OUT = ['-f', valuesFile('try-out')]

describeWithHelm('The chart', () => {
  let kube: KubeApi
  let folder: string
  let schemas: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-chart-'))
    kube = await startKubeApi()
    await kube.applyCrds(join(CHART, 'files/crds'))
    schemas = await writeKubeSchemas(kube, folder)
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
    for (const name of ['tidemark', 'shop', '2024'])
      await kube.call('POST', '/api/v1/namespaces', { metadata: { name, labels } })
  })
  afterAll(async () => {
    await kube?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  test.each(EXAMPLES)('is rendered from %s.yaml as the golden file says', async (name) => {
    const { ok, out } = await render('-f', valuesFile(name))
    expect(ok, out).toBe(true)
    // The definitions have a generated file of their own.
    const manifests = out
      .split(/^---\n/m)
      .filter((text) => !/^kind: CustomResourceDefinition$/m.test(text) && text.trim() !== '')
    await expect(manifests.join('---\n')).toMatchFileSnapshot(`golden/${name}.yaml`)
  })

  test.each(EXAMPLES)('passes helm lint, kubeconform and kube-score with %s.yaml', async (name) => {
    const lint = await program('helm', 'lint', CHART, '--strict', '--kube-version', '1.34.10', '-f', valuesFile(name))
    expect(lint.ok, lint.out).toBe(true)
    const file = join(folder, `${name}.yaml`)
    await writeFile(file, (await render('-f', valuesFile(name))).out)
    // The definition of a definition refers to itself in a way that the program cannot follow; the server judges it.
    const skip = [...FOREIGN_KINDS, 'CustomResourceDefinition'].join(',')
    const conform = await program('kubeconform', '-schema-location', schemas, '-skip', skip, '-summary', file)
    expect(conform.out).toMatch(/Valid: [1-9]\d*, Invalid: 0, Errors: 0/)
    // An image has a version, so it need not be fetched again; without a limit of cpu a pod uses what is free.
    const args = ['--ignore-container-cpu-limit', '--ignore-test', 'container-image-pull-policy']
    const score = await program('kube-score', 'score', '--output-format', 'ci', ...args, file)
    expect(score.out.split('\n').filter((line) => line.startsWith('[CRITICAL]'))).toEqual([])
    expect(score.out).toMatch(/^\[OK\]/m)
  })

  test.each(EXAMPLES)('is accepted by the API server, in a restricted namespace, with %s.yaml', async (name) => {
    const manifests = await manifestsOf('-f', valuesFile(name))
    for (const manifest of manifests) {
      if (FOREIGN_KINDS.includes(manifest.kind)) continue
      const answer = await applied(kube, manifest)
      expect(answer, `${manifest.kind} ${manifest.metadata.name}`).toMatchObject({ status: expect.any(Number) })
      expect(answer.body.message ?? '', `${manifest.kind} ${manifest.metadata.name}`).toBe('')
    }
    const pods = manifests.map(podOf).filter((pod) => pod !== null)
    expect(pods.length).toBeGreaterThan(1)
    for (const { spec } of pods) {
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'tried' }, spec: withAccount(spec) }
      const answer = await kube.call('POST', '/api/v1/namespaces/tidemark/pods?dryRun=All', pod)
      expect(answer.body.message ?? '').toBe('')
    }
  })

  const SERVICE = {
    ...{ type: 'LoadBalancer', ipFamilyPolicy: 'PreferDualStack', externalTrafficPolicy: 'Local' },
    ...{ loadBalancerClass: 'example.com/internal', loadBalancerSourceRanges: ['192.0.2.0/24', '2001:db8::1'] },
  }
  const CA = [{ name: 'ca', mountPath: '/etc/company', readOnly: true }]
  const OF_CA = [{ name: 'ca', configMap: { name: 'company-ca' } }]

  test.each([
    [
      'a release and Secrets whose names are numbers',
      'r1',
      {
        fullnameOverride: 'tidemark',
        nameOverride: '2024',
        commonLabels: { year: '2024', on: 'true' },
        encryptionKey: { name: '1', key: '0x10' },
        secretSettings: { SMTP_URL: { name: '12e3', key: 'true' }, TIDEMARK_METRICS_TOKEN: { name: 'null' } },
        operator: { watchNamespaces: ['2024'], namespaces: ['1'], priorityClassName: '7' },
        runner: { runtimeClassName: '1', priorityClassName: '2' },
        pictures: { volume: { create: false, existingClaim: '007' } },
        postgres: { volume: { existingClaim: '008' } },
      },
    ],
    ['a release whose name is a number', '2024', { fullnameOverride: 'tidemark' }],
    [
      'hosts with a wildcard',
      'r1',
      { api: { ingress: { enabled: true, host: '*.example.com', className: 'on', tlsSecretName: '1' } } },
    ],
    [
      'networks of all kinds',
      'r1',
      {
        egress: {
          allowPrivateCidrs: [
            '10.0.0.0/8',
            '10.9.9.9',
            'fd00::/8',
            'FD12:0::1',
            'fc00::',
            '100.64.0.0/10',
            '0.0.0.0/0',
          ],
          denyCidrs: ['10.1.0.0/16', '1.1.1.1', '2a00::/16', '::/1', 'fd00:1::/32', '240.0.0.0/3'],
        },
        networkPolicy: {
          apiServerCidrs: ['10.96.0.1', 'fd00::1'],
          extraEgress: [{ to: [{ namespaceSelector: {} }], ports: [{ port: 587 }] }],
        },
      },
    ],
    ['all networks closed', 'r1', { egress: { denyCidrs: ['0.0.0.0/0', '::/0'] } }],
    [
      'files for its settings',
      'r1',
      {
        settings: { TIDEMARK_EXTRA_CA_FILE: '/etc/company/ca.crt' },
        extraVolumes: OF_CA,
        extraVolumeMounts: CA,
        runner: { extraVolumes: OF_CA, extraVolumeMounts: CA },
        extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/company/ca.crt' }],
      },
    ],
    [
      'what a platform asks of it',
      'r1',
      {
        ...{ assignedUsers: true, listenAddress: '::', imageRegistry: 'registry.example.com:5000/a', hostUsers: false },
        ...{ imagePullSecrets: [{ name: '1' }], networkPolicy: { dnsPorts: [53, 5353] } },
        ...{
          api: { replicas: null, podLabels: { on: 'true' }, service: SERVICE },
          worker: { replicas: null, podLabels: { year: '2024' } },
        },
        setup: { resources: { limits: { cpu: 1 } }, podLabels: { a: '1' }, podAnnotations: { b: '2' } },
      },
    ],
    [
      'no operator, no owner and one of everything',
      'r1',
      {
        ...{ operator: { enabled: false }, owner: { create: false }, hostUsers: false, topologySpread: false },
        ...{ api: { replicas: 1, autoscaling: { enabled: true, minReplicas: 1 } }, worker: { replicas: 1 } },
        ...{ runner: { max: 0 }, networkPolicy: { enabled: false }, podDisruptionBudget: { enabled: false } },
      },
    ],
  ] as readonly (readonly [string, string, object])[])(
    'is accepted by the API server with %s',
    async (_, release, values) => {
      const file = join(folder, 'values.yaml')
      await writeFile(file, JSON.stringify(values))
      const of = ['template', release, CHART, '-n', 'tidemark', '--kube-version', '1.34.10']
      const { ok, out } = await program('helm', ...of, ...TRY_OUT, '-f', file)
      expect(ok, out).toBe(true)
      for (const manifest of manifestsIn(out)) {
        const answer = await applied(kube, manifest)
        expect(answer.body.message ?? '', `${manifest.kind} ${manifest.metadata.name}`).toBe('')
        const pod = podOf(manifest)
        if (!pod) continue
        // Of a priority class that there is none of, the server says so.
        const spec = { ...withAccount(pod.spec), priorityClassName: undefined, runtimeClassName: undefined }
        const tried = { apiVersion: 'v1', kind: 'Pod', metadata: { ...pod.metadata, name: 'tried' }, spec }
        const said = await kube.call('POST', '/api/v1/namespaces/tidemark/pods?dryRun=All', tried)
        expect(said.body.message ?? '', `the pod of ${manifest.metadata.name}`).toBe('')
      }
    },
  )

  test('puts files that settings name into all pods that read them, and not into browsers', async () => {
    const json = (name: string, value: object) => ['--set-json', `${name}=${JSON.stringify(value)}`]
    const manifests = await manifestsOf(
      ...TRY_OUT,
      ...['--set', 'settings.TIDEMARK_EXTRA_CA_FILE=/etc/company/ca.crt'],
      ...json('extraVolumes', OF_CA),
      ...json('extraVolumeMounts', CA),
      ...json('runner.extraVolumes', OF_CA),
      ...json('runner.extraVolumeMounts', CA),
      ...json('extraEnv', [{ name: 'NODE_EXTRA_CA_CERTS', value: '/etc/company/ca.crt' }]),
    )
    const containers = manifests.flatMap((manifest) => {
      const { containers: main = [], initContainers = [] } = podOf(manifest)?.spec ?? {}
      return [...main, ...initContainers]
    })
    const withFile = containers.filter(({ env = [] }) => env.some(({ name }) => name === 'TIDEMARK_EXTRA_CA_FILE'))
    expect(new Set(withFile.map(({ name }) => name))).toEqual(
      new Set(['api', 'worker', 'operator', 'setup', 'migrate', 'runner']),
    )
    const mounts = (name: string) => containers.filter((one) => one.name === name).map((one) => one.volumeMounts ?? [])
    for (const { volumeMounts } of withFile) expect(volumeMounts).toContainEqual(CA[0])
    const ofNode = containers.filter(({ env = [] }) => env.some(({ name }) => name === 'NODE_EXTRA_CA_CERTS'))
    expect(new Set(ofNode.map(({ name }) => name))).toEqual(new Set(['api', 'worker', 'operator', 'setup', 'migrate']))
    for (const mounted of mounts('browser')) expect(mounted).not.toContainEqual(CA[0])
  })

  test('is refused in a restricted namespace when a pod may escalate', async () => {
    const [api] = (await manifestsOf(...TRY_OUT)).filter(({ kind }) => kind === 'Deployment')
    const spec = structuredClone(podOf(api as Manifest)?.spec) as unknown as {
      containers: { securityContext: object }[]
    }
    for (const container of spec.containers) container.securityContext = {}
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'tried' }, spec }
    const answer = await kube.call('POST', '/api/v1/namespaces/tidemark/pods?dryRun=All', pod)
    expect(answer).toMatchObject({ status: 403, body: { message: expect.stringContaining('restricted') } })
  })

  test.each([
    [[], 'a database is needed: set database.existingSecret.name'],
    [['--set', 'postgres.enabled=true'], 'pictures of pages need a place that all pods share'],
    [[...TRY_OUT, '--set', 'database.existingSecret.name=db'], 'are both set: choose one of them'],
    [[...TRY_OUT, '--set', 'pictures.bucket.name=b'], 'are both set: choose one of them'],
    [['--set', 'postgres.enabled=true,pictures.bucket.name=b'], 'set pictures.bucket.existingSecret.name'],
    [[...TRY_OUT, '--set', 'api.ingress.enabled=true'], 'set api.ingress.host'],
    [[...TRY_OUT, '--set', 'secretSettings.SMTP_URL.key=url'], 'secretSettings.SMTP_URL.name is empty'],
    [[...TRY_OUT, '--set', 'owner.create=false,operator.namespaces={shop}'], 'there is no default team'],
    [[...TRY_OUT, '--set', 'exit.fromNode=true,settings.TIDEMARK_EXIT_NAME=a'], 'are both set: choose one of them'],
    [[...TRY_OUT, '--set', 'replicas=2'], "additional properties 'replicas' not allowed"],
    [[...TRY_OUT, '--set', 'settings.TIDEMARK_RATE=2'], "additional properties 'TIDEMARK_RATE' not allowed"],
    [[...TRY_OUT, '--set', 'settings.DATABASE_URL=x'], "additional properties 'DATABASE_URL' not allowed"],
    [[...TRY_OUT, '--set', 'settings.SMTP_URL=x'], "additional properties 'SMTP_URL' not allowed"],
    [[...TRY_OUT, '--set', 'worker.replicas=0'], 'minimum: got 0, want 1'],
    [[...TRY_OUT, '--set-string', 'worker.replicas=2'], 'got string, want integer'],
    [[...TRY_OUT, '--set', 'image.pullPolicy=Sometimes'], 'value must be one of'],
    [[...TRY_OUT, '--set', 'metrics.port=8080'], 'metrics.port 8080 is a port of the API or of runners'],
    [[...TRY_OUT, '--set-string', 'fullnameOverride=2024'], 'names of Services begin with a letter'],
    [[...TRY_OUT, '--set', 'fullnameOverride=My_Name'], 'does not match pattern'],
    [[...TRY_OUT, '--set', 'commonLabels.app\\.kubernetes\\.io/name=x'], 'which the chart sets itself: leave it out'],
    [[...TRY_OUT, '--set', `commonLabels.team=${'x'.repeat(64)}`], 'maxLength: got 64, want 63'],
    [
      [...TRY_OUT, '--set', 'api.autoscaling.enabled=true,api.autoscaling.minReplicas=7'],
      'api.autoscaling.minReplicas is above maxReplicas',
    ],
    [[...TRY_OUT, '--set', 'egress.allowPrivateCidrs={10.0.0/8}'], 'which is not a network'],
    [[...TRY_OUT, '--set', 'egress.denyCidrs={example.com}'], 'which is not a network'],
    [[...TRY_OUT, '--set-json', 'networkPolicy.apiServerPorts=[]'], 'minItems: got 0, want 1'],
    [[...TRY_OUT, '--set', 'owner.email='], 'minLength: got 0, want 1'],
    [[...TRY_OUT, '--set', 'image.repository='], 'minLength: got 0, want 1'],
    [[...TRY_OUT, '--set', 'settings.TIDEMARK_PLANS_FILE=/a'], 'put it into the pods by extraVolumes'],
    [
      [
        ...TRY_OUT,
        '--set',
        'settings.TIDEMARK_EXTRA_CA_FILE=/a',
        '--set-json',
        'extraVolumeMounts=[{"name":"tmp","mountPath":"/a"}]',
      ],
      'put it into their pods by runner.extraVolumes',
    ],
  ] as const)('%j is refused in words', async (args, message) => {
    const { ok, out } = await render(...args)
    expect(ok).toBe(false)
    expect(out).toContain(message)
  })

  test('sets variables only that are settings, and each setting in one way', async () => {
    const manifests = (await Promise.all(EXAMPLES.map((name) => manifestsOf('-f', valuesFile(name))))).flat()
    const pods = manifests.map(podOf).filter((pod) => pod !== null)
    const containers = pods.flatMap(({ spec }) => [...spec.containers, ...(spec.initContainers ?? [])])
    const variables = containers.map(({ env = [] }) => env.map(({ name }) => name))
    for (const own of variables) expect(own).toEqual([...new Set(own)])
    const names = new Set(variables.flat())
    const known = [...Object.keys(Config.properties), ...PLAIN_VARIABLES]
    expect([...names].filter((name) => !known.includes(name))).toEqual([])
    expect(CHART_SETTINGS.filter((name) => !Object.hasOwn(Config.properties, name))).toEqual([])
  })

  test('names the exit of searches after the node of a pod, where that is wanted', async () => {
    const exits = async (...args: string[]) =>
      (await manifestsOf(...TRY_OUT, ...args)).flatMap((manifest) =>
        (podOf(manifest)?.spec.containers ?? []).flatMap(({ name, env = [] }) =>
          env.filter((variable) => variable.name === 'TIDEMARK_EXIT_NAME').map((variable) => [name, variable] as const),
        ),
      )
    expect(await exits()).toEqual([])
    const named = { name: 'TIDEMARK_EXIT_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }
    const byNode = await exits('--set', 'exit.fromNode=true')
    expect(new Map(byNode)).toEqual(
      new Map([
        ['runner', named],
        ['worker', named],
      ]),
    )
    const shared = { name: 'TIDEMARK_EXIT_NAME', value: 'office' }
    expect(await exits('--set', 'settings.TIDEMARK_EXIT_NAME=office')).toContainEqual(['runner', shared])
  })

  test('writes large numbers as digits, and reads a setting by its name', async () => {
    const args = ['--set', 'settings.TIDEMARK_RATE_LIMIT=10000000', '--set', 'settings.TIDEMARK_SIGNUP=open']
    const manifests = await manifestsOf(...TRY_OUT, ...args)
    const [api] = manifests.filter(({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith('-api'))
    expect(podOf(api as Manifest)?.spec.containers[0]?.env).toEqual(
      expect.arrayContaining([
        { name: 'TIDEMARK_RATE_LIMIT', value: '10000000' },
        { name: 'TIDEMARK_SIGNUP', value: 'open' },
      ]),
    )
  })

  test('restarts pods when a setting changes, and only then', async () => {
    const sums = async (...args: string[]) =>
      (await manifestsOf(...TRY_OUT, ...args))
        .map((manifest) => podOf(manifest)?.metadata.annotations?.['checksum/settings'])
        .filter((sum) => sum !== undefined)
    expect(await sums('--set', 'commonLabels.team=a')).toEqual(await sums())
    expect(await sums('--set', 'settings.TIDEMARK_SIGNUP=open')).not.toEqual(await sums())
  })

  test('keeps names within their limits, whatever the release is called', async () => {
    const { ok, out } = await program(
      ...(['helm', 'template', 'a-release-with-a-name-of-fifty-three-characters-in-al', CHART] as const),
      ...['--kube-version', '1.34.10', '-n', 'n'.repeat(63), ...TRY_OUT],
    )
    expect(ok, out).toBe(true)
    for (const [, name = ''] of out.matchAll(/^ {2}name: (\S+)$/gm)) expect(name.length, name).toBeLessThanOrEqual(253)
    for (const [, name = ''] of out.matchAll(/kind: Service\nmetadata:\n {2}name: (\S+)$/gm))
      expect(name.length, name).toBeLessThanOrEqual(63)
  })

  test('gives no rule with a wildcard, and lets nobody list Secrets', async () => {
    const manifests = (await Promise.all(EXAMPLES.map((name) => manifestsOf('-f', valuesFile(name))))).flat()
    const roles = manifests.filter(({ kind }) => kind.endsWith('Role')) as unknown as {
      rules: Record<string, string[]>[]
    }[]
    const rules = roles.flatMap(({ rules: own }) => own)
    expect(rules.filter((rule) => JSON.stringify(rule).includes('*'))).toEqual([])
    const ofSecrets = rules.filter(({ resources }) => resources?.includes('secrets'))
    expect(new Set(ofSecrets.flatMap(({ verbs = [] }) => verbs))).toEqual(new Set(['get', 'create', 'patch']))
  })

  test('has the definitions of the repository, kept at an uninstall where that is wanted', async () => {
    const crds = async (...args: string[]) =>
      (await manifestsOf(...TRY_OUT, ...args)).filter(({ kind }) => kind === 'CustomResourceDefinition')
    const [crd] = await crds()
    expect(crd?.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' })
    expect((await crds('--set', 'crds.keep=false'))[0]?.metadata.annotations).toBeUndefined()
    expect(await crds('--set', 'crds.enabled=false')).toEqual([])
    const names = (await crds()).map(({ metadata }) => metadata.name)
    const files = await readdir(new URL('../../crds/', import.meta.url))
    expect(names.toSorted()).toEqual(
      files.map((file) => file.replace(/^tidemark\.dev_(.*)\.yaml$/, '$1.tidemark.dev')).toSorted(),
    )
    // What the operator may do covers each of them.
    const roles = (await manifestsOf(...TRY_OUT)).filter(({ metadata }) =>
      /-(?:operator|view|edit)$/.test(metadata.name),
    )
    for (const name of names)
      expect(JSON.stringify(roles).split(`"${name.split('.', 1)[0]}"`).length).toBeGreaterThan(3)
  })
})

/** Applies an object as a server-side dry run. */
function applied(kube: KubeApi, manifest: Manifest) {
  const { apiVersion, kind, metadata } = manifest
  const plural = kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : `${kind}s`
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const scope = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`
  const plurals: Record<string, string> = { Ingress: 'ingresses' }
  const path = `${root}${scope}/${plurals[kind] ?? plural}/${metadata.name}`.toLowerCase()
  return kube.call('PATCH', `${path}?dryRun=All&fieldManager=test&force=true`, manifest, 'application/apply-patch+yaml')
}

/** Without controllers no namespace has the accounts that pods name. */
const withAccount = (spec: object) => ({ ...spec, serviceAccountName: undefined, automountServiceAccountToken: false })
