import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  apply,
  environment,
  helm,
  inTime,
  isOneNode,
  kubectl,
  list,
  NAMESPACES,
  read,
  RUN,
  RUN_LABEL,
  runOf,
} from './kubectl.ts'
import { VOLUMES } from './one-node-cluster.ts'
import type { Site } from './site.ts'
import { timed } from './timed.ts'

export const ROOT = join(import.meta.dirname, '../..')
/** Where the page of the docs installs the release. */
export const NAMESPACE = NAMESPACES.release
const API = `http://tidemark-api.${NAMESPACE}.svc`
const DEFINITIONS = ['monitors.tidemark.dev', 'serpmonitors.tidemark.dev']
/** The annotation with which Helm says which namespace has the release of an object. */
const OWNER = 'meta.helm.sh/release-namespace'
const CLAIMS = ['tidemark-postgres', 'tidemark-pictures']
/** Namespaces of which no pod may ask for more than the profile `restricted` allows. */
const RESTRICTED = { 'pod-security.kubernetes.io/enforce': 'restricted' }
/** The networks of pods and services: those of the page, and those of clusters that have others. */
const NETWORKS = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16']
/** The label's value while the release is being installed. */
const INSTALLING = `${RUN}-installing`
/** Pods of runners so small that a node with two processors has room for all of them, and that soon end. */
const VALUES = [
  '--set=runner.max=3,runner.slots=2,runner.idleSeconds=5',
  '--set=runner.resources.requests.cpu=20m,runner.browserResources.requests.cpu=20m',
  // A page of the site that takes no time is rendered within a second: so much disk is for its tests.
  '--set=runner.resources.requests.ephemeral-storage=32Mi,runner.resources.limits.ephemeral-storage=32Mi',
  '--set=settings.TIDEMARK_RUNNER_START_SECONDS=30',
]

/** Returns the blocks of shell in a page of the docs, or in one of its sections. */
export async function shellBlocks(page: string, section?: string): Promise<readonly string[]> {
  const whole = await readFile(join(ROOT, page), 'utf8')
  const text =
    section === undefined ? whole : (whole.split(/^## /m).find((one) => one.startsWith(`${section}\n`)) ?? '')
  return Array.from(text.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = '']) => block)
}

/** Runs lines as a person pastes them into a shell. Returns what they wrote; rejects when one of them fails. */
export async function paste(text: string): Promise<string> {
  const options = { cwd: ROOT, env: environment, maxBuffer: 64 * 1024 * 1024 }
  const { stdout, stderr } = await promisify(execFile)('bash', ['-ec', text], options)
  return stdout + stderr
}

/** Calls the API as the first owner, inside the cluster. */
type CallApi = (
  method: string,
  path: string,
  body?: object,
  options?: { readonly forMs: number },
) => Promise<{ status: number; body: string }>

export interface Release {
  readonly api: CallApi
}

/**
 * Returns the release of this run of the tests, which all of its files share: the first one installs it by the lines of
 * the page, with the networks of the site opened, and with values of its own. What another run left is removed before
 * that. Refuses a cluster where the namespace is somebody else's.
 */
export async function openRelease(site: Site, ...values: readonly string[]): Promise<Release> {
  const run = await runOfRelease()
  if (run !== RUN) {
    if (run !== null) await removeRelease()
    await timed('the release is installed', install(site, values))
  }
  const owner = await read('-n', NAMESPACE, 'secret', 'tidemark-owner')
  const key = Buffer.from(owner.data['api-key'], 'base64').toString()
  const api: CallApi = (method, path, body, options) =>
    site.call({
      method,
      url: `${API}${path}`,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body }),
      ...options,
    })
  return { api }
}

/**
 * Returns the run of the tests that the release is of; null where there is none. Rejects where the namespace or the
 * definitions are somebody else's: with a definition go all its resources.
 */
async function runOfRelease(): Promise<string | null> {
  const run = await runOf(NAMESPACE)
  for (const { metadata } of await list('crd', ...DEFINITIONS)) {
    const isLabelled = metadata.labels?.[RUN_LABEL] !== undefined
    // A run that was killed while it installed has labelled the namespace only.
    if (!isLabelled && (run === null || metadata.annotations?.[OWNER] !== NAMESPACE))
      throw new Error(`the cluster has a definition ${metadata.name} that no test has made: choose another cluster`)
  }
  return run
}

async function install(site: Site, values: readonly string[]): Promise<void> {
  const labels = { ...RESTRICTED, [RUN_LABEL]: INSTALLING }
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels } })
  if (isOneNode) await makeVolumes()
  else await demandStorageClass()
  const [, block = ''] = await shellBlocks('docs/quickstart.md', 'Kubernetes')
  const [command = '', ...ready] = block.trim().split('\n')
  const extra = [`--set=egress.allowPrivateCidrs={${[...NETWORKS, ...site.cidrs].join(',')}}`, ...VALUES, ...values]
  await paste([`${command} ${extra.map((arg) => `'${arg}'`).join(' ')}`, ...ready].join('\n'))
  await allReady()
  await kubectl('label', 'crd', ...DEFINITIONS, `${RUN_LABEL}=${RUN}`)
  await kubectl('label', '--overwrite', 'namespace', NAMESPACE, `${RUN_LABEL}=${RUN}`)
}

