import { beforeAll, expect, test } from 'vitest'
import { ROOT_FILE_SYSTEMS } from '../../images/root-file-systems.ts'
import { apply, describeInCluster, inTime, kubectl, NAMESPACES, needsNode } from './kubectl.ts'
import { putProfile } from './one-node-cluster.ts'
import { openSite, type Site } from './site.ts'

const NAMESPACE = NAMESPACES.site
const { volumes } = ROOT_FILE_SYSTEMS.tidemark.run

describeInCluster('The image that has everything', () => {
  let site: Site
  beforeAll(async () => {
    site = await openSite()
    await site.release('rendered')
  })

  /** Starts it in a pod with a read-only root and no rights, as it is but for the network of the site. */
  async function start(name: string, seccompProfile: object): Promise<void> {
    const folders = [...volumes, '/tmp'].map((mountPath) => ({ name: mountPath.slice(1), mountPath }))
    await apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: NAMESPACE },
      spec: {
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 20,
        containers: [
          {
            name: 'tidemark',
            image: 'tidemark:0.1.0',
            imagePullPolicy: 'IfNotPresent',
            env: [{ name: 'TIDEMARK_ALLOW_PRIVATE_CIDRS', value: site.cidrs.join(',') }],
            securityContext: {
              runAsNonRoot: true,
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
              seccompProfile,
            },
            volumeMounts: folders,
            readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1, timeoutSeconds: 10 },
          },
        ],
        volumes: folders.map((folder) => ({ name: folder.name, emptyDir: {} })),
      },
    })
    await kubectl('wait', '-n', NAMESPACE, '--for=condition=Ready', `pod/${name}`, '--timeout=120s')
  }
  /** Renders a page of the site in the pod, as a person would who is in it. */
  const render = (name: string, page: string) =>
    kubectl(
      ...['exec', '-n', NAMESPACE, name, '--', 'tidemark', 'check', `${site.url}/rendered/${page}`],
      ...['--browser', '--css', 'price=.price'],
    )

  test('serves, and renders nothing by the profile that engines have, but names the option to add', async () => {
    await start('whole', { type: 'RuntimeDefault' })
    // It is ready a moment before it says so.
    await inTime(
      () => kubectl('logs', '-n', NAMESPACE, 'whole'),
      (log) => /is running at \S+\n[^]*API key +svc_/.test(log),
    )
    await expect(render('whole', 'whole')).rejects.toThrow('--security-opt seccomp=chromium.json')
    expect(await site.visits('whole')).toBe(0)
    await kubectl('delete', 'pod', '-n', NAMESPACE, 'whole')
  })

  test('renders pages in the sandbox by the profile of the chart', async (context) => {
    needsNode(context)
    await start('whole-sandboxed', { type: 'Localhost', localhostProfile: await putProfile() })
    expect(await render('whole-sandboxed', 'sandboxed-whole')).toContain('$1')
    await inTime(
      () => site.visits('sandboxed-whole'),
      (count) => count > 0,
    )
    await kubectl('delete', 'pod', '-n', NAMESPACE, 'whole-sandboxed')
  })
})
