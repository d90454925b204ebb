import { expect, test } from 'vitest'
import { PAGE_RECORDS } from '../../../monitors/record-kind.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { createResolver } from '../../../operator/reconcile/resolve.ts'
import { createInstallation } from '../../monitors/installation.ts'

test('a resource whose generation shows other keys, because its definition changed, is checked again', async () => {
  const cases = await createInstallation()
  const { teamId } = await cases.person()
  const noCluster = () => Promise.reject(new Error('nothing is asked of the cluster'))
  const metadata = { name: 'kettle', namespace: 'shop', uid: 'u', resourceVersion: '7', generation: 2 }
  const resolve = createResolver({
    client: { server: '', namespace: 'shop', call: noCluster, stream: noCluster, close: () => {} },
    store: cases.store,
    egress: createPolicy({ allowPrivateCidrs: [], neverAllow: [] }),
    namespaceOf: () => ({ metadata: { ...metadata, name: 'shop', labels: { 'tidemark.dev/team': teamId } } }),
    defaultTeam: null,
    hashKey: Buffer.alloc(32),
    secretMs: 60_000,
    startsRunners: false,
  })
  const spec = {
    name: 'Kettle',
    url: 'https://shop.example/kettle',
    scheduleIntervalSeconds: 900,
    extractConfig: { method: 'css', fields: { price: '.price' } },
    diffPredicate: { type: 'any_field_changes' },
  }
  const first = await resolve(PAGE_RECORDS, { metadata, spec })
  expect(first.kind).toBe('valid')
  expect(await resolve(PAGE_RECORDS, { metadata, spec })).toMatchObject({ hash: 'hash' in first && first.hash })
  const refused = await resolve(PAGE_RECORDS, { metadata, spec: { ...spec, holdMusic: 'jazz' } })
  expect(refused).toMatchObject({ kind: 'refused', reason: 'Invalid', message: expect.stringContaining('holdMusic') })
  await cases.close()
})
