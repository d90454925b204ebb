import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { describeWithApiServer } from '../../support/kubernetes/kube-assets.ts'
import { openTcpProxy } from '../../support/network/tcp-proxy.ts'
import { until } from '../../support/run/until.ts'
import { type Cluster, openCluster } from './cluster.ts'

const LEADS = /this process is the leader/

describeWithApiServer('Of two operators', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await openCluster()
  })
  afterEach(() => cluster.reset())
  afterAll(() => cluster[Symbol.asyncDispose]())

  test('the other one takes over in less than 20 s when the leader is killed', async () => {
    const tenant = await cluster.tenant()
    const leader = await cluster.operator()
    await leader.says(LEADS)
    const other = await cluster.operator()
    await tenant.apply('kettle')
    await tenant.settled()
    leader.signal('SIGKILL')
    await tenant.apply('lamp')
    const ms = await tenant.settled()
    process.stdout.write(`handed over in ${Math.round(ms)} ms\n`)
    expect(ms).toBeLessThan(20_000)
    expect(other.stdout).toMatch(LEADS)
  })

  test('the other one takes over at once when the leader is stopped', async () => {
    const tenant = await cluster.tenant()
    const leader = await cluster.operator()
    await leader.says(LEADS)
    await cluster.operator()
    leader.signal('SIGTERM')
    expect(await leader.exited).toBe(0)
    await tenant.apply('lamp')
    expect(await tenant.settled()).toBeLessThan(10_000)
  })

  test('a leader that froze during a write to the store changes nothing when it wakes, and ends', async () => {
    const storeWay = await openTcpProxy(cluster.installation.url)
    onTestFinished(() => storeWay[Symbol.asyncDispose]())
    const tenant = await cluster.tenant()
    const frozen = await cluster.operator({ DATABASE_URL: storeWay.url })
    await tenant.apply('kettle')
    await tenant.apply('lamp')
    await tenant.settled()
    storeWay.stall('operator_epochs')
    await tenant.apply('kettle', { scheduleIntervalSeconds: 600 })
    await tenant.remove('lamp')
    await until(
      () => storeWay.stalled('operator_epochs'),
      (stalled) => stalled === 2,
    )
    frozen.signal('SIGSTOP')
    await cluster.endLease()
    const other = await cluster.operator()
    await tenant.settled()
    await tenant.apply('kettle', { scheduleIntervalSeconds: 300 })
    await tenant.apply('lamp', { scheduleIntervalSeconds: 300 })
    await tenant.settled()
    const before = await tenant.state()
    const versions = (await tenant.list()).map(({ metadata }) => metadata.resourceVersion)
    await storeWay.flow()
    frozen.signal('SIGCONT')
    expect(await frozen.exited).toBe(1)
    expect(await tenant.state()).toEqual(before)
    expect((await tenant.list()).map(({ metadata }) => metadata.resourceVersion)).toEqual(versions)
    // It left the lease to the other one.
    await tenant.apply('chair')
    await tenant.settled()
    expect(other.stdout.match(new RegExp(LEADS, 'g'))).toHaveLength(1)
  })

  test('a status that a former leader sent long ago does not replace a newer one', async () => {
    const tenant = await cluster.tenant()
    const former = await cluster.operator()
    await tenant.apply('kettle')
    await tenant.settled()
    const old = cluster.way.keep(/^PATCH .*kettle\/status/)
    await tenant.apply('kettle', { scheduleIntervalSeconds: 600 })
    await old.came
    former.signal('SIGSTOP')
    await cluster.endLease()
    await cluster.operator()
    await tenant.apply('kettle', { scheduleIntervalSeconds: 300 })
    await tenant.settled()
    const before = await tenant.state()
    expect(await old.letGo()).toBe(409)
    expect(await tenant.state()).toEqual(before)
  })
})
