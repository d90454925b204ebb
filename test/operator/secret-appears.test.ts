import { expect, test } from 'vitest'
import { type KubeApi } from '../support/kubernetes/kube-api.ts'
import { describeWithApiServer } from '../support/kubernetes/kube-assets.ts'
import { operatorForEachTest, type OperatorSetup, TIMES } from './operator-setup.ts'

const deliveries = [{ type: 'slack', webhookUrlFrom: { secretKeyRef: { name: 'chat', key: 'webhook' } } }]
const HOUR_MS = 3_600_000

describeWithApiServer('A resource whose Secret is there too late', () => {
  let kube: KubeApi
  let setup: OperatorSetup
  // Nothing but an edit makes the operator look again within a test.
  operatorForEachTest((opened) => ({ kube, setup } = opened), { times: { ...TIMES, secretMs: HOUR_MS } })

  const makeSecret = () =>
    kube.call('POST', `/api/v1/namespaces/${setup.namespace}/secrets`, {
      metadata: { name: 'chat', labels: { 'tidemark.dev/monitors': 'true' } },
      stringData: { webhook: 'https://hooks.slack.com/services/T/B/one' },
    })

  test.each([
    ['a run is asked for', { deliveries }, { 'tidemark.dev/run-requested-at': 'now' }],
    ['its spec is edited', { deliveries, scheduleIntervalSeconds: 7_200 }, {}],
    ['an annotation is written that nobody reads', { deliveries }, { 'example.com/look': 'again' }],
  ])('is looked at again at once when %s', async (_, spec, annotations) => {
    await setup.apply('kettle', { deliveries })
    await setup.until('kettle', 'Ready', 'SecretMissing')
    expect((await makeSecret()).status).toBe(201)
    await setup.apply('kettle', spec, annotations)
    await setup.until('kettle', 'Ready', 'Scheduled')
  })

  test('and another one that names it too is Ready with its first look', async () => {
    await setup.apply('kettle', { deliveries })
    await setup.until('kettle', 'Ready', 'SecretMissing')
    expect((await makeSecret()).status).toBe(201)
    await setup.apply('pot', { deliveries })
    await setup.until('pot', 'Ready', 'Scheduled')
  })
})