interface Revision {
  readonly revision: number
  readonly description: string
}

const history = async (): Promise<readonly Revision[]> =>
  JSON.parse(await helm('history', 'tidemark', '--namespace', NAMESPACE, '--output', 'json')) as Revision[]

/** Upgrades the release by the chart of this repository, with its values and these. */
export const upgrade = (...options: readonly string[]): Promise<string> =>
  helm('upgrade', 'tidemark', join(ROOT, 'charts/tidemark'), '--namespace', NAMESPACE, '--reuse-values', ...options)

/** Seconds after which checks of a runner that is lost are taken over, while its tests run. */
export const SHORT_LEASE_SECONDS = 20
const SHORT = 'short leases'

/**
 * Upgrades the release for the tests of runner pods, unless that was done: with leases that end soon, exits that are
 * named for nodes, and the site in place of a search engine.
 */
export async function shortenLeases(site: Site): Promise<void> {
  if ((await history()).some(({ description }) => description === SHORT)) return
  const settings = {
    TIDEMARK_LEASE_SECONDS: SHORT_LEASE_SECONDS,
    TIDEMARK_SERP_ENDPOINTS: JSON.stringify({ google: site.url }),
  }
  const each = Object.entries(settings).map(([name, value]) => `--set-json=settings.${name}=${JSON.stringify(value)}`)
  await upgrade('--description', SHORT, '--set=exit.fromNode=true', ...each)
  await allReady()
}

/** Rolls the release back to what it was before that. */
export async function rollBackLeases(): Promise<void> {
  const { revision } = (await history()).findLast(({ description }) => description === SHORT) ?? { revision: 1 }
  await helm('rollback', 'tidemark', String(revision - 1), '--namespace', NAMESPACE)
  await allReady()
}

async function demandStorageClass(): Promise<void> {
  const isDefault = ({ metadata }: { metadata: { annotations?: Record<string, string> } }) =>
    metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true'
  if (!(await list('storageclass')).some(isDefault))
    throw new Error('the cluster of KUBECONFIG has no default storage class, which the page asks for')
}

/** Waits until the Deployments and StatefulSets have all their pods, of their newest template. */
export async function allReady(): Promise<void> {
  const kinds = ['deployment', 'statefulset']
  for (const object of await list('-n', NAMESPACE, kinds.join(',')))
    await kubectl(...['-n', NAMESPACE, 'rollout', 'status', `${object.kind}/${object.metadata.name}`, '--timeout=180s'])
}

/** Removes the release and all that it leaves. Refuses one that is somebody else's. */
export async function removeRelease(): Promise<void> {
  await runOfRelease()
  await helm('uninstall', 'tidemark', '--namespace', NAMESPACE, '--ignore-not-found', '--timeout', '120s')
  await kubectl('delete', 'namespace', NAMESPACE, '--ignore-not-found', '--timeout=120s')
  await kubectl('delete', 'crd', ...DEFINITIONS, '--ignore-not-found')
  if (!isOneNode) return
  await kubectl('delete', 'persistentvolume', ...CLAIMS, '--ignore-not-found')
  await kubectl('delete', 'storageclass', 'folders', '--ignore-not-found')
}

/** The cluster of one node makes no volumes: each claim gets a folder of this run. */
async function makeVolumes(): Promise<void> {
  await apply({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'folders', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'kubernetes.io/no-provisioner',
  })
  for (const name of CLAIMS) {
    // A database that an earlier run left has another password.
    const path = join(VOLUMES, RUN, name)
    await mkdir(path, { recursive: true })
    await chmod(path, 0o777)
    await apply({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: {
        capacity: { storage: '8Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'folders',
        claimRef: { namespace: NAMESPACE, name },
        hostPath: { path },
      },
    })
  }
}

/** Waits until a condition of a resource has a status, and returns the resource. */
export const condition = (kind: string, name: string, type: string, status: string, forMs?: number) =>
  inTime(
    () => read('-n', NAMESPACE, kind, name),
    (seen) =>
      seen?.status?.conditions?.some(
        (one: { type: string; status: string }) => one.type === type && one.status === status,
      ) === true,
    forMs,
  )

/** Returns a resource that reads the price of a page once a day, with these differences. */
export const monitorOf = (name: string, url: string, more: object = {}): object => ({
  apiVersion: 'tidemark.dev/v1',
  kind: 'Monitor',
  metadata: { name, namespace: NAMESPACE },
  spec: {
    name,
    url,
    scheduleIntervalSeconds: 86_400,
    extractConfig: { method: 'css', fields: { price: '.price' } },
    diffPredicate: { type: 'any_field_changes' },
    ...more,
  },
})
