import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { apply, inTime, kubectl, kubectlWith, read } from './kubectl.ts'

const NAMESPACE = 'tidemark-site'
const IMAGE = 'tidemark:0.1.0'
const PROXY = `/api/v1/namespaces/${NAMESPACE}/services/site:80/proxy`

interface Arrival {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Pages to watch and a receiver of webhooks, in a pod of the cluster. */
export interface Site extends AsyncDisposable {
  /** Its address inside the cluster. */
  readonly url: string
  /** The networks that checks and deliveries have to reach. */
  readonly cidrs: readonly string[]
  /** Sets what a page shows. */
  price(page: string, text: string): Promise<void>
  /** How often each page was asked for. */
  visits(): Promise<Readonly<Record<string, number>>>
  /** Webhooks that arrived at a path. */
  arrivals(path: string): Promise<readonly Arrival[]>
  /** Pages do not answer from now on, and then all of them do. */
  hold(): Promise<void>
  release(): Promise<void>
  /** Asks for an address of the cluster, such as that of the API. Status 0: nobody answered. */
  call(method: string, url: string, headers: object, body?: object): Promise<{ status: number; body: string }>
}

export async function openSite(): Promise<Site> {
  const program = await readFile(join(import.meta.dirname, 'site-pod.ts'), 'utf8')
  const metadata = { name: 'site', namespace: NAMESPACE, labels: { app: 'site' } }
  await apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
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
  // The service leads to the pod a moment after the pod is ready.
  await inTime(
    () => get('visits').catch(() => null),
    (seen) => seen !== null,
  )
  return {
    url: `http://site.${NAMESPACE}.svc`,
    // The guard sees the address of the service, and network policies that of the pod.
    cidrs: [pod.status.podIP, service.spec.clusterIP].map((address: string) => `${address}/32`),
    price: (page, text) => post(`price/${page}`, text),
    visits: () => get('visits'),
    arrivals: async (path) => ((await get('arrivals')) as Arrival[]).filter((arrival) => arrival.path === path),
    hold: () => post('hold'),
    release: () => post('release'),
    call: (method, url, headers, body) =>
      post('call', JSON.stringify({ method, url, headers, ...(body && { body: JSON.stringify(body) }) })),
    [Symbol.asyncDispose]: async () => {
      await kubectl('delete', 'namespace', NAMESPACE, '--ignore-not-found')
    },
  }
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
      readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
    },
  ],
  volumes: [{ name: 'site', configMap: { name: 'site' } }],
})
