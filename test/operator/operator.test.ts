import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createLogger } from '../../core/logger.ts'
import { createPolicy } from '../../egress/policy.ts'
import { createKubeClient, type KubeClient } from '../../operator/cluster/kube-client.ts'
import { type Operator, startOperator } from '../../operator/operator.ts'
import type { MonitorResource } from '../../operator/reconcile/monitor-resource.ts'
import { row } from '../../store/db/row.ts'
import { findMonitor, listMonitors } from '../../store/monitors/monitors.ts'
import { editMonitor } from '../../monitors/edit-monitor.ts'
import { resumeMonitor } from '../../monitors/resume-monitor.ts'
import { pauseMonitor } from '../../monitors/pause-monitor.ts'
import { createSecretBox } from '../../store/secrets/secret-box.ts'
import { createUseCaseWorld, type Person, type UseCaseWorld } from '../monitors/use-case-world.ts'
import { startWorker } from '../support/check-worker.ts'
import { eventually } from '../support/eventually.ts'
import { type KubeApi, startKubeApi } from '../support/kube-api.ts'
import { KUBE_ASSETS_ADVICE, kubeAssets } from '../support/kube-assets.ts'
import { openSite } from '../support/site.ts'
import { describeIf } from '../support/skip.ts'

const KEY = 'a key of the tests, which is long enough'
const CRDS = new URL('../../crds/', import.meta.url).pathname
const TIMES = { resultsMs: 50, election: { leaseMs: 3_000, renewMs: 2_000, everyMs: 50 } }

