import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { apply, environment, helm, inTime, isOneNode, kubectl, list, read } from './kubectl.ts'
import type { Site } from './site.ts'

export const ROOT = join(import.meta.dirname, '../..')
/** Where the page of the docs installs the release. */
export const NAMESPACE = 'tidemark'
const API = `http://tidemark-api.${NAMESPACE}.svc`
const VOLUMES = '/var/lib/tidemark-test-volumes'
const CLAIMS = ['tidemark-postgres', 'tidemark-pictures']
/** Namespaces of which no pod may ask for more than the profile `restricted` allows. */
const RESTRICTED = { 'pod-security.kubernetes.io/enforce': 'restricted' }

/** Returns the blocks of shell in a page of the docs. */
export async function shellBlocks(page: string): Promise<readonly string[]> {
  const text = await readFile(join(ROOT, page), 'utf8')
  return Array.from(text.matchAll(/^```sh\n(.*?)^```$/gms), ([, block = '']) => block)
}

/** Runs lines as a person pastes them into a shell. Returns what they wrote; rejects when one of them fails. */
export async function paste(text: string): Promise<string> {
  const options = { cwd: ROOT, env: environment, maxBuffer: 64 * 1024 * 1024 }
  const { stdout, stderr } = await promisify(execFile)('bash', ['-ec', text], options)
  return stdout + stderr
}

/** Calls the API as the first owner, inside the cluster. */
type CallApi = (method: string, path: string, body?: object) => Promise<{ status: number; body: string }>

export interface Release extends AsyncDisposable {
  readonly api: CallApi
}

/**
 * Installs the release by the lines of the page, with the networks of the site opened. Refuses a cluster where its
 * namespace is there already.
 */
export async function installRelease(site: Site, ...more: readonly string[]): Promise<Release> {
  if ((await read('namespace', NAMESPACE)) !== null)
    throw new Error(`the cluster has a namespace ${NAMESPACE} already: choose another cluster`)
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels: RESTRICTED } })
  if (isOneNode) await makeVolumes()
  const [block = ''] = await shellBlocks('docs/kubernetes-install.md')
  const [install = '', ready = ''] = block.split('\n')
  const extra = [`--set=egress.allowPrivateCidrs={${site.cidrs.join(',')}}`, ...more]
  await paste(`${install} ${extra.map((arg) => `'${arg}'`).join(' ')}`)
  await paste(`${ready} --timeout=300s`)
  await allReady()
  const owner = await read('-n', NAMESPACE, 'secret', 'tidemark-owner')
  const key = Buffer.from(owner.data['api-key'], 'base64').toString()
  const api: CallApi = (method, path, body) =>
    site.call(
      method,
      `${API}${path}`,
      { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      body,
    )
  return { api, [Symbol.asyncDispose]: removeRelease }
}

/** Waits until the Deployments and StatefulSets have all their pods, of their newest template. */
export async function allReady(): Promise<void> {
  const kinds = ['deployment', 'statefulset']
  for (const object of await list('-n', NAMESPACE, kinds.join(',')))
    await kubectl(...['-n', NAMESPACE, 'rollout', 'status', `${object.kind}/${object.metadata.name}`, '--timeout=180s'])
}

/** Removes the release and all that it leaves. */
async function removeRelease(): Promise<void> {
  await helm('uninstall', 'tidemark', '--namespace', NAMESPACE, '--ignore-not-found', '--timeout', '120s')
  await kubectl('delete', 'namespace', NAMESPACE, '--ignore-not-found', '--timeout=120s')
  await kubectl('delete', 'crd', 'monitors.tidemark.dev', 'serpmonitors.tidemark.dev', '--ignore-not-found')
  if (!isOneNode) return
  await kubectl('delete', 'persistentvolume', ...CLAIMS, '--ignore-not-found')
  await kubectl('delete', 'storageclass', 'folders', '--ignore-not-found')
  await rm(VOLUMES, { recursive: true, force: true })
}

/** The cluster of one node makes no volumes. Each claim gets an empty folder, also after a run that was killed. */
async function makeVolumes(): Promise<void> {
  await rm(VOLUMES, { recursive: true, force: true })
  await apply({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'folders', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'kubernetes.io/no-provisioner',
  })
  for (const name of CLAIMS) {
    const path = join(VOLUMES, name)
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
