import { sql } from 'slonik'
import Type from 'typebox'
import { expect, test } from 'vitest'
import { editMonitor } from '../../monitors/edit-monitor.ts'
import { PAGE } from '../../monitors/kinds/page-kind.ts'
import { pauseMonitor } from '../../monitors/pause-monitor.ts'
import { resumeMonitor } from '../../monitors/resume-monitor.ts'
import { row } from '../../store/db/row.ts'
import { createSecretBox } from '../../store/secrets/secret-box.ts'
import type { KubeApi } from '../support/kubernetes/kube-api.ts'
import { describeWithApiServer } from '../support/kubernetes/kube-assets.ts'
import { openSite } from '../support/network/site.ts'
import { eventually } from '../support/run/eventually.ts'
import { startWorker } from '../support/worker/check-worker.ts'
import { KEY, operatorForEachTest, type OperatorSetup } from './operator-setup.ts'

describeWithApiServer('An operator between a real API server and a store', () => {
  let kube: KubeApi
  let setup: OperatorSetup
  operatorForEachTest((opened) => ({ kube, setup } = opened))

  test('creates the record that a resource declares, and says so', async () => {
    await setup.apply('kettle')
    const { status } = await setup.until('kettle', 'Ready', 'Scheduled')
    expect(status).toMatchObject({ observedGeneration: 1, address: 'shop.example/kettle' })
    expect(await setup.stored(status?.id)).toMatchObject({ name: 'Price of the kettle', managed_by: 'kubernetes' })
    expect(setup.condition(await setup.read('kettle'), 'Healthy')).toMatchObject({
      status: 'Unknown',
      reason: 'NeverRun',
    })
    expect(await kube.kubectl('describe', 'monitor', 'kettle', '-n', setup.namespace)).toContain('was created')
    expect(await kube.kubectl('wait', '--for=condition=Ready', 'monitor/kettle', '-n', setup.namespace)).toContain(
      'met',
    )
    expect(await kube.kubectl('get', 'mon', '-n', setup.namespace)).toMatch(
      /kettle +True +Unknown +shop\.example\/kettle +15m/,
    )
  })

  test('edits the record with the resource, and deletes it with the resource', async () => {
    await setup.apply('kettle')
    const { status } = await setup.until('kettle', 'Ready', 'Scheduled')
    await setup.apply('kettle', { scheduleIntervalSeconds: 600 })
    await eventually(
      () => setup.stored(status?.id),
      (monitor) => monitor?.schedule_interval_seconds === 600,
    )
    await kube.kubectl('delete', 'monitor', 'kettle', '-n', setup.namespace, '--timeout=15s')
    expect(await setup.stored(status?.id)).toBeNull()
    expect((await kube.call('GET', setup.path('kettle'))).status).toBe(404)
    const done = await setup.store.anyFirst(sql.type(row({ line: Type.String() }))`
      select concat_ws(' ', action, actor_label, metadata ->> 'resource') as line from audit_events
      where target_id = ${status?.id ?? ''} order by created_at
    `)
    const resource = `${setup.namespace}/kettle`
    expect(done).toEqual(['created', 'updated', 'deleted'].map((action) => `monitor.${action} System ${resource}`))
  })

  test('refuses a change through the API, which names the resource', async () => {
    await setup.apply('kettle', { suspend: true })
    const { status } = await setup.until('kettle', 'Ready', 'Suspended')
    const id = status?.id ?? ''
    const resource = `${setup.namespace}/kettle`
    expect(await editMonitor(setup.context, PAGE, { ...setup.owner, id, patch: { name: 'x' } })).toMatchObject({
      resource,
    })
    expect(await resumeMonitor(setup.context, PAGE, { ...setup.owner, id })).toMatchObject({
      kind: 'managed',
      act: 'resume',
    })
    expect(await pauseMonitor(setup.context, PAGE, { ...setup.owner, id })).toMatchObject({ kind: 'done' })
    await setup.apply('kettle', { suspend: false })
    await setup.until('kettle', 'Ready', 'Scheduled')
    // The pause of a person is a fact of its own.
    expect(await setup.stored(id)).toMatchObject({ paused: true, suspended: false, next_run_at: null })
    expect(await resumeMonitor(setup.context, PAGE, { ...setup.owner, id })).toMatchObject({ kind: 'done' })
    expect((await setup.stored(id))?.next_run_at).not.toBeNull()
  })

  test('takes over a monitor of the API that the annotation names, and no other', async () => {
    const mine = await setup.monitor(setup.owner)
    const other = await setup.monitor(await setup.person('scale'))
    await setup.apply('mine', {}, { 'tidemark.dev/adopt': mine.id })
    await setup.apply('theirs', {}, { 'tidemark.dev/adopt': other.id })
    expect((await setup.until('mine', 'Ready', 'Scheduled')).status?.id).toBe(mine.id)
    expect(await setup.stored(mine.id)).toMatchObject({ name: 'Price of the kettle', managed_by: 'kubernetes' })
    const refused = await setup.until('theirs', 'Ready', 'NotAdoptable')
    expect(setup.condition(refused, 'Stalled')).toMatchObject({ status: 'True' })
    expect(refused.status?.id).toBeUndefined()
  })

  test('says which name of a message cannot exist, and stores one whose names do', async () => {
    await setup.apply('kettle', { message: { text: '{{fields.prise.after}}' } })
    const refused = await setup.until('kettle', 'Ready', 'Invalid')
    const said = 'spec.message.text column 10: extractConfig has no field "prise"'
    expect(setup.condition(refused, 'Ready')?.message).toContain(said)
    expect(setup.condition(refused, 'Stalled')).toMatchObject({ status: 'True' })
    const message = { text: '{{fields.price.after}}' }
    const body = '{"a": "{{fields.price.after}}"}'
    const custom = { type: 'webhook', url: 'https://example.com/', service: 'custom', body, method: 'PUT' }
    await setup.apply('kettle', { message, deliveries: [custom] })
    await setup.until('kettle', 'Ready', 'Scheduled')
    expect(await setup.monitors()).toMatchObject([{ message }])
  })

  test('reads secrets, and says which one is missing', async () => {
    const from = { secretKeyRef: { name: 'chat', key: 'webhook' } }
    await setup.apply('kettle', { deliveries: [{ type: 'slack', webhookUrlFrom: from }] })
    const refused = await setup.until('kettle', 'Ready', 'SecretMissing')
    expect(setup.condition(refused, 'Ready')?.message).toBe(
      `There is no Secret chat in the namespace ${setup.namespace}.`,
    )
    expect(await setup.monitors()).toEqual([])
    const url = 'https://hooks.slack.com/services/T/B/secret'
    await kube.call('POST', `/api/v1/namespaces/${setup.namespace}/secrets`, {
      metadata: { name: 'chat', labels: { 'tidemark.dev/monitors': 'true' } },
      stringData: { webhook: `${url}\n` },
    })
    // A change of the resource is a reason to look again at once; the Secret itself is looked at each minute.
    await setup.apply('kettle', { deliveries: [{ type: 'slack', webhookUrlFrom: from }], scheduleIntervalSeconds: 600 })
    const { status } = await setup.until('kettle', 'Ready', 'Scheduled')
    const { deliveries } = (await setup.stored(status?.id)) ?? {}
    const rowId = String(status?.id)
    const place = { teamId: setup.owner.teamId, column: 'monitors.deliveries', rowId } as const
    expect(createSecretBox(KEY).open(place, deliveries ?? Buffer.of())).toEqual([{ type: 'slack', webhookUrl: url }])
    expect(JSON.stringify(await setup.read('kettle'))).not.toContain('secret"')
  })

  test('says in the words of the API what only the API can judge', async () => {
    await setup.apply('kettle', { extractConfig: { method: 'css', fields: { price: 'b[[' } } })
    const refused = await setup.until('kettle', 'Ready', 'Invalid')
    expect(setup.condition(refused, 'Ready')?.message).toMatch(
      /^spec\.extractConfig\.fields\.price is not a CSS selector/,
    )
    await setup.apply('kettle')
    const { status } = await setup.until('kettle', 'Ready', 'Scheduled')
    expect(status?.conditions?.map(({ type }) => type)).toEqual(['Ready', 'Healthy'])
  })

  test('does nothing for a namespace without a team, until it has one', async () => {
    await kube.kubectl('label', 'namespace', setup.namespace, 'tidemark.dev/team-')
    await setup.apply('kettle')
    const refused = await setup.until('kettle', 'Ready', 'NoTeam')
    expect(setup.condition(refused, 'Ready')?.message).toContain(
      `kubectl label namespace ${setup.namespace} tidemark.dev/team=`,
    )
    await kube.kubectl('label', 'namespace', setup.namespace, `tidemark.dev/team=${setup.owner.teamId}`)
    await setup.until('kettle', 'Ready', 'Scheduled')
  })

  test('runs a monitor when its annotation asks for it, once for each value', async () => {
    await setup.apply('kettle', { suspend: true })
    const { status } = await setup.until('kettle', 'Ready', 'Suspended')
    await setup.apply('kettle', { suspend: true }, { 'tidemark.dev/run-requested-at': 'k3f9' })
    await eventually(
      () => setup.read('kettle'),
      (resource) => resource.status?.lastHandledRequest === 'k3f9',
    )
    const triggered = await setup.store.any(sql.type(row({ metadata: Type.Unknown() }))`
      select metadata from audit_events where action = 'monitor.run_triggered' and target_id = ${status?.id ?? ''}`)
    expect(triggered).toHaveLength(1)
  })

  test('shows the values and the last change of the checks, and a failure with its reason', async () => {
    await using site = await openSite()
    site.price('$10')
    await using worker = await startWorker({ url: setup.url, secrets: createSecretBox(KEY) })
    worker.loop.start()
    await setup.apply('kettle', { url: site.url, scheduleIntervalSeconds: 60 })
    await setup.until('kettle', 'Healthy', 'Succeeding')
    site.price('$12')
    const run = { 'tidemark.dev/run-requested-at': 'one' }
    await setup.apply('kettle', { url: site.url, scheduleIntervalSeconds: 60 }, run)
    worker.loop.wake()
    const changed = await eventually(
      () => setup.read('kettle'),
      ({ status }) => status?.lastChange !== undefined,
    )
    expect(changed.status).toMatchObject({
      values: { price: '$12' },
      lastChange: { fields: [{ name: 'price', before: '$10', after: '$12' }] },
    })
    expect(await kube.kubectl('get', 'mon', '-n', setup.namespace)).toMatch(/kettle +True +True/)
  })

  test('changes nothing when it is started again', async () => {
    await setup.apply('kettle')
    const before = await setup.until('kettle', 'Ready', 'Scheduled')
    const record = await setup.stored(before.status?.id)
    await setup.restart()
    await setup.apply('other', {})
    await setup.until('other', 'Ready', 'Scheduled')
    expect((await setup.read('kettle')).metadata.resourceVersion).toBe(before.metadata.resourceVersion)
    expect(await setup.stored(before.status?.id)).toEqual(record)
  })

  test('writes nothing to the store after another leader has begun', async () => {
    await setup.sql('update operator_epochs set epoch = epoch + 1')
    let isLost = false
    void setup.operator().lost.then(() => (isLost = true))
    await setup.apply('kettle')
    // It may meet the other's epoch before it sees the resource, and ends then.
    await eventually(
      () => setup.read('kettle'),
      ({ metadata }) => isLost || metadata.finalizers?.length === 1,
    )
    expect(await setup.monitors()).toEqual([])
    await setup.restart()
    await setup.until('kettle', 'Ready', 'Scheduled')
  })
})
