import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { describeWithApiServer } from '../support/kubernetes/kube-assets.ts'
import { eventually } from '../support/run/eventually.ts'
import { operatorForEachTest, type OperatorSetup } from './operator-setup.ts'

describeWithApiServer('The metrics of an operator', () => {
  let setup: OperatorSetup
  operatorForEachTest((opened) => ({ setup } = opened))

  test('count resources by condition, reason and namespace, and no names', async () => {
    await setup.apply('kettle')
    await setup.apply('pot')
    await setup.apply('urn', { extractConfig: { method: 'css', fields: { price: 'b[[' } } })
    await setup.until('kettle', 'Ready', 'Scheduled')
    await setup.until('pot', 'Ready', 'Scheduled')
    await setup.until('urn', 'Ready', 'Invalid')
    const of = `resource_namespace="${setup.namespace}"`
    const text = await setup.metrics()
    const conditions = text.split('\n').filter((line) => line.includes('_conditions{') && line.includes(of))
    const counted = (condition: string, status: string, reason: string, count: number) =>
      'tidemark_operator_conditions{' +
      `kind="Monitor",condition="${condition}",status="${status}",reason="${reason}",${of}} ${count}`
    expect(conditions.toSorted()).toEqual(
      [
        counted('Ready', 'True', 'Scheduled', 2),
        counted('Ready', 'False', 'Invalid', 1),
        counted('Stalled', 'True', 'Invalid', 1),
        counted('Healthy', 'Unknown', 'NeverRun', 3),
      ].toSorted(),
    )
    await setup.apply('urn')
    await setup.until('urn', 'Ready', 'Scheduled')
    expect(await setup.metrics()).not.toContain('Invalid')
  })

  test('have counters of the type counter, and the number and duration of reconciliations', async () => {
    await setup.apply('kettle')
    await setup.until('kettle', 'Ready', 'Scheduled')
    const text = await eventually(
      () => setup.metrics(),
      (found) => /reconcile_seconds_count\{kind="Monitor",outcome="done"\} [1-9]/.test(found),
    )
    for (const name of ['lists_total', 'resyncs_total', 'corrections_total', 'events_dropped_total'])
      expect(text).toContain(`# TYPE tidemark_operator_${name} counter`)
    // Reading twice must not count twice.
    expect(await setup.figure('lists_total')).toBe(1)
    expect(await setup.figure('lists_total')).toBe(1)
    expect(text).toContain('# TYPE tidemark_operator_reconcile_seconds histogram')
  })

  test('name each resource and whether it is ready, where that is wanted', async () => {
    await setup.apply('kettle')
    await setup.apply('urn', { extractConfig: { method: 'css', fields: { price: 'b[[' } } })
    await setup.until('kettle', 'Ready', 'Scheduled')
    await setup.until('urn', 'Ready', 'Invalid')
    expect(await setup.metrics()).not.toContain('tidemark_resource_ready')
    await setup.restart({ metricsPerResource: true })
    const ready = (name: string, value: number) =>
      `tidemark_resource_ready{kind="Monitor",resource_namespace="${setup.namespace}",name="${name}"} ${value}`
    const lines = async () => (await setup.metrics()).split('\n').filter((line) => line.includes(setup.namespace))
    expect(await lines()).toEqual(expect.arrayContaining([ready('kettle', 1), ready('urn', 0)]))
    await setup.kube.call('DELETE', setup.path('urn'))
    const left = await eventually(lines, (found) => !found.includes(ready('urn', 0)))
    expect(left).toContain(ready('kettle', 1))
  })

  test('say which operator leads', async () => {
    const registry = new Registry()
    const leader = async () => (await registry.getSingleMetric('tidemark_operator_leader')?.get())?.values[0]?.value
    const second = await setup.start({ registry })
    expect(await leader()).toBe(0)
    await setup.stop()
    await second.leading
    expect(await leader()).toBe(1)
    await second.stop()
    expect(await leader()).toBe(0)
  })
})
