import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { apply, inTime, kubectl, NAMESPACES, read, request, RUN, RUN_LABEL, runOf } from './kubectl.ts'

const NAMESPACE = NAMESPACES.site
const IMAGE = 'tidemark-service:0.1.0'
const PROXY = `/api/v1/namespaces/${NAMESPACE}/services/site:80/proxy`

interface Arrival {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

type Held = 'rendered' | 'gate'

/** Milliseconds that the site waits for an answer when it calls somebody. */
const CALL_MS = 20_000

interface SiteCall {
  readonly method: string
  readonly url: string
  readonly headers: object
  readonly body?: object
  /** How long to wait for the answer. */
  readonly forMs?: number
}

/** Pages to watch and a receiver of webhooks, in a pod of the cluster. */
export interface Site {
  /** Its address inside the cluster. */
  readonly url: string
  /** The networks that checks and deliveries have to reach. */
  readonly cidrs: readonly string[]
  /** Sets what a page shows. */
  price(page: string, text: string): Promise<unknown>
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
  hold(kind: Held): Promise<unknown>
  release(kind: Held): Promise<unknown>
  /** Asks for an address of the cluster, such as that of the API. Status 0: nobody answered in time. */
  call(request: SiteCall): Promise<{ status: number; body: string }>
}

/**
 * Returns the site of this run of the tests, which all of its files share. What another run left is removed. Nothing is
 * made where the release is somebody else's.
 */
export async function openSite(): Promise<Site> {
  await runOf(NAMESPACES.release)
  if (![null, RUN].includes(await runOf(NAMESPACE))) await removeSite()
  const program = await readFile(join(import.meta.dirname, 'site-pod.ts'), 'utf8')
  const metadata = { name: 'site', namespace: NAMESPACE, labels: { app: 'site' } }
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels: { [RUN_LABEL]: RUN } } })
  // A pod is refused where its service account, which the cluster makes, is not there yet.
  await inTime(
    () => read('-n', NAMESPACE, 'serviceaccount', 'default'),
    (account) => account !== null,
  )
  await apply(
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
  const get = <T>(path: string) => request<T>('GET', `${PROXY}/${path}`)
  const post = <T>(path: string, body: unknown = null) => request<T>('POST', `${PROXY}/${path}`, body)
  const visitors = async (page: string) => (await get<Record<string, string[]>>('visitors'))[page] ?? []
  // The service leads to the pod a moment after the pod is ready.
  await inTime(
    () => get<object>('visitors').catch(() => null),
    (seen) => seen !== null,
  )
  return {
    url: `http://site.${NAMESPACE}.svc`,
    // The guard sees the address of the service, and network policies that of the pod.
    cidrs: [pod.status.podIP, service.spec.clusterIP].map((address: string) => `${address}/32`),
    price: (page, text) => post(`price/${page}`, text),
    visits: async (page) => (await visitors(page)).length,
    visitors,
    arrivals: async (path) => (await get<Arrival[]>('arrivals')).filter((arrival) => arrival.path === path),
    hold: (kind) => post(`hold/${kind}`),
    release: (kind) => post(`release/${kind}`),
    call: ({ body, ...call }) => post('call', { forMs: CALL_MS, ...call, ...(body && { body: JSON.stringify(body) }) }),
  }
}

/** Removes it. Rejects where the namespace is somebody else's. */
export async function removeSite(): Promise<void> {
  if ((await runOf(NAMESPACE)) !== null) await kubectl('delete', 'namespace', NAMESPACE, '--ignore-not-found')
}

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
      // A busy node answers late, and a page that is not ready has no address.
      readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1, timeoutSeconds: 10 },
    },
  ],
  volumes: [{ name: 'site', configMap: { name: 'site' } }],
})
