import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithApiServer } from '../../support/kubernetes/kube-assets.ts'
import { chance } from '../random.ts'
import { type Cluster, openCluster, type Tenant } from './cluster.ts'

const HOOK = new URL('crash-after-write.ts', import.meta.url).href
const POINTS = 20

describeWithApiServer('An operator that is killed', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await openCluster()
  })
  afterAll(() => cluster[Symbol.asyncDispose]())

  /**
   * Applies, edits and deletes, and returns the state after each of these. The first operator has this environment;
   * when it is killed, another goes on.
   */
  async function story(environment: Readonly<Record<string, string>>): Promise<object> {
    const tenant = await cluster.tenant()
    const mine = await cluster.installation.monitor(tenant.person, { name: 'Adopted' })
    await create(tenant, mine.id)
    await using operators = follow(cluster, environment)
    await tenant.settled()
    const created = await tenant.state()
    await change(tenant)
    await tenant.settled()
    const changed = await tenant.state()
    await tenant.removeAll()
    await tenant.settled()
    return { created, changed, removed: await tenant.state(), kills: operators.kills }
  }

  test('after any of its writes comes to the same end: each record, edit and run request once', async () => {
    const file = join(tmpdir(), `tidemark-writes-${process.pid}`)
    const preload = { NODE_OPTIONS: `--import=${HOOK}` }
    const undisturbed = await story({ ...preload, COUNT_WRITES_IN: file })
    const writes = (await readFile(file)).length
    await rm(file)
    expect(undisturbed).toMatchObject({ kills: 0, removed: { resources: [] } })
    const luck = chance()
    const all = Array.from({ length: writes }, (_, index) => index + 1)
    const isAll = process.env['TIDEMARK_TEST_CRASH_POINTS'] === 'all'
    const points = isAll ? all : all.toSorted(() => luck.below(2) - 0.5).slice(0, POINTS)
    process.stdout.write(`seed ${luck.seed}: of ${writes} writes, killed after ${points.join(', ')}\n`)
    for (const point of points) {
      const ended = await story({ ...preload, CRASH_AFTER_WRITE: String(point) })
      expect({ ...ended, kills: 0 }, `killed after write ${point}`).toEqual(undisturbed)
    }
  }, 1_200_000)
})

async function create(tenant: Tenant, adopted: string): Promise<void> {
  await tenant.secret('chat', { webhook: 'https://hooks.slack.com/services/T/B/one' })
  const from = { secretKeyRef: { name: 'chat', key: 'webhook' } }
  await tenant.apply('kettle', { name: 'Kettle' })
  await tenant.apply('lamp', { name: 'Lamp' })
  await tenant.apply('chair', { name: 'Chair', suspend: true })
  await tenant.apply('desk', { name: 'Desk', deliveries: [{ type: 'slack', webhookUrlFrom: from }] })
  await tenant.apply('broken', { name: 'Broken', extractConfig: { method: 'css', fields: { price: 'b[[' } } })
  await tenant.apply('mine', { name: 'Adopted' }, { 'tidemark.dev/adopt': adopted })
  await tenant.apply('now', { name: 'Now', suspend: true }, { 'tidemark.dev/run-requested-at': 'one' })
}

async function change(tenant: Tenant): Promise<void> {
  await tenant.remove('lamp')
  await tenant.apply('kettle', { name: 'Kettle', scheduleIntervalSeconds: 600 })
  await tenant.apply('chair', { name: 'Chair', suspend: false })
  await tenant.apply('broken', { name: 'Broken' })
  await tenant.apply('now', { name: 'Now', suspend: true }, { 'tidemark.dev/run-requested-at': 'two' })
  await tenant.apply('late', { name: 'Late' })
}

/** Starts an operator. When it is killed, its lease ends, and another goes on; on disposal the last one is stopped. */
function follow(cluster: Cluster, environment: Readonly<Record<string, string>>) {
  let kills = 0
  let isOver = false
  const over = Promise.withResolvers<'over'>()
  const running = (async () => {
    let operator = await cluster.operator(environment)
    for (;;) {
      const ended = await Promise.race([operator.exited, over.promise])
      if (isOver) {
        operator.signal('SIGTERM')
        // Null: it was killed after the very last write, which the story had been waiting for.
        expect([0, null], operator.stdout + operator.stderr).toContain(await operator.exited)
        return
      }
      if (ended !== null) throw new Error(`an operator ended by itself: ${operator.stdout}${operator.stderr}`)
      kills += 1
      await cluster.endLease()
      operator = await cluster.operator()
    }
  })()
  running.catch((error: unknown) => process.stdout.write(`${String(error)}\n`))
  return {
    get kills() {
      return kills
    },
    async [Symbol.asyncDispose]() {
      isOver = true
      over.resolve('over')
      await running
    },
  }
}
