import { expect, test } from 'vitest'
import { createLogger } from '../../core/logger.ts'
import { releaseCluster } from '../../monitors/declared/end-declared.ts'
import { deleteMonitor } from '../../monitors/delete-monitor.ts'
import { editMonitor } from '../../monitors/edit-monitor.ts'
import { PAGE } from '../../monitors/kinds/page-kind.ts'
import { resumeMonitor } from '../../monitors/resume-monitor.ts'
import { PAGE_TABLE } from '../../store/monitors/kinds/page-table.ts'
import { declaringClusters } from '../../store/monitors/monitor-resource.ts'
import { listMonitors } from '../../store/monitors/monitors.ts'
import { releasedRecords } from '../../store/monitors/released-records.ts'
import type { KubeApi } from '../support/kubernetes/kube-api.ts'
import { describeWithApiServer } from '../support/kubernetes/kube-assets.ts'
import { runHere } from '../support/process/run-here.ts'
import { eventually } from '../support/run/eventually.ts'
import { KEY, operatorForEachTest, type OperatorSetup } from './operator-setup.ts'

describeWithApiServer('A record and the resources of clusters', () => {
  let kube: KubeApi
  let setup: OperatorSetup
  operatorForEachTest((opened) => ({ kube, setup } = opened))

  /** Removes a resource so that no operator learns of a deletion: as when a cluster is lost. */
  async function lose(name: string): Promise<void> {
    await setup.stop()
    await kube.call('PATCH', setup.path(name), { metadata: { finalizers: null } }, 'application/merge-patch+json')
    await kube.call('DELETE', setup.path(name))
  }
  const isReleased = (id: string) =>
    eventually(
      () => setup.stored(id),
      (record) => record?.managed_by === 'api',
    )
  async function create(name: string, spec: object = {}): Promise<string> {
    await setup.apply(name, spec)
    return (await setup.until(name, 'Ready', spec && 'suspend' in spec ? 'Suspended' : 'Scheduled')).status?.id ?? ''
  }

  test('a record whose resource vanished is the same resource’s again when that comes back', async () => {
    const id = await create('kettle', { suspend: true })
    await lose('kettle')
    await setup.restart()
    await isReleased(id)
    expect(await setup.stored(id)).toMatchObject({ suspended: true, next_run_at: null })
    await setup.apply('kettle', { suspend: true })
    expect((await setup.until('kettle', 'Ready', 'Suspended')).status?.id).toBe(id)
    await setup.apply('kettle', { suspend: false })
    await setup.until('kettle', 'Ready', 'Scheduled')
    expect(await setup.stored(id)).toMatchObject({ managed_by: 'kubernetes', suspended: false, paused: false })
    expect(await setup.monitors()).toHaveLength(1)
  })

  test('a record whose resource was deleted while no operator ran is named, with what deletes it', async () => {
    const id = await create('kettle')
    await create('pot')
    await lose('kettle')
    expect(await releasedRecords(setup.store)).toEqual([])
    const lines: Record<string, unknown>[] = []
    const log = createLogger('warn', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) })
    await setup.restart({ log })
    await isReleased(id)
    const named = await eventually(
      () => lines.filter(({ monitor }) => monitor === id),
      (found) => found.length > 0,
    )
    expect(named).toMatchObject([{ kind: 'Monitor', resource: `${setup.namespace}/kettle` }])
    expect(named[0]?.['msg']).toContain(`"tidemark delete ${id}" deletes it`)
    const whose = {
      monitor_id: id,
      email: setup.owner.actor.label,
      kind: 'page',
      namespace: setup.namespace,
      name: 'kettle',
    }
    expect(await releasedRecords(setup.store)).toMatchObject([whose])
    const shown = await runHere(['admin', 'list-released'], { DATABASE_URL: setup.url, TIDEMARK_ENCRYPTION_KEY: KEY })
    expect(shown.stdout, shown.stderr).toMatch(
      new RegExp(`Monitor ${setup.namespace}/kettle .*tidemark delete ${id}\n`),
    )
    await deleteMonitor(setup.context, PAGE, { ...setup.owner, id })
    expect(await releasedRecords(setup.store)).toEqual([])
  })

  test('a record has the labels of its resource that are meant for it, also when nothing else changed', async () => {
    const label = async (labels: object) => setup.apply('kettle', {}, {}, setup.namespace, labels)
    await label({ 'label.tidemark.dev/env': 'dev', app: 'shop' })
    const id = (await setup.until('kettle', 'Ready', 'Scheduled')).status?.id
    const labelled = (labels: object) =>
      eventually(
        () => setup.stored(id),
        (record) => JSON.stringify(record?.labels) === JSON.stringify(labels),
      )
    await labelled({ env: 'dev' })
    await label({ 'label.tidemark.dev/env': 'prod' })
    await labelled({ env: 'prod' })
    await setup.restart()
    await labelled({ env: 'prod' })
  })

  test('a suspended record whose resource vanished is resumed and listed like a paused one', async () => {
    const id = await create('kettle', { suspend: true })
    const ofTeam = { teamId: setup.owner.teamId, limit: 10, offset: 0 }
    expect(await listMonitors(setup.store, PAGE_TABLE, { ...ofTeam, status: 'paused' })).toHaveLength(1)
    expect(await listMonitors(setup.store, PAGE_TABLE, { ...ofTeam, status: 'active' })).toHaveLength(0)
    await lose('kettle')
    await setup.restart()
    await isReleased(id)
    expect(await resumeMonitor(setup.context, PAGE, { ...setup.owner, id })).toMatchObject({ kind: 'done' })
    expect(await setup.stored(id)).toMatchObject({ paused: false, suspended: false })
    expect((await setup.stored(id))?.next_run_at).not.toBeNull()
  })

  test('a record whose resource vanished can be adopted under another name', async () => {
    const id = await create('kettle')
    await lose('kettle')
    await setup.restart()
    await isReleased(id)
    await setup.apply('pot', {}, { 'tidemark.dev/adopt': id })
    expect((await setup.until('pot', 'Ready', 'Scheduled')).status?.id).toBe(id)
    await setup.apply('kettle')
    expect((await setup.until('kettle', 'Ready', 'Scheduled')).status?.id).not.toBe(id)
  })

  test('a second resource for a record is refused, with the name of the first', async () => {
    const id = await create('kettle')
    await setup.apply('pot', {}, { 'tidemark.dev/adopt': id })
    const refused = await setup.until('pot', 'Ready', 'NotAdoptable')
    const message = `The monitor ${id} is declared by the resource ${setup.namespace}/kettle already.`
    expect(setup.condition(refused, 'Ready')?.message).toBe(message)
  })

  test('a resource that declares a record already cannot take over another one, and says so', async () => {
    const id = await create('kettle')
    const other = await setup.monitor(setup.owner)
    await setup.apply('kettle', {}, { 'tidemark.dev/adopt': other.id })
    const refused = await setup.until('kettle', 'Ready', 'NotAdoptable')
    expect(setup.condition(refused, 'Ready')?.message).toContain(
      `declares the monitor ${id} already, and cannot take over ${other.id} too. Remove the annotation`,
    )
    expect(await setup.stored(other.id)).toMatchObject({ managed_by: 'api' })
    // The annotation that it was adopted with stays, in any case of letters.
    await setup.apply('kettle', {}, { 'tidemark.dev/adopt': id.toUpperCase() })
    await setup.until('kettle', 'Ready', 'Scheduled')
    await kube.kubectl('delete', 'monitor', 'kettle', '-n', setup.namespace, '--timeout=15s')
    await setup.apply('kettle', {}, { 'tidemark.dev/adopt': other.id })
    expect((await setup.until('kettle', 'Ready', 'Scheduled')).status?.id).toBe(other.id)
  })

  test('a cluster that was built anew takes its records over with the id of the old one', async () => {
    await setup.stop()
    await setup.restart({ clusterId: 'old-cluster' })
    const id = await create('kettle')
    await lose('kettle')
    const before = await setup.apply('kettle')
    await setup.restart({ clusterId: 'old-cluster' })
    const taken = await setup.until('kettle', 'Ready', 'Scheduled')
    expect(taken.metadata.uid).toBe(before.metadata.uid)
    expect(taken.status?.id).toBe(id)
    expect(await setup.monitors()).toHaveLength(1)
  })

  test('the records of a lost cluster are named, given back by an administrator, and then adopted', async () => {
    await setup.restart({ clusterId: 'old-cluster' })
    const id = await create('kettle')
    await lose('kettle')
    await setup.restart()
    await setup.apply('pot', {}, { 'tidemark.dev/adopt': id })
    const refused = await setup.until('pot', 'Ready', 'NotAdoptable')
    expect(setup.condition(refused, 'Ready')?.message).toContain('admin release-cluster --cluster old-cluster')
    expect(await declaringClusters(setup.store)).toEqual([{ cluster_id: 'old-cluster', monitors: 1 }])
    expect(await editMonitor(setup.context, PAGE, { ...setup.owner, id, patch: { name: 'x' } })).toMatchObject({
      kind: 'managed',
    })
    expect(await releaseCluster(setup.context, 'old-cluster')).toBe(1)
    expect(await releaseCluster(setup.context, 'old-cluster')).toBe(0)
    expect(await editMonitor(setup.context, PAGE, { ...setup.owner, id, patch: { name: 'x' } })).toMatchObject({
      kind: 'done',
    })
    await setup.apply('pot', { scheduleIntervalSeconds: 600 }, { 'tidemark.dev/adopt': id })
    expect((await setup.until('pot', 'Ready', 'Scheduled')).status?.id).toBe(id)
  })

  test('an operator whose cluster is given back by mistake starts anew and takes its records over', async () => {
    const id = await create('kettle')
    const [cluster] = await declaringClusters(setup.store)
    const operator = setup.operator()
    await releaseCluster(setup.context, cluster?.cluster_id ?? '')
    await setup.apply('kettle', { scheduleIntervalSeconds: 600 })
    await operator.lost
    await setup.restart()
    await eventually(
      () => setup.stored(id),
      (record) => record?.managed_by === 'kubernetes' && record.schedule_interval_seconds === 600,
    )
    expect(await setup.monitors()).toHaveLength(1)
  })

  test('an operator that cannot begin gives the lease back', async () => {
    await setup.stop()
    await setup.sql('alter table operator_epochs rename to away')
    const operator = await setup.start()
    await expect(operator.leading).rejects.toThrow('operator_epochs')
    const lease = await kube.call('GET', '/apis/coordination.k8s.io/v1/namespaces/default/leases/tidemark-operator')
    expect(lease.body.spec.holderIdentity).toBe('')
    await setup.sql('alter table away rename to operator_epochs')
  })
})
