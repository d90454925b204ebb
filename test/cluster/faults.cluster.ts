import { type ChildProcess, spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { apply, describeInCluster, inTime, kubectl, list, needsNode } from './kubectl.ts'
import { FOLDER } from './one-node-cluster.ts'
import { allReady, condition, monitorOf, NAMESPACE, openRelease, type Release } from './release.ts'
import { noOrphans, runningPods } from './runners.ts'
import { openSite, type Site } from './site.ts'

const STATIC = 5
/** As many as one runner pod does at the same time. */
const RENDERED = 2
/** How long it may take until everything works again, after what was killed. */
const BACK_MS = 90_000
const API_SERVER_PID = join(FOLDER, 'pid/kube-apiserver')

interface Watched {
  readonly name: string
  readonly id: string
  readonly isRendered: boolean
  version: number
  /** How often a run was asked for, whatever was answered. */
  asked: number
}

describeInCluster('A release of which something is killed under load', () => {
  let site: Site
  let release: Release
  const monitors: Watched[] = []

  beforeAll(async () => {
    site = await openSite()
    for (const kind of ['rendered', 'gate'] as const) await site.release(kind)
    release = await openRelease(site)
    for (let n = 0; n < STATIC + RENDERED; n++) await create(`load-${n}`, n >= STATIC)
    await inTime(
      async () => (await Promise.all(monitors.map(runsOf))).map((runs) => runs[0]?.status),
      (statuses) => statuses.every((status) => status === 'success'),
    )
  })

  async function create(name: string, isRendered: boolean): Promise<void> {
    await site.price(name, 'v1')
    const rules = { method: 'css', fields: { price: '.price' }, ...(isRendered && { wait_for: '.price.shown' }) }
    const { status, body } = await release.api('POST', '/v1/monitors', {
      name,
      url: `${site.url}/${isRendered ? 'late' : 'static'}/${name}`,
      fetch_mode: isRendered ? 'browser' : 'auto',
      schedule_interval_seconds: 86_400,
      extract_config: rules,
      diff_predicate: { type: 'any_field_changes' },
      deliveries: [{ type: 'webhook', url: `${site.url}/hook/${name}` }],
    })
    expect(status, body).toBe(201)
    monitors.push({ name, id: (JSON.parse(body) as { id: string }).id, isRendered, version: 1, asked: 0 })
  }

  async function runsOf({ id }: Watched): Promise<readonly Run[]> {
    const { status, body } = await release.api('GET', `/v1/monitors/${id}/runs?limit=100`)
    return status === 200 ? (JSON.parse(body) as { data: Run[] }).data : []
  }

  async function ask(monitor: Watched): Promise<void> {
    monitor.asked += 1
    await release.api('POST', `/v1/monitors/${monitor.id}/run`)
  }

  /** Changes each page, and asks for a run of its monitor whatever is answered. */
  const load = () =>
    Promise.all(
      monitors.map(async (monitor) => {
        monitor.version += 1
        await site.price(monitor.name, `v${monitor.version}`)
        await ask(monitor)
      }),
    )

  /** Changes all pages. Returns the names of those that runners are in the middle of, with the visits so far. */
  async function loadInTheMiddle(): Promise<readonly Visited[]> {
    const before = await visitsOf(monitors)
    const names = monitors.filter(({ isRendered }) => isRendered).map(({ name }) => name)
    await site.hold('gate')
    await load()
    const counted = await inTime(
      () => visitsOf(monitors),
      (now) => now.some(({ name, count }, n) => names.includes(name) && count > (before[n]?.count ?? 0)),
    )
    return counted.filter(({ name, count }, n) => names.includes(name) && count > (before[n]?.count ?? 0))
  }

  const visitsOf = (pages: readonly { readonly name: string }[]): Promise<Visited[]> =>
    Promise.all(pages.map(async ({ name }) => ({ name, count: await site.visits(name) })))

  /** The last version of each page arrives in time, and no run stays open. */
  async function nothingIsLost(until: number): Promise<void> {
    for (const monitor of monitors) {
      await inTime(
        async () => {
          const arrived = [...(await versionsAt(monitor.name)).keys()]
          const isUnderWay = (await runsOf(monitor)).some(({ status }) => status === 'running')
          if (!arrived.includes(`v${monitor.version}`) && !isUnderWay) await ask(monitor)
          return { name: monitor.name, version: monitor.version, arrived }
        },
        ({ arrived, version }) => arrived.includes(`v${version}`),
        until - performance.now(),
      )
    }
    for (const monitor of monitors)
      await inTime(
        () => runsOf(monitor),
        // A browser on a busy machine gives up a page that is held too long, and says so.
        (runs) =>
          runs.length > 0 &&
          runs.every(
            ({ status, error_code: code }) => status === 'success' || (monitor.isRendered && code === 'timeout'),
          ),
        until - performance.now(),
      )
  }

  /**
   * What the site counted is what the records say: no version is told twice, and no run is made that nobody asked
   * for.
   */
  async function nothingIsDoubled(): Promise<void> {
    for (const monitor of monitors) {
      const { name, id, asked } = monitor
      const { recorded, arrived, told } = await inTime(
        async () => {
          const { body } = await release.api('GET', `/v1/deliveries?monitor_id=${id}&limit=100`)
          const deliveries = (JSON.parse(body) as { data: { id: string; status: string }[] }).data
          const versions = await versionsAt(name)
          const ids = [...versions.values()].flatMap((told) => [...told])
          return { recorded: deliveries, arrived: versions, told: ids }
        },
        // One that is made between the two looks is in the second only.
        (seen) =>
          seen.recorded.every(({ status }) => status === 'success') && seen.recorded.length === seen.told.length,
      )
      for (const [version, ids] of arrived) expect(ids.size, `${name} ${version}`).toBe(1)
      expect(recorded.map((delivery) => delivery.id).toSorted(), name).toEqual(told.toSorted())
      const runs = await runsOf(monitor)
      expect(runs.filter((run) => run.delivery_triggered).length, name).toBe(arrived.size)
      // The first run is nobody's.
      expect(runs.length, name).toBeLessThanOrEqual(1 + asked)
      expect(await site.visits(name), name).toBeGreaterThanOrEqual(runs.length)
    }
  }

  /** The ids of deliveries by the version that they tell of. */
  async function versionsAt(name: string): Promise<Map<string, Set<string>>> {
    const ids = new Map<string, Set<string>>()
    for (const { body } of await site.arrivals(name)) {
      const { id, diff } = JSON.parse(body) as { id: string; diff: { after: { price: string } } }
      ids.set(diff.after.price, (ids.get(diff.after.price) ?? new Set()).add(id))
    }
    return ids
  }

  const kill = (component: string) =>
    kubectl(
      ...['-n', NAMESPACE, 'delete', 'pods', '-l', `app.kubernetes.io/component=${component}`],
      ...['--force', '--grace-period=0'],
    )

  /** Everything is as before within the time that a fault may take. */
  async function isBack(what: string, killedAt: number): Promise<void> {
    await allReady()
    const readyMs = performance.now() - killedAt
    expect(readyMs).toBeLessThan(BACK_MS)
    await nothingIsLost(killedAt + BACK_MS)
    const [ready, back] = [readyMs, performance.now() - killedAt].map((ms) => (ms / 1_000).toFixed(1))
    console.log(`${what}: pods are ready after ${ready} s, and nothing is lost after ${back} s`)
    await nothingIsDoubled()
  }

  test.each(['worker', 'api', 'postgres'])(
    'is back after all pods of %s, with checks in flight, and nothing lost or doubled',
    async (component) => {
      await loadInTheMiddle()
      const killedAt = performance.now()
      await Promise.all([load(), kill(component)])
      await site.release('gate')
      await isBack(component, killedAt)
    },
  )

  test('does the checks of runners and applies resources after all pods of the operator', async () => {
    const [underWay, pods] = [await loadInTheMiddle(), await namesOfPods()]
    const killedAt = performance.now()
    await kill('operator')
    await apply(monitorOf('late', `${site.url}/static/late`))
    await condition('monitor', 'late', 'Ready', 'True', BACK_MS)
    // The one that leads now has left the pods of the one before it alone.
    expect(await visitsOf(underWay)).toEqual(underWay)
    expect((await namesOfPods()).filter((name) => !pods.includes(name))).toEqual([])
    await site.release('gate')
    const { status } = await condition('monitor', 'late', 'Healthy', 'True', BACK_MS)
    const { body } = await release.api('GET', '/v1/monitors?limit=100')
    const late = (JSON.parse(body) as { data: { id: string; name: string }[] }).data.filter(
      ({ name }) => name === 'late',
    )
    expect(late.map(({ id }) => id)).toEqual([status.id])
    await isBack('operator', killedAt)
  })

  test('leaves no Job, pod or Secret of a runner behind', () => noOrphans(BACK_MS))

  const namesOfPods = async () => (await runningPods()).map(({ metadata }) => metadata.name)

  test('goes on without the API server, and follows resources once it is back', async (context) => {
    needsNode(context)
    await loadInTheMiddle()
    const pid = Number(await readFile(API_SERVER_PID, 'utf8'))
    const [file = '', ...args] = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').slice(0, -1)
    process.kill(pid, 'SIGKILL')
    const start = async (): Promise<ChildProcess> => {
      const server = spawn(file, args, { detached: true, stdio: 'ignore' })
      server.unref()
      await writeFile(API_SERVER_PID, `${server.pid}\n`)
      return server
    }
    let again = await start()
    const backAt = performance.now()
    await inTime(
      async () => {
        // It ends at once for as long as the killed process has the port.
        if (again.exitCode !== null) again = await start()
        return kubectl('get', '--raw', '/readyz').catch(() => '')
      },
      (said) => said === 'ok',
      BACK_MS,
    )
    await site.release('gate')
    await kubectl('-n', NAMESPACE, 'annotate', '--overwrite', 'monitor', 'late', 'tidemark.dev/run-requested-at=back')
    await inTime(
      () => list('-n', NAMESPACE, 'monitors', '--field-selector=metadata.name=late'),
      ([late]) => late?.status.lastHandledRequest === 'back',
      BACK_MS,
    )
    await load()
    await isBack('API server', backAt)
    await noOrphans(BACK_MS)
  })
})

interface Visited {
  readonly name: string
  readonly count: number
}

interface Run {
  readonly id: string
  readonly error_code: string | null
  readonly status: string
  readonly delivery_triggered: boolean
}
