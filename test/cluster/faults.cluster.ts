import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { apply, describeInCluster, inTime, isOneNode, kubectl, list } from './kubectl.ts'
import { allReady, condition, installRelease, NAMESPACE, type Release } from './release.ts'
import { openSite, type Site } from './site.ts'

const MONITORS = 8
/** How long it may take until everything works again, after what was killed. */
const BACK_MS = 90_000
const API_SERVER_PID = '/var/lib/tidemark-one-node/pid/kube-apiserver'

describeInCluster('A release of which something is killed under load', () => {
  let site: Site
  let release: Release
  const monitors: { readonly name: string; readonly id: string; version: number }[] = []

  beforeAll(async () => {
    site = await openSite()
    release = await installRelease(site, '--set=runner.max=0')
    for (let n = 0; n < MONITORS; n++) {
      const name = `load-${n}`
      await site.price(name, 'v1')
      const { body } = await release.api('POST', '/v1/monitors', {
        name,
        url: `${site.url}/static/${name}`,
        schedule_interval_seconds: 86_400,
        extract_config: { method: 'css', fields: { price: '.price' } },
        diff_predicate: { type: 'any_field_changes' },
        deliveries: [{ type: 'webhook', url: `${site.url}/hook/${name}` }],
      })
      monitors.push({ name, id: (JSON.parse(body) as { id: string }).id, version: 1 })
    }
    await inTime(
      async () => (await Promise.all(monitors.map(({ id }) => runsOf(id)))).map((runs) => runs[0]?.status),
      (statuses) => statuses.every((status) => status === 'success'),
    )
  })
  afterAll(async () => {
    await release?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  const runsOf = async (id: string) => {
    const { status, body } = await release.api('GET', `/v1/monitors/${id}/runs`)
    return status === 200 ? (JSON.parse(body) as { data: { id: string; status: string }[] }).data : []
  }

  /** Changes each page, and asks for a run of its monitor whatever is answered. */
  async function load(): Promise<void> {
    for (const monitor of monitors) {
      monitor.version += 1
      await site.price(monitor.name, `v${monitor.version}`)
      await release.api('POST', `/v1/monitors/${monitor.id}/run`)
    }
  }

  /** The last version of each page arrives, each version under one id, and no run stays open. */
  async function nothingIsLost(): Promise<void> {
    for (const monitor of monitors) {
      await inTime(
        async () => {
          const arrived = await versionsAt(monitor.name)
          if (!arrived.has(`v${monitor.version}`)) await release.api('POST', `/v1/monitors/${monitor.id}/run`)
          return arrived
        },
        (arrived) => arrived.has(`v${monitor.version}`),
        BACK_MS,
      )
      for (const [version, ids] of await versionsAt(monitor.name))
        expect(ids.size, `${monitor.name} ${version}`).toBe(1)
      await inTime(
        () => runsOf(monitor.id),
        (runs) => runs.length > 0 && runs.every(({ status }) => status !== 'running'),
        BACK_MS,
      )
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

  test.each(['worker', 'api', 'postgres'])(
    'is back after all pods of %s, with nothing lost or doubled',
    async (component) => {
      await load()
      const [, killedAt] = await Promise.all([load(), kill(component).then(() => performance.now())])
      await load()
      await allReady()
      expect(performance.now() - killedAt).toBeLessThan(BACK_MS)
      await nothingIsLost()
    },
  )

  test('applies resources again after all pods of the operator', async () => {
    await kill('operator')
    await apply({
      apiVersion: 'tidemark.dev/v1',
      kind: 'Monitor',
      metadata: { name: 'late', namespace: NAMESPACE },
      spec: {
        name: 'late',
        url: `${site.url}/static/late`,
        scheduleIntervalSeconds: 86_400,
        extractConfig: { method: 'css', fields: { price: '.price' } },
        diffPredicate: { type: 'any_field_changes' },
      },
    })
    const { status } = await condition('monitor', 'late', 'Healthy', 'True', BACK_MS)
    const { body } = await release.api('GET', '/v1/monitors')
    const late = (JSON.parse(body) as { data: { id: string; name: string }[] }).data.filter(
      ({ name }) => name === 'late',
    )
    expect(late.map(({ id }) => id)).toEqual([status.id])
  })

  test.runIf(isOneNode)('goes on without the API server, and follows resources once it is back', async () => {
    const pid = Number(await readFile(API_SERVER_PID, 'utf8'))
    const [file = '', ...args] = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').slice(0, -1)
    process.kill(pid, 'SIGKILL')
    // Until the killed process is gone, it has the port.
    await eventually(
      () => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''),
      (line) => line === '',
    )
    const again = spawn(file, args, { detached: true, stdio: 'ignore' })
    again.unref()
    await writeFile(API_SERVER_PID, `${again.pid}\n`)
    const backMs = performance.now()
    await eventually(
      () => kubectl('get', '--raw', '/readyz').catch(() => ''),
      (said) => said === 'ok',
      { everyMs: 500 },
    )
    await kubectl('-n', NAMESPACE, 'annotate', '--overwrite', 'monitor', 'late', 'tidemark.dev/run-requested-at=back')
    await inTime(
      () => list('-n', NAMESPACE, 'monitors'),
      ([late]) => late?.status.lastHandledRequest === 'back',
      BACK_MS,
    )
    expect(performance.now() - backMs).toBeLessThan(BACK_MS)
    await load()
    await nothingIsLost()
  })
})
