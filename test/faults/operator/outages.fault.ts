import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { KeptRequest } from '../../operator/cluster/faulty-kube.ts'
import { describeWithApiServer } from '../../support/kubernetes/kube-assets.ts'
import { until } from '../../support/run/until.ts'
import { chance } from '../random.ts'
import { type Cluster, openCluster, type Tenant } from './cluster.ts'

const RESOURCES = 20
/** An outage of a minute takes a minute: set TIDEMARK_TEST_OUTAGE_MS to 60,000 to see it. */
const OUTAGE_MS = Number(process.env['TIDEMARK_TEST_OUTAGE_MS'] ?? 6_000)

describeWithApiServer('Operators whose surroundings fail', () => {
  let cluster: Cluster
  let undisturbed: object
  let writesAtBest: number
  beforeAll(async () => {
    cluster = await openCluster()
    const { state, writes } = await story({})
    undisturbed = state
    writesAtBest = writes
    await cluster.reset()
  }, 180_000)
  afterEach(() => cluster.reset())
  afterAll(() => cluster[Symbol.asyncDispose]())

  const recordsOf = (teamId: string) =>
    cluster.query<{ id: string; managed_by: string; scheduled: boolean }>(
      `select id, managed_by, next_run_at is not null as scheduled from monitors join checks using (no)
       where monitors.team_id = $1 and deleted_at is null`,
      [teamId],
    )

  interface Fault {
    begin?(): Promise<void>
    /** Between the edits and the end of the fault. */
    meanwhile?(): Promise<void>
    end?(): Promise<void>
  }

  /** Monitors are created, the fault begins, they are edited and deleted, and the fault ends. */
  async function story({ begin, meanwhile, end }: Fault) {
    const tenant = await cluster.tenant()
    const operators = cluster.supervise()
    for (let n = 0; n < RESOURCES; n += 1) await tenant.apply(`m${n}`, { name: `Monitor ${n}` })
    await tenant.settled()
    cluster.writes()
    await begin?.()
    await change(tenant)
    await meanwhile?.()
    const during = cluster.writes().length
    await end?.()
    const ms = await tenant.settled()
    const writes = during + cluster.writes().length
    const { starts } = operators
    process.stdout.write(`settled in ${Math.round(ms)} ms with ${writes} writes (${during} before), ${starts} starts\n`)
    return { state: await tenant.state(), writes, during, starts, output: operators.output }
  }

  test('do what was applied while Postgres was away, as soon as it is back', async () => {
    const { state, writes, during, starts } = await story({
      begin: () => cluster.storeWay.stop(),
      meanwhile: () => pause(OUTAGE_MS),
      end: () => cluster.storeWay.restart(),
    })
    expect(state).toEqual(undisturbed)
    expect(during).toBeLessThan(RESOURCES)
    expect(writes).toBeLessThanOrEqual(writesAtBest + RESOURCES)
    expect(starts).toBe(1)
  })

  test.each(['kube-apiserver', 'etcd'] as const)('go on after %s was killed and is back', async (part) => {
    let status: KeptRequest | undefined
    const { state, writes } = await story({
      async begin() {
        await cluster.kube.kill(part)
        await pause(1_000)
        await cluster.kube.restart(part)
        status = cluster.way.keep(/^PATCH .*\/m0\/status/)
      },
      // Once more, so that a write of the operator fails.
      async meanwhile() {
        await status?.came
        await cluster.kube.kill(part)
        void status?.letGo()
        await pause(1_000)
        await cluster.kube.restart(part)
      },
    })
    expect(state).toEqual(undisturbed)
    // Writes that nobody answers are counted too.
    expect(writes).toBeLessThanOrEqual(writesAtBest + 2 * RESOURCES)
  })

  test('come to the same end when requests and watches fail at random all the time', async () => {
    const luck = chance()
    process.stdout.write(`seed ${luck.seed}\n`)
    const faults = [
      [/./, { kind: 'status', status: 429, retryAfter: 1 }],
      [/./, { kind: 'status', status: 500 }],
      [/./, { kind: 'reset' }],
      [/watch=true/, { kind: 'double' }],
      [/watch=true/, { kind: 'swap' }],
      [/watch=true/, { kind: 'half' }],
      [/watch=true/, { kind: 'expired' }],
    ] as const
    let timer: NodeJS.Timeout | undefined
    const { state, writes } = await story({
      async begin() {
        timer = setInterval(() => {
          const [which, fault] = faults[luck.below(faults.length)] ?? faults[0]
          cluster.way.spoil(which, fault)
          if (luck.below(10) === 0) cluster.way.cut()
        }, 100)
      },
      meanwhile: () => pause(OUTAGE_MS),
      async end() {
        clearInterval(timer)
        cluster.way.clear()
        // An event that was kept back comes with the next watch.
        cluster.way.cut()
      },
    })
    expect(state).toEqual(undisturbed)
    expect(writes).toBeLessThanOrEqual(4 * writesAtBest)
  })

  test('give the records back when the definition of the kind is deleted, and take them over again', async () => {
    const tenant = await cluster.tenant()
    const operators = cluster.supervise()
    for (let n = 0; n < RESOURCES; n += 1) await tenant.apply(`m${n}`, { name: `Monitor ${n}` })
    await tenant.settled()
    const ids = new Map((await tenant.list()).map(({ metadata, status }) => [metadata.name, status?.id ?? '']))
    onTestFinished(() => cluster.installDefinitions())
    await cluster.kube.kubectl('delete', 'crd', 'monitors.tidemark.dev', '--timeout=60s')
    const all = (await recordsOf(tenant.person.teamId)).filter(
      ({ managed_by: by, scheduled }) => by === 'api' && scheduled,
    )
    expect(all).toHaveLength(RESOURCES)
    await cluster.installDefinitions()
    for (const [name, id] of ids) await tenant.apply(name, { name }, { 'tidemark.dev/adopt': id })
    await tenant.settled()
    const back = await recordsOf(tenant.person.teamId)
    expect(back.map(({ id }) => id).toSorted()).toEqual([...ids.values()].toSorted())
    expect(new Set(back.map(({ managed_by: by }) => by))).toEqual(new Set(['kubernetes']))
    expect(operators.starts).toBe(1)
  })

  test('delete 200 records with their namespace, with one write for each, and leave no finalizer', async () => {
    const tenant = await cluster.tenant()
    cluster.supervise()
    const names = Array.from({ length: 200 }, (_, n) => `m${n}`)
    await Promise.all(names.map((name) => tenant.apply(name, { name })))
    await tenant.settled()
    cluster.writes()
    await cluster.kube.call('DELETE', `/api/v1/namespaces/${tenant.namespace}`)
    // What the controller of namespaces does.
    await tenant.removeAll()
    const ms = await until(tenant.list, (left) => left.length === 0)
    const writes = cluster.writes()
    process.stdout.write(`deleted 200 in ${Math.round(ms)} ms with ${writes.length} writes\n`)
    expect(writes).toHaveLength(200)
    expect(await recordsOf(tenant.person.teamId)).toEqual([])
  })

  test('use a rotated Secret within a minute, and keep the last value of one that became nonsense', async () => {
    const tenant = await cluster.tenant()
    cluster.supervise()
    for (const name of ['rotated', 'spoilt']) {
      await tenant.secret(name, { token: 'one' })
      const from = { name: 'authorization', secretKeyRef: { name, key: 'token' } }
      await tenant.apply(name, { name, requestHeadersFrom: [from] })
    }
    await tenant.settled()
    const applied = async (name: string) => {
      const rows = await cluster.query<{ hash: string; edits: number }>(
        `select encode(applied_hash, 'hex') as hash,
           (select count(*)::int from audit_events where target_id = m.id::text and action = 'monitor.updated') as edits
         from monitor_resources r join monitors m using (no) where m.team_id = $1 and r.name = $2`,
        [tenant.person.teamId, name],
      )
      return rows[0]
    }
    const [first, last] = [await applied('rotated'), await applied('spoilt')]
    await tenant.secret('rotated', { token: 'two' })
    await tenant.secret('spoilt', { token: 'no\nheader' })
    const ms = await until(
      () => applied('rotated'),
      (now) => now?.hash !== first?.hash,
    )
    process.stdout.write(`rotated in ${Math.round(ms)} ms\n`)
    const reasons = async () => (await tenant.list()).map(({ status }) => status?.conditions?.[0]?.reason)
    await until(reasons, ([, spoilt]) => spoilt === 'Invalid')
    expect(await reasons()).toEqual(['Scheduled', 'Invalid'])
    expect(await applied('rotated')).toMatchObject({ edits: 1 })
    expect(await applied('spoilt')).toEqual(last)
  })
})

async function change(tenant: Tenant): Promise<void> {
  for (let n = 0; n < 5; n += 1) await tenant.apply(`m${n}`, { name: `Monitor ${n}`, scheduleIntervalSeconds: 600 })
  await tenant.apply('m5', { name: 'Monitor 5', suspend: true })
  await tenant.remove('m6')
  await tenant.apply('m7', { name: 'Monitor 7' }, { 'tidemark.dev/run-requested-at': 'now' })
  await tenant.remove('m8')
  await tenant.apply('late', { name: 'Late' })
}
