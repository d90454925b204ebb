import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKubeClient, type KubeClient } from '../../../operator/cluster/kube-client.ts'
import type { KubeObject } from '../../../operator/cluster/kube-object.ts'
import { type KubeApi, startKubeApi } from '../../support/kubernetes/kube-api.ts'
import { describeWithApiServer } from '../../support/kubernetes/kube-assets.ts'

const PATH = '/api/v1/namespaces/default/configmaps'

describeWithApiServer('A client of a real API server', () => {
  let kube: KubeApi
  let client: KubeClient
  beforeAll(async () => {
    kube = await startKubeApi()
    client = createKubeClient(kube.kubeconfig)
  })
  afterAll(async () => {
    client.close()
    await kube.stop()
  })

  test('sends the conditions of a deletion with it, and breaks no request after it', async () => {
    const made = await client.call<KubeObject>({ method: 'POST', path: PATH, body: { metadata: { name: 'one' } } })
    const deletion = (uid: string) => {
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } }
      return client.call({ method: 'DELETE', path: `${PATH}/one`, body })
    }
    // The name was deleted and created again by somebody else.
    expect((await deletion('0198c0de-0000-7000-8000-000000000001')).status).toBe(409)
    expect((await client.call({ method: 'GET', path: `${PATH}/one` })).status).toBe(200)
    expect((await deletion(made.body.metadata.uid)).status).toBe(200)
    for (let times = 0; times < 5; times += 1)
      expect((await client.call({ method: 'GET', path: `${PATH}/one` })).status).toBe(404)
  })
})
