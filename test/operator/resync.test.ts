import { sql } from 'slonik'
import Type from 'typebox'
import { beforeEach, expect, test } from 'vitest'
import { row } from '../../store/db/row.ts'
import { changeMonitors } from '../support/database/change-monitors.ts'
import type { KubeApi } from '../support/kubernetes/kube-api.ts'
import { describeWithApiServer } from '../support/kubernetes/kube-assets.ts'
import { eventually } from '../support/run/eventually.ts'
import { operatorForEachTest, type OperatorSetup, TIMES } from './operator-setup.ts'

describeWithApiServer('An operator that looks at everything again', () => {
  let kube: KubeApi
  let setup: OperatorSetup
  operatorForEachTest((opened) => ({ kube, setup } = opened), { times: { ...TIMES, resyncMs: 200 } })
  beforeEach(async () => {
    await setup.apply('kettle')
    await setup.until('kettle', 'Ready', 'Scheduled')
  })

  const resyncs = async (count: number) => {
    const from = await setup.figure('resyncs_total')
    await eventually(
      () => setup.figure('resyncs_total'),
      (now) => now >= from + count,
    )
  }
  const version = row({ version: Type.String() })
  const versions = () =>
    setup.store.any(sql.type(version)`
      select xmin::text as version from monitor_resources union all select xmin::text from monitors
      union all select xmin::text from checks`)

  test('writes nothing, to the API server or the store, while nothing differs', async () => {
    await resyncs(1)
    const before = await setup.read('kettle')
    const rows = await versions()
    await resyncs(3)
    expect((await setup.read('kettle')).metadata.resourceVersion).toBe(before.metadata.resourceVersion)
    expect(await versions()).toEqual(rows)
    expect(await setup.figure('corrections_total')).toBe(0)
  })

  test('puts a status right that somebody else overwrote', async () => {
    const before = await setup.read('kettle')
    const status = { id: null, address: 'elsewhere.example', conditions: [] }
    await kube.call('PATCH', `${setup.path('kettle')}/status`, { status }, 'application/merge-patch+json')
    const after = await eventually(
      () => setup.read('kettle'),
      (resource) => resource.status?.id !== undefined,
    )
    expect(after.status).toMatchObject({ id: before.status?.id, address: 'shop.example/kettle' })
    expect(after.status?.conditions?.map(({ type }) => type)).toEqual(['Ready', 'Healthy'])
  })

  test.each([
    [
      'its configuration',
      () => changeMonitors(setup, 'all', { scheduleIntervalSeconds: 60, url: 'https://other.example/' }),
    ],
    ['its owner', () => changeMonitors(setup, 'all', { managedBy: 'api' })],
    ['its suspension', () => changeMonitors(setup, 'all', { suspended: true })],
    ['its row of the resource', () => setup.sql('update monitor_resources set generation = 99')],
  ])('puts a record right whose %s was changed in the store', async (_, change) => {
    const { status } = await setup.read('kettle')
    const [before] = await setup.monitors()
    await change()
    await eventually(() => setup.figure('corrections_total'), Boolean)
    const after = await eventually(
      () => setup.stored(status?.id),
      (record) => record?.url === before?.url && record?.managed_by === 'kubernetes' && !record.suspended,
    )
    expect(after).toMatchObject({ schedule_interval_seconds: 900 })
    await resyncs(2)
    expect(await setup.figure('corrections_total')).toBe(1)
    expect(await setup.monitors()).toHaveLength(1)
  })
})
