import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { apply, inTime, kubectl, kubectlWith, read, RUN, RUN_LABEL } from './kubectl.ts'

const NAMESPACE = 'tidemark-site'
const IMAGE = 'tidemark:0.1.0'
const PROXY = `/api/v1/namespaces/${NAMESPACE}/services/site:80/proxy`

interface Arrival {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

type Held = 'rendered' | 'gate'

/** Pages to watch and a receiver of webhooks, in a pod of the cluster. */
export interface Site {
  /** Its address inside the cluster. */
  readonly url: string
  /** The networks that checks and deliveries have to reach. */
  readonly cidrs: readonly string[]
  /** Sets what a page shows. */
  price(page: string, text: string): Promise<void>
  /** How often a page was asked for. */
  visits(page: string): Promise<number>
  /** The addresses that asked for a page, one for each time. */
  visitors(page: string): Promise<readonly string[]>
  /** Webhooks that arrived at a path. */
  arrivals(path: string): Promise<readonly Arrival[]>
  /**
   * Pages of a kind do not answer from now on, and then all of them do. A browser waits for a document for 15 s, and
   * for a price that comes through the gate for 40 s.
   */
  hold(kind: Held): Promise<void>
  release(kind: Held): Promise<void>
  /** Asks for an address of the cluster, such as that of the API. Status 0: nobody answered. */
  call(method: string, url: string, headers: object, body?: object): Promise<{ status: number; body: string }>
}

/** Returns the site of this run of the tests, which all of its files share. What another run left is removed. */
export async function openSite(): Promise<Site> {
  const namespace = await read('namespace', NAMESPACE)
  if (namespace !== null && namespace.metadata.labels[RUN_LABEL] !== RUN) await removeSite()
  const program = await readFile(join(import.meta.dirname, 'site-pod.ts'), 'utf8')
  const metadata = { name: 'site', namespace: NAMESPACE, labels: { app: 'site' } }
  await apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels: { [RUN_LABEL]: RUN } } },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'site.mts': program } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: metadata.labels, ports: [{ port: 80, targetPort: 8080 }] },
    },
    { apiVersion: 'v1', kind: 'Pod', metadata, spec: podSpec() },
  )
  await kubectl('wait', '-n', NAMESPACE, '--for=condition=Ready', 'pod/site', '--timeout=120s')
  const [pod, service] = await Promise.all([
    read('-n', NAMESPACE, 'pod', 'site'),
    read('-n', NAMESPACE, 'service', 'site'),
  ])
  const get = async (path: string) => JSON.parse(await kubectl('get', '--raw', `${PROXY}/${path}`))
  const post = async (path: string, body = '') =>
    JSON.parse(await kubectlWith(body, 'create', '--raw', `${PROXY}/${path}`, '-f', '-'))
  const visitors = async (page: string): Promise<readonly string[]> => (await get('visitors'))[page] ?? []
  // The service leads to the pod a moment after the pod is ready.
  await inTime(
    () => get('visitors').catch(() => null),
    (seen) => seen !== null,
  )
  return {
    url: `http://site.${NAMESPACE}.svc`,
    // The guard sees the address of the service, and network policies that of the pod.
    cidrs: [pod.status.podIP, service.spec.clusterIP].map((address: string) => `${address}/32`),
    price: (page, text) => post(`price/${page}`, text),
    visits: async (page) => (await visitors(page)).length,
    visitors,
    arrivals: async (path) => ((await get('arrivals')) as Arrival[]).filter((arrival) => arrival.path === path),
    hold: (kind) => post(`hold/${kind}`),
    release: (kind) => post(`release/${kind}`),
    call: (method, url, headers, body) =>
      post('call', JSON.stringify({ method, url, headers, ...(body && { body: JSON.stringify(body) }) })),
  }
}

export const removeSite = (): Promise<string> => kubectl('delete', 'namespace', NAMESPACE, '--ignore-not-found')

const podSpec = () => ({
  automountServiceAccountToken: false,
  terminationGracePeriodSeconds: 0,
  containers: [
    {
      name: 'site',
      image: IMAGE,
      imagePullPolicy: 'IfNotPresent',
      command: ['/usr/local/bin/node', '/site/site.mts'],
      securityContext: { runAsUser: 10_001, runAsNonRoot: true },
      volumeMounts: [{ name: 'site', mountPath: '/site' }],
      readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
    },
  ],
  volumes: [{ name: 'site', configMap: { name: 'site' } }],
})
