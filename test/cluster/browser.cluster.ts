import { cp, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apply, describeInCluster, helm, inTime, isOneNode, kubectl, kubectlWith, list } from './kubectl.ts'
import { condition, installRelease, NAMESPACE, type Release, ROOT } from './release.ts'
import { openSite, type Site } from './site.ts'

const PROFILE = 'tidemark/chromium.json'
const SECCOMP_FOLDER = '/var/lib/tidemark-one-node/kubelet/seccomp'
/** A lease, and the time to notice that it ended. */
const TAKEN_OVER_MS = 150_000
const RUNNERS = ['-n', NAMESPACE, '-l', 'tidemark.dev/runners=tidemark-runner']

describeInCluster('Runner pods of a release', () => {
  let site: Site
  let release: Release

  beforeAll(async () => {
    site = await openSite()
    // So small that a node with two processors has room for all of them.
    release = await installRelease(
      site,
      '--set=runner.max=3,runner.slots=2,runner.idleSeconds=5',
      '--set=runner.resources.requests.cpu=20m,runner.browserResources.requests.cpu=20m',
      '--set=worker.replicas=1,api.replicas=1',
    )
  })
  afterAll(async () => {
    await release?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  const declare = (...names: readonly string[]) =>
    apply(
      ...names.map((name) => ({
        apiVersion: 'tidemark.dev/v1',
        kind: 'Monitor',
        metadata: { name, namespace: NAMESPACE },
        spec: {
          name,
          url: `${site.url}/rendered/${name}`,
          fetchMode: 'browser',
          scheduleIntervalSeconds: 86_400,
          extractConfig: { method: 'css', fields: { price: '.price' } },
          diffPredicate: { type: 'any_field_changes' },
        },
      })),
    )

  const runsOf = async (id: string) =>
    (JSON.parse((await release.api('GET', `/v1/monitors/${id}/runs`)).body) as { data: Run[] }).data

  /** Resolves when nothing is left of the runners that there were. */
  const allGone = () =>
    inTime(
      async () => [...(await list('jobs,pods,secrets', ...RUNNERS))].map(({ kind, metadata }) => [kind, metadata.name]),
      (left) => left.length === 0,
      240_000,
    )

  test('come with a check that needs a browser, render it without the sandbox, and say so', async () => {
    await declare('first')
    const monitor = await condition('monitor', 'first', 'Healthy', 'True')
    expect(monitor.status.values).toEqual({ price: '$1' })
    const [run] = await runsOf(monitor.status.id)
    expect(run).toMatchObject({ status: 'success', fetch_method: 'browser' })
    await inTime(
      () => list('-n', NAMESPACE, 'events.events.k8s.io'),
      (events) => events.some(({ reason }) => reason === 'BrowserUnsandboxed'),
    )
  })

  test('that are killed in the middle of a check lose nothing: another one does the same run', async () => {
    await site.hold()
    await declare('held')
    await inTime(
      () => site.visits(),
      (visits) => (visits['held'] ?? 0) > 0,
    )
    await kubectl('delete', 'pods', ...RUNNERS, '--force', '--grace-period=0')
    await site.release()
    const monitor = await condition('monitor', 'held', 'Healthy', 'True', TAKEN_OVER_MS)
    const runs = await runsOf(monitor.status.id)
    expect(runs.map(({ status }) => status)).toEqual(['success'])
    expect((await site.visits())['held']).toBe(2)
  })

  test('that are evicted lose nothing', async () => {
    await site.hold()
    await declare('evicted')
    await inTime(
      () => site.visits(),
      (visits) => (visits['evicted'] ?? 0) > 0,
    )
    for (const { metadata, status } of await list('pods', ...RUNNERS))
      if (status.phase === 'Running') await evict(metadata.name)
    await site.release()
    const monitor = await condition('monitor', 'evicted', 'Healthy', 'True', TAKEN_OVER_MS)
    expect((await runsOf(monitor.status.id)).map(({ status }) => status)).toEqual(['success'])
  })

  test('grow in number with a burst of checks, to the limit, and are none again', async () => {
    const names = Array.from({ length: 10 }, (_, n) => `burst-${n}`)
    await site.hold()
    await declare(...names)
    const running = await inTime(
      async () => (await list('pods', ...RUNNERS)).filter(({ status }) => status.phase === 'Running'),
      (pods) => pods.length >= 3,
    )
    expect(running).toHaveLength(3)
    await site.release()
    for (const name of names) await condition('monitor', name, 'Healthy', 'True')
    await allGone()
    const visits = await site.visits()
    expect(names.map((name) => visits[name])).toEqual(names.map(() => 1))
  })

  test.runIf(isOneNode)('have the sandbox where the nodes have the profile of the chart', async () => {
    const file = join(SECCOMP_FOLDER, PROFILE)
    await mkdir(dirname(file), { recursive: true })
    await cp(join(ROOT, 'charts/tidemark/files/seccomp/chromium.json'), file)
    await helm(
      ...['upgrade', 'tidemark', join(ROOT, 'charts/tidemark'), '--namespace', NAMESPACE, '--reuse-values'],
      // With it, nothing is rendered where a browser has no sandbox.
      '--set=runner.sandbox=required',
      `--set=runner.seccompProfile.type=Localhost,runner.seccompProfile.localhostProfile=${PROFILE}`,
    )
    await declare('sandboxed')
    const monitor = await condition('monitor', 'sandboxed', 'Healthy', 'True')
    expect(monitor.status.values).toEqual({ price: '$1' })
  })
})

/** Asks the API server to evict a pod, as a drained node does. */
function evict(name: string): Promise<string> {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: NAMESPACE } }
  const path = `/api/v1/namespaces/${NAMESPACE}/pods/${name}/eviction`
  return kubectlWith(JSON.stringify(eviction), 'create', '--raw', path, '-f', '-')
}

interface Run {
  readonly status: string
  readonly fetch_method: string
}
