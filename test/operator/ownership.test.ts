import { expect, test } from 'vitest'
import { editMonitor } from '../../monitors/edit-monitor.ts'
import { PAGE_RECORDS } from '../../monitors/record-kind.ts'
import { releaseCluster } from '../../monitors/apply-resource.ts'
import { resumeMonitor } from '../../monitors/resume-monitor.ts'
import { declaringClusters } from '../../store/monitors/monitor-resource.ts'
import { listMonitors } from '../../store/monitors/monitors.ts'
import { eventually } from '../support/eventually.ts'
import type { KubeApi } from '../support/kube-api.ts'
import { KUBE_ASSETS_ADVICE, kubeAssets } from '../support/kube-assets.ts'
import { describeIf } from '../support/skip.ts'
import { operatorForEachTest, type OperatorWorld } from './operator-world.ts'

describeIf(kubeAssets() !== null, KUBE_ASSETS_ADVICE)('A record and the resources of clusters', () => {
  let kube: KubeApi
  let world: OperatorWorld
  operatorForEachTest((opened) => ({ kube, world } = opened))

  /** Removes a resource so that no operator learns of a deletion: as when a cluster is lost. */
  async function lose(name: string): Promise<void> {
    await world.stop()
    await kube.call('PATCH', world.path(name), { metadata: { finalizers: null } }, 'application/merge-patch+json')
    await kube.call('DELETE', world.path(name))
  }
  const isReleased = (id: string) =>
    eventually(
      () => world.stored(id),
      (record) => record?.managed_by === 'api',
    )
  async function create(name: string, spec: object = {}): Promise<string> {
    await world.apply(name, spec)
    return (await world.until(name, 'Ready', spec && 'suspend' in spec ? 'Suspended' : 'Scheduled')).status?.id ?? ''
  }

  test('a record whose resource vanished is the same resource’s again when that comes back', async () => {
    const id = await create('kettle', { suspend: true })
    await lose('kettle')
    await world.restart()
    await isReleased(id)
    expect(await world.stored(id)).toMatchObject({ suspended: true, next_run_at: null })
    await world.apply('kettle', { suspend: true })
    expect((await world.until('kettle', 'Ready', 'Suspended')).status?.id).toBe(id)
    await world.apply('kettle', { suspend: false })
    await world.until('kettle', 'Ready', 'Scheduled')
    expect(await world.stored(id)).toMatchObject({ managed_by: 'kubernetes', suspended: false, paused: false })
    expect(await world.monitors()).toHaveLength(1)
  })

  test('a record has the labels of its resource that are meant for it, also when nothing else changed', async () => {
    const label = async (labels: object) => world.apply('kettle', {}, {}, world.namespace, labels)
    await label({ 'label.tidemark.dev/env': 'dev', app: 'shop' })
    const id = (await world.until('kettle', 'Ready', 'Scheduled')).status?.id
    const labelled = (labels: object) =>
      eventually(
        () => world.stored(id),
        (record) => JSON.stringify(record?.labels) === JSON.stringify(labels),
      )
    await labelled({ env: 'dev' })
    await label({ 'label.tidemark.dev/env': 'prod' })
    await labelled({ env: 'prod' })
    await world.restart()
    await labelled({ env: 'prod' })
  })

  test('a suspended record whose resource vanished is resumed and listed like a paused one', async () => {
    const id = await create('kettle', { suspend: true })
    const ofTeam = { teamId: world.owner.teamId, limit: 10, offset: 0 }
    expect(await listMonitors(world.store, { ...ofTeam, status: 'paused' })).toHaveLength(1)
    expect(await listMonitors(world.store, { ...ofTeam, status: 'active' })).toHaveLength(0)
    await lose('kettle')
    await world.restart()
    await isReleased(id)
    expect(await resumeMonitor(world.context, { ...world.owner, id })).toMatchObject({ kind: 'done' })
    expect(await world.stored(id)).toMatchObject({ paused: false, suspended: false })
    expect((await world.stored(id))?.next_run_at).not.toBeNull()
  })

  test('a record whose resource vanished can be adopted under another name', async () => {
    const id = await create('kettle')
    await lose('kettle')
    await world.restart()
    await isReleased(id)
    await world.apply('pot', {}, { 'tidemark.dev/adopt': id })
    expect((await world.until('pot', 'Ready', 'Scheduled')).status?.id).toBe(id)
    await world.apply('kettle')
    expect((await world.until('kettle', 'Ready', 'Scheduled')).status?.id).not.toBe(id)
  })

  test('a second resource for a record is refused, with the name of the first', async () => {
    const id = await create('kettle')
    await world.apply('pot', {}, { 'tidemark.dev/adopt': id })
    const refused = await world.until('pot', 'Ready', 'NotAdoptable')
    const message = `The monitor ${id} is declared by the resource ${world.namespace}/kettle already.`
    expect(world.condition(refused, 'Ready')?.message).toBe(message)
  })

  test('a cluster that was built anew takes its records over with the id of the old one', async () => {
    await world.stop()
    await world.restart({ clusterId: 'old-cluster' })
    const id = await create('kettle')
    await lose('kettle')
    const before = await world.apply('kettle')
    await world.restart({ clusterId: 'old-cluster' })
    const taken = await world.until('kettle', 'Ready', 'Scheduled')
    expect(taken.metadata.uid).toBe(before.metadata.uid)
    expect(taken.status?.id).toBe(id)
    expect(await world.monitors()).toHaveLength(1)
  })

  test('the records of a lost cluster are named, given back by an administrator, and then adopted', async () => {
    await world.restart({ clusterId: 'old-cluster' })
    const id = await create('kettle')
    await lose('kettle')
    await world.restart()
    await world.apply('pot', {}, { 'tidemark.dev/adopt': id })
    const refused = await world.until('pot', 'Ready', 'NotAdoptable')
    expect(world.condition(refused, 'Ready')?.message).toContain('admin release-cluster --cluster old-cluster')
    expect(await declaringClusters(world.store)).toEqual([{ cluster_id: 'old-cluster', monitors: 1 }])
    expect(await editMonitor(world.context, PAGE_RECORDS, { ...world.owner, id, patch: { name: 'x' } })).toMatchObject({
      kind: 'managed',
    })
    expect(await releaseCluster(world.context, 'old-cluster')).toBe(1)
    expect(await releaseCluster(world.context, 'old-cluster')).toBe(0)
    expect(await editMonitor(world.context, PAGE_RECORDS, { ...world.owner, id, patch: { name: 'x' } })).toMatchObject({
      kind: 'done',
    })
    await world.apply('pot', { scheduleIntervalSeconds: 600 }, { 'tidemark.dev/adopt': id })
    expect((await world.until('pot', 'Ready', 'Scheduled')).status?.id).toBe(id)
  })

  test('an operator whose cluster is given back by mistake starts anew and takes its records over', async () => {
    const id = await create('kettle')
    const [cluster] = await declaringClusters(world.store)
    const operator = world.operator()
    await releaseCluster(world.context, cluster?.cluster_id ?? '')
    await world.apply('kettle', { scheduleIntervalSeconds: 600 })
    await operator.lost
    await world.restart()
    await eventually(
      () => world.stored(id),
      (record) => record?.managed_by === 'kubernetes' && record.schedule_interval_seconds === 600,
    )
    expect(await world.monitors()).toHaveLength(1)
  })

  test('an operator that cannot begin gives the lease back', async () => {
    await world.stop()
    await world.sql('alter table operator_epochs rename to away')
    const operator = await world.start()
    await expect(operator.leading).rejects.toThrow('operator_epochs')
    const lease = await kube.call('GET', '/apis/coordination.k8s.io/v1/namespaces/default/leases/tidemark-operator')
    expect(lease.body.spec.holderIdentity).toBe('')
    await world.sql('alter table away rename to operator_epochs')
  })
})
