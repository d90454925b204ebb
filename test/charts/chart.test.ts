import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CHART_SETTINGS } from '../../schema/chart/chart-values.ts'
import { Config } from '../../schema/config.ts'
import { type KubeApi, startKubeApi } from '../support/kube-api.ts'
import { describeIf } from '../support/skip.ts'
import {
  CHART,
  EXAMPLES,
  HELM_ADVICE,
  hasHelm,
  type Manifest,
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

describeIf(hasHelm(), HELM_ADVICE)('The chart', () => {
  let kube: KubeApi
  let folder: string
  let schemas: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-chart-'))
    kube = await startKubeApi()
    await kube.applyCrds(join(CHART, 'files/crds'))
    schemas = await writeKubeSchemas(kube, folder)
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
    for (const name of ['tidemark', 'shop'])
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
