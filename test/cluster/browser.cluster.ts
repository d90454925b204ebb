import { beforeAll, beforeEach, expect, test } from 'vitest'
import { apply, describeInCluster, inTime, kubectl, list, needsNode, read } from './kubectl.ts'
import { putProfile } from './one-node-cluster.ts'
import {
  condition,
  monitorOf,
  NAMESPACE,
  openRelease,
  type Release,
  rollBackLeases,
  shortenLeases,
  upgrade,
} from './release.ts'
import {
  changeTemplate,
  claimWith,
  crashed,
  eventsOf,
  evict,
  exitNames,
  fillDisk,
  noOrphans,
  openJobs,
  processesOf,
  RUNNERS,
  type RunningPod,
  runningPods,
  tokenOf,
} from './runners.ts'
import { openSite, type Site } from './site.ts'

/** A lease, and the time to notice that it ended: the default one, where this file has not shortened it. */
const TAKEN_OVER_MS = 150_000
/** A preview is answered in this time, whatever happens to its pod. */
const PREVIEW_MS = 55_000
/** The time after which a pod that does not run is given up, and more. */
const GIVEN_UP_MS = 90_000
/** Megabytes: more than the ephemeral storage of a runner's container. */
const TOO_MUCH = 80

describeInCluster('Runner pods of a release', () => {
  let site: Site
  let release: Release

  beforeAll(async () => {
    site = await openSite()
    release = await openRelease(site)
    await shortenLeases(site)
  })
  // One that fails leaves the others alone.
  beforeEach(async () => {
    for (const kind of ['rendered', 'gate'] as const) await site.release(kind)
  })

  /** Declares monitors of pages that are rendered. */
  const declare = (names: readonly string[], more: object = {}, kind: 'rendered' | 'late' = 'rendered') =>
    apply(...names.map((name) => monitorOf(name, `${site.url}/${kind}/${name}`, { fetchMode: 'browser', ...more })))
  /** The same of pages whose prices come through the gate: their checks are long under way. */
  const declareLate = (names: readonly string[], more: object = {}) =>
    declare(
      names,
      { ...more, extractConfig: { method: 'css', fields: { price: '.price' }, waitFor: '.price.shown' } },
      'late',
    )
  const visited = (...names: readonly string[]) =>
    inTime(
      () => Promise.all(names.map((name) => site.visits(name))),
      (visits) => visits.every((count) => count > 0),
    )
  const runsOf = async (id: string) =>
    (JSON.parse((await release.api('GET', `/v1/monitors/${id}/runs`)).body) as { data: Run[] }).data
  const healthy = (name: string, forMs?: number) => condition('monitor', name, 'Healthy', 'True', forMs)

  test('come with a preview, which another one does when the first is killed', async () => {
    await inTime(runningPods, (pods) => pods.length === 0)
    await site.hold('gate')
    const began = performance.now()
    const preview = {
      url: `${site.url}/late/preview`,
      fetch_mode: 'browser',
      extract_config: { method: 'css', fields: { price: '.price' }, wait_for: '.price.shown' },
    }
    const answered = release.api('POST', '/v1/monitors/preview', preview, { forMs: PREVIEW_MS + 5_000 })
    const visits = (least: number) =>
      inTime(
        () => site.visitors('preview'),
        (seen) => seen.length >= least,
        PREVIEW_MS,
      )
    const [address] = await visits(1)
    const first = (await runningPods()).find(({ status }) => status.podIP === address)
    await killPod(first)
    await visits(2)
    await site.release('gate')
    const { status, body } = await answered
    expect(status, body).toBe(200)
    expect(JSON.parse(body)).toMatchObject({ status: 'success', fields: { price: '$1' } })
    expect(performance.now() - began).toBeLessThan(PREVIEW_MS)
  })

  test('come with a check that needs a browser, render it without the sandbox, and say so', async () => {
    await declare(['first'])
    const monitor = await healthy('first')
    expect(monitor.status.values).toEqual({ price: '$1' })
    const [run] = await runsOf(monitor.status.id)
    expect(run).toMatchObject({ status: 'success', fetch_method: 'browser' })
    await eventsOf('BrowserUnsandboxed', (events) => events.length > 0)
  })

  test('ask search engines from exits that are named for their nodes', async () => {
    const spec = { name: 'rank', keyword: 'kettle', targetDomain: 'shop.example.com', scheduleIntervalSeconds: 86_400 }
    const metadata = { name: 'rank', namespace: NAMESPACE }
    await apply({ apiVersion: 'tidemark.dev/v1', kind: 'SerpMonitor', metadata, spec })
    const nodes = (await list('nodes')).map((node) => node.metadata.name)
    await inTime(exitNames, (exits) => nodes.some((node) => exits.includes(node)))
  })

  const killPod = (pod: RunningPod | undefined) =>
    kubectl('-n', NAMESPACE, 'delete', 'pod', pod?.metadata.name ?? '', '--force', '--grace-period=0')

  /**
   * Begins a burst that is more than all pods can do, where there are none, and returns them. Its pages do not answer.
   */
  async function burst(names: readonly string[]): Promise<readonly RunningPod[]> {
    // Those that are about to end count, and take no checks.
    await inTime(openJobs, (jobs) => jobs.length === 0)
    await site.hold('rendered')
    await declare(names)
    return inTime(runningPods, (running) => running.length >= 3)
  }

  test('grow in number with a burst of checks, to the limit, and leave no process of a browser', async () => {
    const names = Array.from({ length: 10 }, (_, n) => `burst-${n}`)
    const pods = await burst(names)
    expect(pods).toHaveLength(3)
    await site.release('rendered')
    for (const name of names) await healthy(name)
    for (const name of names) expect(await site.visits(name), name).toBe(1)
    expect(await crashed(pods)).toEqual([])
    // Each check had a browser of its own. Those that are alive still wait for work.
    await site.hold('gate')
    await declareLate(['beside'])
    await visited('beside')
    const address = (await site.visitors('beside'))[0]
    const pod = (await runningPods()).find(({ status }) => status.podIP === address)
    const processes = await inTime(
      () => processesOf(pod?.metadata.name ?? '', 'browser'),
      (seen) => seen.every(({ state }) => state !== 'Z'),
    )
    expect(processes.find(({ pid }) => pid === 1)?.name).toBe('tini')
    await site.release('gate')
    await healthy('beside')
  })

  test('that are killed or evicted in the middle of checks lose nothing, and are none again', async () => {
    const names = Array.from({ length: 5 }, (_, n) => `lost-${n}`)
    await burst(Array.from({ length: 10 }, (_, n) => `before-${n}`))
    await site.hold('gate')
    await declareLate(names)
    // The pods that run get these five. On a busy machine they may be others than the three of the burst.
    await site.release('rendered')
    const [evicted, killed] = await inTime(
      async () => {
        const addresses = (await Promise.all(names.map((name) => site.visitors(name)))).flat()
        return (await runningPods()).filter(({ status }) => addresses.includes(status.podIP))
      },
      (atWork) => atWork.length >= 2,
    )
    if (!evicted || !killed) throw new Error('no pods are at work')
    const lostAt = performance.now()
    await Promise.all([evict(evicted.metadata.name), killPod(killed)])
    await site.release('gate')
    for (const name of names) {
      const monitor = await healthy(name, TAKEN_OVER_MS)
      expect(
        (await runsOf(monitor.status.id)).map((run) => run.status),
        name,
      ).toEqual(['success'])
    }
    sayBack('runners that were killed and evicted', lostAt)
    const visits = await Promise.all(names.map((name) => site.visits(name)))
    // One that is evicted may end what it has begun. One that is killed cannot.
    expect(visits.filter((count) => count > 1).length).toBeGreaterThanOrEqual(1)
    await inTime(runningPods, (running) => running.length === 0)
    await noOrphans(TAKEN_OVER_MS)
  })

  test('that are evicted by their ephemeral storage lose nothing', async () => {
    const names = ['full-0', 'full-1']
    // The price never comes: each check takes half a minute, and then succeeds without one.
    await site.hold('gate')
    await declare(names, {}, 'late')
    await visited(...names)
    const [address] = await site.visitors('full-0')
    const pod = (await runningPods()).find(({ status }) => status.podIP === address)?.metadata.name ?? ''
    await fillDisk(pod, TOO_MUCH)
    let last = ''
    const askAgain = () => {
      last = String(Date.now())
      const annotation = `tidemark.dev/run-requested-at=${last}`
      return kubectl('-n', NAMESPACE, 'annotate', '--overwrite', 'monitors', ...names, annotation)
    }
    // A kubelet looks once in a while. There is a check under way all the time.
    const { status } = await inTime(
      async () => {
        await askAgain()
        return read('-n', NAMESPACE, 'pod', pod)
      },
      (seen) => seen?.status.phase === 'Failed',
      TAKEN_OVER_MS,
    )
    const lostAt = performance.now()
    expect(status).toMatchObject({ reason: 'Evicted', message: expect.stringContaining('ephemeral') })
    await site.release('gate')
    for (const name of names) {
      const handled = await inTime(
        () => read('-n', NAMESPACE, 'monitor', name),
        (monitor) => monitor.status.lastHandledRequest === last,
      )
      const runs = await inTime(
        () => runsOf(handled.status.id),
        (seen) => seen.every((run) => run.status !== 'running'),
        TAKEN_OVER_MS,
      )
      // A busy machine may take longer for a document than a browser waits. No other failure is one of the machine.
      const ended = runs.map((run) => run.error_code ?? run.status).filter((how) => how !== 'timeout')
      expect(new Set(ended), name).toEqual(new Set(['success']))
      expect(await site.visits(name), name).toBeGreaterThanOrEqual(runs.length)
    }
    sayBack('a runner that was evicted by its storage', lostAt)
  })

  test('of a check that is to have a pod of its own do that check, and no other pod does', async () => {
    await site.hold('gate')
    await declareLate(['alone'], { isolation: 'pod' })
    await declare(['beside-0'])
    await visited('alone')
    const jobs = (await list('jobs', ...RUNNERS)).filter(({ metadata }) => metadata.labels['tidemark.dev/check'])
    const [job = ''] = jobs.map(({ metadata }) => metadata.name as string)
    expect(jobs).toHaveLength(1)
    const token = await tokenOf(job)
    await declare(['beside-1', 'beside-2'])
    // Its one claim is used, though checks wait that anybody else may have.
    expect(await claimWith(token)).toMatchObject({ checks: 0 })
    await site.release('gate')
    for (const name of ['alone', 'beside-0', 'beside-1', 'beside-2']) await healthy(name)
    const [pod] = await list('-n', NAMESPACE, 'pods', '-l', `batch.kubernetes.io/job-name=${job}`)
    expect(await site.visitors('alone')).toEqual([pod.status.podIP])
    for (const name of ['beside-0', 'beside-1', 'beside-2'])
      expect(await site.visitors(name), name).not.toContain(pod.status.podIP)
    await condition('job', job, 'Complete', 'True')
    await inTime(
      () => claimWith(token),
      ({ status }) => status === 401,
    )
  })

  test('that do not start are given up and said, and other checks go on', async () => {
    await noOrphans(TAKEN_OVER_MS)
    const restore = await changeTemplate({ image: 'tidemark-runner:there-is-none' })
    try {
      await declare(['stuck-0'])
      const [unpulled = ''] = await inTime(openJobs, (jobs) => jobs.length === 1)
      await changeTemplate({ resources: { requests: { memory: '1000Ti' }, limits: { memory: '1000Ti' } } })
      await declare(['stuck-1', 'stuck-2'])
      const [unscheduled = ''] = await inTime(
        async () => (await openJobs()).filter((name) => name !== unpulled),
        (jobs) => jobs.length === 1,
      )
      const jobs = [unpulled, unscheduled]
      const tokens = await Promise.all(jobs.map(tokenOf))
      // Checks without a browser do not wait for them.
      await apply(monitorOf('goes-on', `${site.url}/static/goes-on`))
      await healthy('goes-on')
      await eventsOf(
        'RunnerNotStarted',
        (events) => jobs.every((name) => events.some(({ regarding }) => regarding.name === name)),
        GIVEN_UP_MS,
      )
      const waiting = await condition('monitor', 'stuck-0', 'Healthy', 'Unknown')
      expect(waiting.status.conditions).toContainEqual(
        expect.objectContaining({ type: 'Healthy', reason: 'NoRunners', message: expect.stringContaining('30 s') }),
      )
      for (const token of tokens) expect(await claimWith(token)).toEqual({ status: 401, checks: 0 })
      for (const name of jobs) {
        await inTime(
          () => list('jobs,pods,secrets', ...RUNNERS),
          (left) => left.every(({ metadata }) => !metadata.name.startsWith(name)),
        )
      }
    } finally {
      await restore()
      // Those that came after the first two cannot start either.
      for (const name of await openJobs()) await kubectl('-n', NAMESPACE, 'delete', 'job', name, '--ignore-not-found')
    }
    const restoredAt = performance.now()
    for (const name of ['stuck-0', 'stuck-1', 'stuck-2']) await healthy(name, TAKEN_OVER_MS)
    sayBack('checks whose Jobs did not start, after these could', restoredAt)
  })

  test('have the sandbox where the nodes have the profile of the chart', async (context) => {
    needsNode(context)
    const profile = await putProfile()
    await upgrade(
      // With it, nothing is rendered where a browser has no sandbox.
      '--set=runner.sandbox=required',
      `--set=runner.seccompProfile.type=Localhost,runner.seccompProfile.localhostProfile=${profile}`,
    )
    await declare(['sandboxed'])
    const monitor = await healthy('sandboxed')
    expect(monitor.status.values).toEqual({ price: '$1' })
  })

  test('do checks of the same monitors after the release is rolled back', async () => {
    const before = (await healthy('first')).status.id
    const visits = await site.visits('first')
    await rollBackLeases()
    await kubectl('-n', NAMESPACE, 'annotate', '--overwrite', 'monitor', 'first', 'tidemark.dev/run-requested-at=back')
    await inTime(
      () => site.visits('first'),
      (seen) => seen > visits,
    )
    expect((await healthy('first')).status.id).toBe(before)
    const { spec } = await read('-n', NAMESPACE, 'deployment', 'tidemark-worker')
    expect(JSON.stringify(spec.template)).not.toContain('TIDEMARK_LEASE_SECONDS')
  })
})

/** Prints how long it took until nothing of a fault was left. */
const sayBack = (what: string, since: number): void =>
  console.log(`${what}: back after ${((performance.now() - since) / 1_000).toFixed(1)} s`)

interface Run {
  readonly status: string
  readonly error_code: string | null
  readonly fetch_method: string
}
