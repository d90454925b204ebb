import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createKubeClient } from '../../operator/cluster/kube-client.ts'
import { stripFinalizers } from '../../operator/strip-finalizers.ts'
import { giveReading } from '../support/database/check-states.ts'
import type { KubeApi } from '../support/kubernetes/kube-api.ts'
import { describeWithApiServer } from '../support/kubernetes/kube-assets.ts'
import { runCli } from '../support/process/cli-process.ts'
import { eventually } from '../support/run/eventually.ts'
import { createOperatorSetup, CRDS, type OperatorSetup, startCluster, TIMES } from './operator-setup.ts'

/** An object in the schema of a definition. */
interface StructuralSchema {
  readonly properties: Record<string, object>
}

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/default/leases/tidemark-operator'
const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/monitors.tidemark.dev'

describeWithApiServer('The end of resources, and other definitions of them', () => {
  let kube: KubeApi
  let setup: OperatorSetup
  beforeEach(async () => {
    kube = await startCluster()
    setup = await createOperatorSetup(kube, { times: { ...TIMES, resyncMs: 300 } })
  })
  afterEach(async () => {
    await setup.stop()
    await kube.stop()
  })

  const ids = async () => (await setup.monitors()).map(({ id }) => id).toSorted()
  async function applyTwo(): Promise<readonly string[]> {
    for (const name of ['kettle', 'pot']) {
      await setup.apply(name)
      await setup.until(name, 'Ready', 'Scheduled')
    }
    return ids()
  }
  /** Replaces the definition by one that a change of the released one gives. */
  async function define(change: (parts: Record<'spec' | 'status', StructuralSchema>) => void): Promise<void> {
    const definition = parse(await readFile(`${CRDS}tidemark.dev_monitors.yaml`, 'utf8'))
    change(definition.spec.versions[0].schema.openAPIV3Schema.properties)
    const { body } = await kube.call('GET', CRD)
    const resourceVersion = body.metadata.resourceVersion
    const answer = await kube.call('PUT', CRD, { ...definition, metadata: { ...definition.metadata, resourceVersion } })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  }

  test('a definition that is deleted and comes back costs no record and makes none twice', async () => {
    const before = await applyTwo()
    await kube.kubectl('delete', 'crd', 'monitors.tidemark.dev', '--timeout=30s')
    await eventually(setup.monitors, (all) => all.every((record) => record.managed_by === 'api'))
    expect(await ids()).toEqual(before)
    await kube.applyCrds(CRDS)
    await eventually(async () => (await kube.call('GET', setup.path('kettle'))).status === 404, Boolean)
    for (const name of ['kettle', 'pot']) await setup.apply(name)
    await eventually(setup.monitors, (all) => all.every((record) => record.managed_by === 'kubernetes'), {
      forMs: 40_000,
    })
    expect(await ids()).toEqual(before)
  }, 120_000)

  test('an operator that finds no definition waits for it, and holds up no other kind', async () => {
    await setup.stop()
    await kube.kubectl('delete', 'crd', 'monitors.tidemark.dev', '--timeout=30s')
    const operator = await setup.start()
    await operator.leading
    await kube.applyCrds(CRDS)
    await eventually(async () => (await kube.call('GET', setup.path('kettle'))).status === 404, Boolean)
    await setup.apply('kettle')
    await eventually(setup.monitors, (all) => all.length === 1, { forMs: 60_000 })
  }, 90_000)

  test('resources of a namespace that is deleted go with their records', async () => {
    await applyTwo()
    await kube.call('DELETE', `/api/v1/namespaces/${setup.namespace}`)
    // The controller of namespaces, which no test server has, does this.
    await kube.call('DELETE', `/apis/tidemark.dev/v1/namespaces/${setup.namespace}/monitors`)
    await eventually(ids, (left) => left.length === 0)
    const listed = () => kube.call('GET', `/apis/tidemark.dev/v1/namespaces/${setup.namespace}/monitors`)
    await eventually(listed, ({ body }) => body.items.length === 0)
  })

  test('the finalizers go at an uninstall although the operator still runs, and the records stay', async () => {
    const before = await applyTwo()
    const operator = setup.operator()
    const client = createKubeClient(kube.kubeconfig)
    expect(await stripFinalizers(client, 500)).toBe(2)
    client.close()
    // A new installation must not wait for long.
    const { body } = await kube.call('GET', LEASE)
    expect(body.spec).toMatchObject({ holderIdentity: 'uninstall', leaseDurationSeconds: 120 })
    await operator.lost
    await kube.kubectl('delete', 'monitors', '--all', '-n', setup.namespace, '--timeout=15s')
    expect(await ids()).toEqual(before)
    const again = await runCli(['operator', '--strip-finalizers', '--kubeconfig', kube.kubeconfig], {})
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('0 resources of https://127.0.0.1') })
  }, 60_000)

  test('an uninstall that meets an operator with a lease elsewhere ends, and says how to stop it', async () => {
    await applyTwo()
    await setup.restart({ namespace: 'kube-system' })
    const client = createKubeClient(kube.kubeconfig)
    await expect(stripFinalizers(client, 500)).rejects.toThrow(
      'an operator works that does not use the lease default/tidemark-operator',
    )
    client.close()
  }, 60_000)

  test('a newer definition brings fields that are refused by name, until somebody removes them', async () => {
    await define(({ spec }) => (spec.properties['holdMusic'] = { type: 'string' }))
    await setup.apply('kettle')
    // The API server takes the new definition a moment later, for requests and then for watches: one of the old
    // definition shows a change without the field.
    let take = 0
    const refused = await eventually(
      async () => {
        const body = { spec: { holdMusic: `take ${++take}` } }
        await kube.call('PATCH', setup.path('kettle'), body, 'application/merge-patch+json')
        return setup.read('kettle')
      },
      (resource) => setup.condition(resource, 'Ready')?.reason === 'LaterVersion',
      { everyMs: 500 },
    )
    expect(setup.condition(refused, 'Ready')?.message).toMatch(/^spec\.holdMusic .* Upgrade the operator/)
    expect(setup.condition(refused, 'Stalled')?.status).toBe('True')
    await kube.call('PATCH', setup.path('kettle'), { spec: { holdMusic: null } }, 'application/merge-patch+json')
    await setup.until('kettle', 'Ready', 'Scheduled')
  })

  test('an older definition drops parts of the status, which are not written again and again', async () => {
    await define(({ status }) => delete status.properties['address'])
    // The API server takes the new definition a moment later.
    await eventually(async () => {
      await setup.apply('probe', { name: `Probe ${Math.random()}` })
      const patch = { status: { address: 'x' } }
      await kube.call('PATCH', `${setup.path('probe')}/status`, patch, 'application/merge-patch+json')
      return (await setup.read('probe')).status?.address === undefined
    }, Boolean)
    await setup.apply('kettle')
    const before = await setup.until('kettle', 'Ready', 'Scheduled')
    expect(before.status?.address).toBeUndefined()
    const corrections = await setup.figure('resyncs_total')
    // More often than results may be written in a minute.
    await eventually(
      () => setup.figure('resyncs_total'),
      (now) => now > corrections + 20,
    )
    expect((await setup.read('kettle')).metadata.resourceVersion).toBe(before.metadata.resourceVersion)
    // What the definition has again, after an update, is written without a restart.
    await define(() => {})
    const after = await eventually(
      () => setup.read('kettle'),
      ({ status }) => status?.address !== undefined,
    )
    expect(after.status?.address).toBe('shop.example/kettle')
  })

  test('an older definition that drops values that are null gets no Event for them at each look', async () => {
    await define(({ status }) => {
      status.properties['values'] = { type: 'object', additionalProperties: { type: 'string' } }
    })
    // The API server takes the new definition a moment later.
    await eventually(async () => {
      await setup.apply('probe', { name: `Probe ${Math.random()}` })
      const patch = [{ op: 'add', path: '/status', value: { values: { price: null } } }]
      await kube.call('PATCH', `${setup.path('probe')}/status`, patch, 'application/json-patch+json')
      return (await setup.read('probe')).status?.values?.['price'] === undefined
    }, Boolean)
    await setup.apply('kettle')
    await setup.until('kettle', 'Ready', 'Scheduled')
    await giveReading(setup, { resource: 'kettle' }, { price: '$1', stock: null })
    const before = await setup.until('kettle', 'Healthy', 'Succeeding')
    expect(before.status?.values).toEqual({ price: '$1' })
    const resyncs = await setup.figure('resyncs_total')
    await eventually(
      () => setup.figure('resyncs_total'),
      (now) => now > resyncs + 20,
    )
    const missing = async () => (await setup.events()).filter(({ reason }) => reason === 'FieldsMissing')
    expect(await missing()).toEqual([])
    expect((await setup.read('kettle')).metadata.resourceVersion).toBe(before.metadata.resourceVersion)
    await define(() => {})
    const events = await eventually(missing, (found) => found.length > 0)
    expect(events).toHaveLength(1)
    expect((await setup.read('kettle')).status?.values).toEqual({ price: '$1', stock: null })
  })

  test('a resource whose namespace goes to another team is refused, and its record stays with the first', async () => {
    const before = await applyTwo()
    const other = await setup.person('scale')
    await kube.kubectl('label', 'namespace', setup.namespace, '--overwrite', `tidemark.dev/team=${other.teamId}`)
    const refused = await setup.until('kettle', 'Ready', 'OtherTeam')
    expect(setup.condition(refused, 'Ready')?.message).toContain('give the namespace its old label back')
    expect(await ids()).toEqual(before)
    await kube.kubectl('label', 'namespace', setup.namespace, '--overwrite', `tidemark.dev/team=${setup.owner.teamId}`)
    await setup.until('kettle', 'Ready', 'Scheduled')
  })
})
