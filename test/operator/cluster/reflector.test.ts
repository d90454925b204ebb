import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createKubeClient, type KubeClient } from '../../../operator/cluster/kube-client.ts'
import type { KubeObject } from '../../../operator/cluster/kube-object.ts'
import { Reflector } from '../../../operator/cluster/reflector.ts'
import { type KubeApi, startKubeApi } from '../../support/kubernetes/kube-api.ts'
import { describeWithApiServer } from '../../support/kubernetes/kube-assets.ts'
import { eventually } from '../../support/run/eventually.ts'
import { createFaultyKube, type FaultyKube } from './faulty-kube.ts'

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
}

const PATH = '/api/v1/namespaces/default/configmaps'
const WATCH = /watch=true/
const LIST = /configmaps\?limit/

describeWithApiServer('A reflector of a real API server', () => {
  let kube: KubeApi
  let folder: string
  let faulty: FaultyKube
  let client: KubeClient
  let reflector: Reflector<ConfigMap>
  let changes: string[]
  let said: string[]

  beforeAll(async () => {
    kube = await startKubeApi()
    folder = await mkdtemp(join(tmpdir(), 'tidemark-reflector-'))
  })
  afterAll(async () => {
    await kube.stop()
    await rm(folder, { recursive: true, force: true })
  })
  beforeEach(async () => {
    await kube.call('DELETE', PATH)
    faulty = await createFaultyKube(kube, folder)
    client = createKubeClient(faulty.kubeconfig)
    changes = []
    said = []
    reflector = reflectorOf()
  })
  const reflectorOf = (times: object = {}) =>
    new Reflector<ConfigMap>({
      client,
      path: PATH,
      strip: ({ metadata: { name, namespace, uid, resourceVersion }, data }) => ({
        metadata: { name, uid, resourceVersion, ...(namespace !== undefined && { namespace }) },
        ...(data && { data }),
      }),
      onChange: (key, { now, how }) => changes.push(`${how} ${key} ${now?.data?.['v'] ?? ''}`.trim()),
      log: { warn: (_, text) => said.push(text), info: () => {} },
      times: { quietMs: 1_500, firstPauseMs: 20, longestPauseMs: 200, ...times },
    })
  afterEach(async () => {
    await reflector.stop()
    client.close()
    await faulty[Symbol.asyncDispose]()
  })

  const put = async (name: string, v: string) => {
    const path = `${PATH}/${name}?fieldManager=test&force=true`
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { v } }
    expect((await kube.call('PATCH', path, body, 'application/apply-patch+yaml')).status).toBeLessThan(300)
  }
  const start = async () => {
    reflector.start()
    await reflector.synced
    await eventually(() => reflector.state().watches > 0, Boolean)
  }
  const holds = (name: string) => reflector.get(`default/${name}`)?.data?.['v']
  const until = (name: string, v: string | undefined) => eventually(() => holds(name) === v, Boolean)

  test('lists in pages, and follows what is added, changed and deleted', async () => {
    const names = Array.from({ length: 620 }, (_, index) => `m${index}`)
    for (let at = 0; at < names.length; at += 31) await Promise.all(names.slice(at, at + 31).map((n) => put(n, '1')))
    await start()
    expect(reflector.state().size).toBe(620)
    expect(faulty.seen.filter((what) => LIST.test(what))).toHaveLength(2)
    await put('m0', '2')
    await until('m0', '2')
    await kube.call('DELETE', `${PATH}/m0`)
    await until('m0', undefined)
    expect(changes.slice(620)).toEqual(['set default/m0 2', 'deleted default/m0'])
    expect(Object.keys(reflector.get('default/m1')?.metadata ?? {})).not.toContain('managedFields')
  })

  test.each([
    ['a 429 for the list', LIST, { kind: 'status', status: 429, retryAfter: 0 }],
    ['a 503 for the list', LIST, { kind: 'status', status: 503 }],
    ['a list that is reset', LIST, { kind: 'reset' }],
    ['a 429 for the watch', WATCH, { kind: 'status', status: 429, retryAfter: 0 }],
    ['a watch that is reset', WATCH, { kind: 'reset' }],
    ['a version that is too old', WATCH, { kind: 'status', status: 410 }],
    ['a version that is too old, said in the watch', WATCH, { kind: 'expired' }],
    ['half an event', WATCH, { kind: 'half' }],
    ['events twice', WATCH, { kind: 'double' }],
  ] as const)('goes on after %s', async (_, which, fault) => {
    await put('one', '1')
    faulty.spoil(which, fault, fault.kind === 'double' ? 1 : 3)
    await start()
    await put('one', '2')
    await until('one', '2')
    await put('two', '1')
    await until('two', '1')
    expect(changes).toEqual(['set default/one 1', 'set default/one 2', 'set default/two 1'])
  })

  test('keeps the newest state when events come in the wrong order', async () => {
    await put('one', '1')
    faulty.spoil(WATCH, { kind: 'swap' })
    await start()
    await put('one', '2')
    await put('one', '3')
    await until('one', '3')
    await put('two', '1')
    await put('three', '1')
    await until('three', '1')
    expect(changes.filter((what) => what.includes('/one '))).toEqual(['set default/one 1', 'set default/one 3'])
  })

  test('finds at the next list what a watch lost on the way', async () => {
    reflector = reflectorOf({ watchMs: 1_000, listMs: 100 })
    await put('one', '1')
    faulty.spoil(WATCH, { kind: 'lose' })
    await start()
    await put('one', '2')
    await put('two', '1')
    await until('two', '1')
    await eventually(() => holds('one') === '2', Boolean)
    expect(faulty.seen.filter((what) => LIST.test(what)).length).toBeGreaterThan(1)
  })

  test('lists again after a watch that ended early, and tells what looks different in one version', async () => {
    reflector = reflectorOf({ listAfterEndMs: 0 })
    await put('one', '1')
    faulty.spoil(WATCH, { kind: 'bare' })
    await start()
    await put('one', '2')
    await until('one', '2')
    expect(changes).toEqual(['set default/one 1', 'set default/one', 'set default/one 2'])
  })

  test('opens a watch again that says nothing any more', async () => {
    await put('one', '1')
    faulty.spoil(WATCH, { kind: 'stall' })
    await start()
    await put('one', '2')
    await until('one', '2')
    expect(reflector.state().stalls).toBeGreaterThan(0)
  })

  test('finds at the next list what was deleted while it could not watch', async () => {
    await put('one', '1')
    await put('two', '1')
    await start()
    faulty.spoil(WATCH, { kind: 'expired' })
    faulty.spoil(LIST, { kind: 'status', status: 503 }, 2)
    faulty.cut()
    await kube.call('DELETE', `${PATH}/one`)
    await until('one', undefined)
    expect(holds('two')).toBe('1')
  })

  test('keeps what it has when the API server does not know the kind any more, and says what to do once', async () => {
    await put('one', '1')
    await start()
    faulty.spoil(/configmaps/, { kind: 'status', status: 404 }, 5)
    faulty.cut()
    await eventually(() => reflector.state().isUnknown, Boolean)
    expect(holds('one')).toBe('1')
    await put('one', '2')
    await until('one', '2')
    expect(reflector.state().isUnknown).toBe(false)
    expect(changes).toEqual(['set default/one 1', 'set default/one 2'])
    expect(said.filter((text) => /does not know this kind.*crds\/.*helm upgrade/.test(text))).toHaveLength(1)
  })
})
