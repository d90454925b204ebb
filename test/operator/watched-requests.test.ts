import { expect, onTestFinished, test } from 'vitest'
import { createKubeClient } from '../../operator/cluster/kube-client.ts'
import type { KubeApi } from '../support/kubernetes/kube-api.ts'
import { describeWithApiServer } from '../support/kubernetes/kube-assets.ts'
import { eventually } from '../support/run/eventually.ts'
import { createFaultyKube } from './cluster/faulty-kube.ts'
import { operatorForEachTest, type OperatorSetup, TIMES } from './operator-setup.ts'

/** Resources that one operator reconciles at the same time. */
const WORKERS = 32

describeWithApiServer('An operator whose requests are watched', () => {
  let kube: KubeApi
  let setup: OperatorSetup
  operatorForEachTest((opened) => ({ kube, setup } = opened))

  test('applies a resource that it saw before its namespace, as soon as it sees that', async () => {
    await setup.stop()
    await using faulty = await createFaultyKube(kube, setup.folder)
    const client = createKubeClient(faulty.kubeconfig)
    onTestFinished(() => client.close())
    const defaultTeam = { id: setup.owner.teamId, namespaces: ['late'] }
    const watchOfNamespaces = faulty.keep(/\/api\/v1\/namespaces\?.*watch=true/)
    const operator = await setup.start({ client, defaultTeam })
    await operator.leading
    await watchOfNamespaces.came
    await kube.call('POST', '/api/v1/namespaces', { metadata: { name: 'late' } })
    await setup.apply('kettle', {}, {}, 'late')
    await setup.until('kettle', 'Ready', 'NoTeam', 'late')
    await watchOfNamespaces.letGo()
    await setup.until('kettle', 'Ready', 'Scheduled', 'late')
    await operator.stop()
  })

  test('tries again at once what failed many times, when the API server is back', async () => {
    await setup.stop()
    await using faulty = await createFaultyKube(kube, setup.folder)
    const client = createKubeClient(faulty.kubeconfig)
    onTestFinished(() => client.close())
    const operator = await setup.start({ client })
    await operator.leading
    faulty.spoil(/^PATCH .*kettle$/, { kind: 'status', status: 503 }, 5)
    await setup.apply('kettle')
    const attempts = () => faulty.seen.filter((what) => /^PATCH .*kettle$/.test(what)).length
    await eventually(attempts, (count) => count === 5, { forMs: 40_000 })
    // The next attempt would be twelve seconds away.
    faulty.cut()
    await eventually(attempts, (count) => count > 5, { forMs: 10_000 })
    await setup.until('kettle', 'Ready', 'Scheduled')
    await operator.stop()
  })

  test('makes the records of many resources before it writes their statuses', async () => {
    await setup.stop()
    for (let n = 0; n < 160; n += 1) await setup.apply(`many-${n}`)
    await using faulty = await createFaultyKube(kube, setup.folder)
    const client = createKubeClient(faulty.kubeconfig)
    onTestFinished(() => client.close())
    // So many requests at once may take longer here than the short leases of these tests.
    const election = { leaseMs: 15_000, renewMs: 10_000, everyMs: 50 }
    const operator = await setup.start({ client, times: { ...TIMES, election } })
    const statuses = () => faulty.seen.filter((what) => /^PATCH .*many-\d+\/status/.test(what))
    await eventually(statuses, (seen) => seen.length === 160)
    const first = faulty.seen.findIndex((what) => statuses().includes(what))
    const records = faulty.seen.slice(0, first).filter((what) => /^PATCH .*many-\d+$/.test(what))
    // The last hundred are few enough to be answered one by one. Each worker may have one under way at that moment.
    expect(records.length).toBeGreaterThanOrEqual(60 - WORKERS)
    await operator.stop()
  })
})
