import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPolicy } from '../../../egress/policy.ts'
import { PAGE } from '../../../monitors/kinds/page-kind.ts'
import type { KubeAnswer, KubeClient } from '../../../operator/cluster/kube-client.ts'
import { type DefaultTeam, stripped } from '../../../operator/reconcile/custom-resource.ts'
import { refusalOf } from '../../../operator/reconcile/refusal.ts'
import { createResolver } from '../../../operator/reconcile/resolve-resource.ts'
import { createInstallation, type Installation } from '../../support/database/installation.ts'
import { eventually } from '../../support/run/eventually.ts'

const metadata = { name: 'kettle', namespace: 'shop', uid: 'u', resourceVersion: '7', generation: 2 }
const spec = {
  name: 'Kettle',
  url: 'https://shop.example/kettle',
  scheduleIntervalSeconds: 900,
  extractConfig: { method: 'css', fields: { price: '.price' } },
  diffPredicate: { type: 'any_field_changes' },
}

const SECRET = JSON.stringify({
  metadata: { labels: { 'tidemark.dev/monitors': 'true' } },
  data: { token: Buffer.from('one').toString('base64') },
})

/** Returns the `call` of a cluster whose Secrets all have a token, after what a read of one does. */
const secretsCall =
  (onRead: (path: string) => Promise<void> | void): KubeClient['call'] =>
  async <T>({ path }: { readonly path: string }) => {
    await onRead(path)
    return { status: 200, body: JSON.parse(SECRET) as KubeAnswer<T>['body'], retryAfterMs: null }
  }

describe('A resource that is resolved', () => {
  let cases: Installation
  beforeAll(async () => {
    cases = await createInstallation()
  })
  afterAll(() => cases.close())

  const noCluster = () => Promise.reject(new Error('nothing is asked of the cluster'))
  function resolver(
    labels: Readonly<Record<string, string>>,
    defaultTeam: DefaultTeam | null = null,
    call: KubeClient['call'] = noCluster,
    secretMs = 60_000,
  ) {
    return createResolver({
      client: { server: '', namespace: 'shop', call, stream: noCluster, close: () => {} },
      store: cases.store,
      egress: createPolicy({ allowPrivateCidrs: [], neverAllow: [] }),
      namespaceOf: () => ({ metadata: { ...metadata, name: 'shop', labels } }),
      defaultTeam,
      hashKey: Buffer.alloc(32),
      secretMs,
      secretRules: { requireLabel: true, own: [] },
      installation: 'tidemark',
      startsRunners: false,
    })
  }

  test('is checked again when its generation shows other keys, because its definition changed', async () => {
    const { teamId } = await cases.person()
    const resolve = resolver({ 'tidemark.dev/team': teamId })
    const first = await resolve(PAGE, { metadata, spec })
    expect(first.kind).toBe('valid')
    expect(await resolve(PAGE, { metadata, spec })).toMatchObject({ hash: 'hash' in first && first.hash })
    const refused = await resolve(PAGE, { metadata, spec: { ...spec, holdMusic: 'jazz' } })
    expect(refused).toMatchObject({
      kind: 'refused',
      reason: 'LaterVersion',
      message: expect.stringContaining('holdMusic'),
    })
  })

  test('is looked at again when its Secret is to be read again, however often it is looked at before', async () => {
    const { teamId } = await cases.person()
    let reads = 0
    const resolve = resolver(
      { 'tidemark.dev/team': teamId },
      null,
      secretsCall(() => void (reads += 1)),
    )
    const from = { name: 'authorization', secretKeyRef: { name: 'shop-token', key: 'token' } }
    const looked = async () => {
      const resolved = await resolve(PAGE, { metadata, spec: { ...spec, requestHeadersFrom: [from] } })
      return 'secretsMs' in resolved ? (resolved.secretsMs ?? 0) : 0
    }
    const first = await looked()
    expect(first).toBeGreaterThan(50_000)
    expect(first).toBeLessThan(60_000)
    await eventually(looked, (rest) => rest < first)
    expect(reads).toBe(1)
  })

  test('reads no Secret again that another one has read, unless somebody edited it since', async () => {
    const { teamId } = await cases.person()
    let reads = 0
    const resolve = resolver(
      { 'tidemark.dev/team': teamId },
      null,
      secretsCall(() => void (reads += 1)),
    )
    const from = { name: 'authorization', secretKeyRef: { name: 'shop-token', key: 'token' } }
    const named = (name: string, annotations: Record<string, string> = {}) => {
      const creationTimestamp = '2026-05-01T12:00:00Z'
      const listed = { ...metadata, name, uid: name, creationTimestamp, annotations }
      const resource = { metadata: listed, spec: { ...spec, requestHeadersFrom: [from] } }
      return resolve(PAGE, stripped(PAGE.resource, resource))
    }
    await named('kettle')
    const readAt = performance.now()
    // Reads because of edits are this far apart.
    await eventually(
      () => performance.now() - readAt,
      (ms) => ms > 1_050,
    )
    await named('pot')
    expect(reads).toBe(1)
    await named('pot', { 'example.com/look': 'again' })
    expect(reads).toBe(2)
  })

  test('is looked at again when the first of its Secrets is to be read again, also when the next is slow', async () => {
    const { teamId } = await cases.person()
    let began: number | undefined
    const call = secretsCall(async (path) => {
      began ??= performance.now()
      // The first one is old by then.
      if (path.endsWith('/slow')) await eventually(async () => performance.now() - (began ?? 0) > 1_000, Boolean)
    })
    const requestHeadersFrom = ['quick', 'slow'].map((name) => ({ name, secretKeyRef: { name, key: 'token' } }))
    const resolve = resolver({ 'tidemark.dev/team': teamId }, null, call, 1_000)
    const resolved = await resolve(PAGE, { metadata, spec: { ...spec, requestHeadersFrom } })
    expect(resolved.kind).toBe('valid')
    expect('secretsMs' in resolved && resolved.secretsMs).toBeLessThan(1_000)
  })

  test('is refused with the name of what names a team that is not there', async () => {
    const id = randomUUID()
    const byLabel = await resolver({ 'tidemark.dev/team': id })(PAGE, { metadata, spec })
    expect(byLabel).toMatchObject({ message: `There is no team ${id}, which the namespace shop names.` })
    const byOption = await resolver({}, { id, namespaces: ['shop'] })(PAGE, { metadata, spec })
    expect(byOption).toMatchObject({ message: `There is no team ${id}, which --default-team names.` })
    const byNothing = await resolver({})(PAGE, { metadata, spec })
    expect(byNothing).toMatchObject({ message: expect.stringContaining('The namespace shop belongs to no team') })
  })
})

test('An adoption of a record that a manifest in a folder declares is refused with what frees it', () => {
  const by = { clusterId: 'file', kind: 'page', namespace: 'default', name: 'kettle' } as const
  expect(refusalOf({ kind: 'not_adoptable', by }, 'm', 'this-cluster').message).toBe(
    'The monitor m is declared by the manifest default/kettle in the folder of `tidemark serve --config`. ' +
      'Remove it first.',
  )
})