describeIf(kubeAssets() !== null, KUBE_ASSETS_ADVICE)('An operator between a real API server and a store', () => {
  let kube: KubeApi
  let folder: string
  let world: UseCaseWorld
  let person: Person
  let namespace: string
  let client: KubeClient
  let operator: Operator
  let count = 0

  beforeAll(async () => {
    kube = await startKubeApi()
    folder = await mkdtemp(join(tmpdir(), 'tidemark-operator-'))
    await kube.applyCrds(CRDS)
  })
  afterAll(async () => {
    await kube.stop()
    await rm(folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    world = await createUseCaseWorld()
    person = await world.person('scale')
    namespace = `shop-${(count += 1)}`
    await kube.call('POST', '/api/v1/namespaces', {
      metadata: { name: namespace, labels: { 'tidemark.dev/team': person.teamId } },
    })
    client = createKubeClient(kube.kubeconfig)
    operator = await start()
  })
  afterEach(async () => {
    await operator.stop()
    client.close()
    await world.close()
  })

  async function start(): Promise<Operator> {
    const started = await startOperator({
      client,
      store: world.store,
      secrets: createSecretBox(KEY),
      encryptionKey: KEY,
      egress: createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] }),
      defaultTeam: null,
      namespace: 'default',
      registry: new Registry(),
      log: createLogger('silent'),
      times: TIMES,
    })
    await started.leading
    return started
  }

  const path = (name: string) => `/apis/tidemark.dev/v1/namespaces/${namespace}/monitors/${name}`
  async function apply(name: string, spec: object, annotations: Record<string, string> = {}): Promise<void> {
    const body = {
      apiVersion: 'tidemark.dev/v1',
      kind: 'Monitor',
      metadata: { name, namespace, annotations },
      spec: {
        name: 'Price of the kettle',
        url: 'https://shop.example/kettle?id=7',
        scheduleIntervalSeconds: 900,
        extractConfig: { method: 'css', fields: { price: '.price' } },
        diffPredicate: { type: 'any_field_changes' },
        ...spec,
      },
    }
    const answer = await kube.call(
      'PATCH',
      `${path(name)}?fieldManager=test&force=true`,
      body,
      'application/apply-patch+yaml',
    )
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  }
  const read = async (name: string) => (await kube.call('GET', path(name))).body as MonitorResource
  const condition = (resource: MonitorResource, type: string) =>
    resource.status?.conditions?.find((one) => one.type === type)
  async function until(name: string, type: string, reason: string): Promise<MonitorResource> {
    const holds = (resource: MonitorResource) => {
      const found = condition(resource, type)
      return found?.reason === reason && found.observedGeneration === resource.metadata.generation
    }
    return eventually(() => read(name), holds, { forMs: 15_000 })
  }
  const monitors = () => listMonitors(world.store, { teamId: person.teamId, limit: 100, offset: 0 })
  const stored = async (id: string | undefined) => findMonitor(world.store, person.teamId, id ?? '')

  test('creates the record that a resource declares, and says so', async () => {
    await apply('kettle', {})
    const { status } = await until('kettle', 'Ready', 'Scheduled')
    expect(status).toMatchObject({ observedGeneration: 1, address: 'shop.example/kettle' })
    expect(await stored(status?.id)).toMatchObject({ name: 'Price of the kettle', managed_by: 'kubernetes' })
    expect(condition(await read('kettle'), 'Healthy')).toMatchObject({ status: 'Unknown', reason: 'NeverRun' })
    expect(await kube.kubectl('describe', 'monitor', 'kettle', '-n', namespace)).toContain('was created')
    expect(await kube.kubectl('wait', '--for=condition=Ready', 'monitor/kettle', '-n', namespace)).toContain('met')
    expect(await kube.kubectl('get', 'mon', '-n', namespace)).toMatch(
      /kettle +True +Unknown +shop\.example\/kettle +900/,
    )
  })

  test('edits the record with the resource, and deletes it with the resource', async () => {
    await apply('kettle', {})
    const { status } = await until('kettle', 'Ready', 'Scheduled')
    await apply('kettle', { scheduleIntervalSeconds: 600 })
    await eventually(
      () => stored(status?.id),
      (monitor) => monitor?.schedule_interval_seconds === 600,
    )
    await kube.kubectl('delete', 'monitor', 'kettle', '-n', namespace, '--timeout=15s')
    expect(await stored(status?.id)).toBeNull()
    expect((await kube.call('GET', path('kettle'))).status).toBe(404)
  })

  test('refuses a change through the API, which names the resource', async () => {
    await apply('kettle', { suspend: true })
    const { status } = await until('kettle', 'Ready', 'Suspended')
    const id = status?.id ?? ''
    const resource = `${namespace}/kettle`
    expect(await editMonitor(world.context, { ...person, id, patch: { name: 'x' } })).toMatchObject({ resource })
    expect(await resumeMonitor(world.context, { ...person, id })).toMatchObject({ kind: 'managed', act: 'resume' })
    expect(await pauseMonitor(world.context, { ...person, id })).toMatchObject({ kind: 'done' })
    await apply('kettle', { suspend: false })
    await until('kettle', 'Ready', 'Scheduled')
    // The pause of a person is a fact of its own.
    expect(await stored(id)).toMatchObject({ paused: true, suspended: false, next_run_at: null })
    expect(await resumeMonitor(world.context, { ...person, id })).toMatchObject({ kind: 'done' })
    expect((await stored(id))?.next_run_at).not.toBeNull()
  })

  test('takes over a monitor of the API that the annotation names, and no other', async () => {
    const mine = await world.monitor(person)
    const other = await world.monitor(await world.person('scale'))
    await apply('mine', {}, { 'tidemark.dev/adopt': mine.id })
    await apply('theirs', {}, { 'tidemark.dev/adopt': other.id })
    expect((await until('mine', 'Ready', 'Scheduled')).status?.id).toBe(mine.id)
    expect(await stored(mine.id)).toMatchObject({ name: 'Price of the kettle', managed_by: 'kubernetes' })
    const refused = await until('theirs', 'Ready', 'NotAdoptable')
    expect(condition(refused, 'Stalled')).toMatchObject({ status: 'True' })
    expect(refused.status?.id).toBeUndefined()
  })

  test('reads secrets, and says which one is missing', async () => {
    const from = { secretKeyRef: { name: 'chat', key: 'webhook' } }
    await apply('kettle', { deliveries: [{ type: 'slack', webhookUrlFrom: from }] })
    const refused = await until('kettle', 'Ready', 'SecretMissing')
    expect(condition(refused, 'Ready')?.message).toBe(`There is no Secret chat in the namespace ${namespace}.`)
    expect(await monitors()).toEqual([])
    const url = 'https://hooks.slack.com/services/T/B/secret'
    await kube.call('POST', `/api/v1/namespaces/${namespace}/secrets`, {
      metadata: { name: 'chat' },
      stringData: { webhook: `${url}\n` },
    })
    // A change of the resource is a reason to look again at once; the Secret itself is looked at each minute.
    await apply('kettle', { deliveries: [{ type: 'slack', webhookUrlFrom: from }], scheduleIntervalSeconds: 600 })
    await operator.stop()
    operator = await start()
    const { status } = await until('kettle', 'Ready', 'Scheduled')
    const { deliveries } = (await stored(status?.id)) ?? {}
    const place = { teamId: person.teamId, column: 'monitors.deliveries' } as const
    expect(createSecretBox(KEY).open(place, deliveries ?? Buffer.of())).toEqual([{ type: 'slack', webhookUrl: url }])
    expect(JSON.stringify(await read('kettle'))).not.toContain('secret"')
  })

  test('says in the words of the API what only the API can judge', async () => {
    await apply('kettle', { extractConfig: { method: 'css', fields: { price: 'b[[' } } })
    const refused = await until('kettle', 'Ready', 'Invalid')
    expect(condition(refused, 'Ready')?.message).toMatch(/^spec\.extractConfig\.fields\.price is not a CSS selector/)
    await apply('kettle', {})
    const { status } = await until('kettle', 'Ready', 'Scheduled')
    expect(status?.conditions?.map(({ type }) => type)).toEqual(['Ready', 'Healthy'])
  })

  test('does nothing for a namespace without a team, until it has one', async () => {
    await kube.kubectl('label', 'namespace', namespace, 'tidemark.dev/team-')
    await apply('kettle', {})
    const refused = await until('kettle', 'Ready', 'NoTeam')
    expect(condition(refused, 'Ready')?.message).toContain(`kubectl label namespace ${namespace} tidemark.dev/team=`)
    await kube.kubectl('label', 'namespace', namespace, `tidemark.dev/team=${person.teamId}`)
    await until('kettle', 'Ready', 'Scheduled')
  })

  test('runs a monitor when its annotation asks for it, once for each value', async () => {
    await apply('kettle', { suspend: true })
    const { status } = await until('kettle', 'Ready', 'Suspended')
    await apply('kettle', { suspend: true }, { 'tidemark.dev/run-requested-at': 'k3f9' })
    await eventually(
      () => read('kettle'),
      (resource) => resource.status?.lastHandledRequest === 'k3f9',
    )
    const triggered = await world.store.any(sql.type(row({ metadata: Type.Unknown() }))`
      select metadata from audit_events where action = 'monitor.run_triggered' and target_id = ${status?.id ?? ''}`)
    expect(triggered).toHaveLength(1)
  })

  test('shows the values and the last change of the checks, and a failure with its reason', async () => {
    await using site = await openSite()
    site.price('$10')
    await using worker = await startWorker({ url: world.url, secrets: createSecretBox(KEY) })
    worker.loop.start()
    await apply('kettle', { url: site.url, scheduleIntervalSeconds: 60 })
    await until('kettle', 'Healthy', 'Succeeding')
    site.price('$12')
    const run = { 'tidemark.dev/run-requested-at': 'one' }
    await apply('kettle', { url: site.url, scheduleIntervalSeconds: 60 }, run)
    worker.loop.wake()
    const changed = await eventually(
      () => read('kettle'),
      ({ status }) => status?.lastChange !== undefined,
      { forMs: 20_000 },
    )
    expect(changed.status).toMatchObject({
      values: { price: '$12' },
      lastChange: { fields: [{ name: 'price', before: '$10', after: '$12' }] },
    })
    expect(await kube.kubectl('get', 'mon', '-n', namespace)).toMatch(/kettle +True +True/)
  })

  test('changes nothing when it is started again', async () => {
    await apply('kettle', {})
    const before = await until('kettle', 'Ready', 'Scheduled')
    const record = await stored(before.status?.id)
    await operator.stop()
    operator = await start()
    await apply('other', {})
    await until('other', 'Ready', 'Scheduled')
    expect((await read('kettle')).metadata.resourceVersion).toBe(before.metadata.resourceVersion)
    expect(await stored(before.status?.id)).toEqual(record)
  })

  test('writes nothing to the store after another leader has begun', async () => {
    await world.sql('update operator_epochs set epoch = epoch + 1')
    await apply('kettle', {})
    await eventually(
      () => read('kettle'),
      ({ metadata }) => metadata.finalizers?.length === 1,
    )
    expect(await monitors()).toEqual([])
    await operator.stop()
    operator = await start()
    await until('kettle', 'Ready', 'Scheduled')
  })
})
