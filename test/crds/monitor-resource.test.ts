import { readdir, readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MonitorCreate } from '../../schema/monitor/monitor.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import { type KubeApi, startKubeApi } from '../support/kubernetes/kube-api.ts'
import { describeWithApiServer } from '../support/kubernetes/kube-assets.ts'
import { EXAMPLES, LEAST } from './examples.ts'
import { asSpec, kubernetes } from './judges.ts'

const CRDS = new URL('../../crds/', import.meta.url).pathname
const COOKBOOK = new URL('../../examples/cookbook/', import.meta.url).pathname
const MONITORS = '/apis/tidemark.dev/v1/namespaces/default/monitors'
const least = asSpec(LEAST) as object
const ref = (name: string, key = 'token') => ({ secretKeyRef: { name, key } })

describeWithApiServer('The custom resource Monitor', () => {
  let kube: KubeApi
  beforeAll(async () => {
    kube = await startKubeApi()
    await kube.applyCrds(CRDS)
  })
  afterAll(() => kube?.stop())

  const create = async (name: string, spec: object = least) => {
    const metadata = { name }
    const made = await kube.call('POST', MONITORS, { apiVersion: 'tidemark.dev/v1', kind: 'Monitor', metadata, spec })
    expect(made).toMatchObject({ status: 201 })
    return made.body
  }
  const faultsOf = async (delivery: object) => (await kubernetes(kube, { ...least, deliveries: [delivery] })).faults

  test('is filled with the defaults of the API, but for those of an arm', async () => {
    for (const { title, monitor } of EXAMPLES) {
      const answer = checkerOf(MonitorCreate).validate(monitor, { defaults: true })
      expect(answer, title).toMatchObject({ ok: true })
      const spec = (await kubernetes(kube, asSpec(monitor))).spec
      expect({ ...(asSpec(answer.ok && answer.value) as object), suspend: false }, title).toMatchObject(spec as object)
    }
    expect((await kubernetes(kube, least)).spec).toEqual({
      ...least,
      deliveries: [],
      fetchMode: 'auto',
      notifyOn: [],
      isolation: 'shared',
      suspend: false,
    })
    const requestConfig = { pagination: { type: 'link_header' } }
    expect((await kubernetes(kube, { ...least, requestConfig })).spec).toMatchObject({
      requestConfig: { method: 'GET', pagination: { type: 'link_header', maxPages: 20 } },
    })
  })

  test('is known by its short name and category, and shows how it stands', async () => {
    await create('kettle')
    const status = {
      observedGeneration: 1,
      id: '0198c0de-0000-7000-8000-000000000001',
      address: 'shop.example/kettle',
      interval: '15m',
      conditions: [condition('Ready', 'True', 'Scheduled'), condition('Healthy', 'False', 'Failing')],
      lastChange: {
        time: new Date().toISOString(),
        runId: '0198c0de-0000-7000-8000-000000000002',
        fields: [{ name: 'price', after: '59' }],
      },
      values: { price: '59', 'the stock': '' },
      lastRunTime: '2026-05-01T12:00:00.000Z',
      nextRunTime: '2026-05-01T12:15:00.000Z',
      consecutiveFailures: 2,
      lastHandledRequest: 'k3f9',
    }
    const written = await kube.call(
      'PATCH',
      `${MONITORS}/kettle/status?fieldValidation=Strict`,
      { status },
      'application/merge-patch+json',
    )
    expect(written, JSON.stringify(written.body.message)).toMatchObject({ status: 200, body: { status } })
    const table = await kube.kubectl('get', 'mon', '--output=wide')
    expect(table).toMatch(/^NAME +READY +HEALTHY +ADDRESS +INTERVAL +LAST CHANGE +AGE +REASON +HEALTH +DELIVERING\n/)
    expect(table).toMatch(/\nkettle +True +False +shop\.example\/kettle +15m +\d+s +\d+s +of Ready +of Healthy *\n/)
    expect(await kube.kubectl('get', 'tidemark')).toContain('kettle')
    expect(await kube.kubectl('wait', '--for=condition=Ready', '--timeout=5s', 'monitor/kettle')).toContain(
      'condition met',
    )
    expect(await kube.kubectl('explain', 'monitor.spec.scheduleIntervalSeconds')).toContain(
      'FIELD: scheduleIntervalSeconds <integer>',
    )
  })

  test('keeps its spec from writers of the status, and its status from writers of the spec', async () => {
    await create('apart')
    const patch = { spec: { suspend: true }, status: { consecutiveFailures: 1 } }
    const status = await kube.call('PATCH', `${MONITORS}/apart/status`, patch, 'application/merge-patch+json')
    expect(status.body).toMatchObject({ metadata: { generation: 1 }, spec: { suspend: false }, status: patch.status })
    const spec = await kube.call(
      'PATCH',
      `${MONITORS}/apart`,
      { ...patch, status: { consecutiveFailures: 7 } },
      'application/merge-patch+json',
    )
    expect(spec.body).toMatchObject({ metadata: { generation: 2 }, spec: { suspend: true }, status: patch.status })
  })

  test('takes conditions of several writers', async () => {
    await create('shared')
    const apply = (manager: string, type: string) =>
      kube.call(
        'PATCH',
        `${MONITORS}/shared/status?fieldManager=${manager}`,
        {
          apiVersion: 'tidemark.dev/v1',
          kind: 'Monitor',
          metadata: { name: 'shared' },
          status: { conditions: [condition(type, 'True', 'Yes')] },
        },
        'application/apply-patch+yaml',
      )
    await apply('one', 'Ready')
    expect((await apply('two', 'Approved')).body.status.conditions).toMatchObject([
      { type: 'Ready' },
      { type: 'Approved' },
    ])
  })

  test('is what the page about custom resources shows', async () => {
    const page = await readFile(new URL('../../docs/custom-resources.md', import.meta.url), 'utf8')
    const [, manifest] = /```yaml\n([^]*?)```/.exec(page) ?? []
    expect((await kubernetes(kube, parse(manifest ?? '').spec)).faults).toEqual([])
  })

  test('is found by what it does', async () => {
    await create('asleep', { ...least, suspend: true })
    await create('seen', { ...least, fetchMode: 'browser', extractConfig: { method: 'full_page' } })
    const names = async (selector: string) =>
      (await kube.kubectl('get', 'mon', `--field-selector=${selector}`, '--output=name')).split('\n')
    expect(await names('spec.suspend=true,spec.fetchMode=auto')).toContain('monitor.tidemark.dev/asleep')
    expect(await names('spec.extractConfig.method=full_page,spec.fetchMode=browser')).toEqual([
      'monitor.tidemark.dev/seen',
      '',
    ])
  })

  test('takes an address or a header from a Secret', async () => {
    expect(await faultsOf({ type: 'webhook', urlFrom: ref('hook') })).toEqual([])
    expect(await faultsOf({ type: 'slack', webhookUrlFrom: ref('chat') })).toEqual([])
    expect(
      await faultsOf({
        type: 'webhook',
        url: 'https://a.example',
        headers: { 'X-A': '1' },
        headersFrom: [{ name: 'X-B', ...ref('hook') }],
      }),
    ).toEqual([])
    const spec = {
      ...least,
      requestHeaders: { Accept: '*/*' },
      requestHeadersFrom: [{ name: 'Authorization', ...ref('shop') }],
    }
    expect((await kubernetes(kube, spec)).faults).toEqual([])
    expect((await kubernetes(kube, { ...spec, requestHeaders: null })).faults).toEqual([])
  })

  test.each([
    [
      'a secret beside the address',
      { type: 'webhook', url: 'https://a.example', urlFrom: ref('hook') },
      'deliveries[0].urlFrom: Forbidden: is not allowed beside url',
    ],
    ['neither', { type: 'discord' }, 'deliveries[0].webhookUrl: Required value: is required with type discord'],
    [
      'a secret of another arm',
      { type: 'slack', webhookUrlFrom: ref('chat'), urlFrom: ref('hook') },
      'deliveries[0].urlFrom: Forbidden: is not allowed with type slack',
    ],
    [
      'a Secret without a key',
      { type: 'webhook', urlFrom: { secretKeyRef: { name: 'hook' } } },
      'deliveries[0].urlFrom.secretKeyRef.key: Required value',
    ],
    ['a source that is none', { type: 'webhook', urlFrom: {} }, 'deliveries[0].urlFrom.secretKeyRef: Required value'],
    [
      'a name that is no header',
      withHeader('X A'),
      'deliveries[0].headersFrom: Invalid value: "array": a header name has 1-256',
    ],
    [
      'a header of the service',
      withHeader('COOKIE'),
      'deliveries[0].headersFrom: Invalid value: "array": this header is set by the service',
    ],
    [
      'one header from two Secrets',
      withHeader('x-a', 'X-A'),
      'deliveries[0].headersFrom: Invalid value: "array": the same header is given twice',
    ],
    [
      'a header that is written down too',
      { ...withHeader('X-A'), headers: { 'x-a': '1' } },
      'deliveries[0].headersFrom: Invalid value: "object": headersFrom repeats a name of headers',
    ],
    [
      'more headers than there may be',
      { ...withHeader('x-a'), headers: manyHeaders(20) },
      'deliveries[0]: Invalid value: "object": headers and headersFrom together must have at most 20 items',
    ],
  ])('refuses %s', async (_, delivery, fault) => {
    const faults = await faultsOf(delivery)
    expect(
      faults.filter((each) => each.startsWith(fault)),
      faults.join('\n'),
    ).toHaveLength(1)
  })

  test('is in the recipes of the cookbook, and a cluster takes each of them', async () => {
    const said = await kube.kubectl('apply', `--filename=${COOKBOOK}`, '--output=name')
    expect(said.trim().split('\n')).toHaveLength((await readdir(COOKBOOK)).length)
  })

  test('takes as many headers as there may be', async () => {
    expect(await faultsOf({ ...withHeader('x-a'), headers: manyHeaders(19) })).toEqual([])
  })
})

const condition = (type: string, status: string, reason: string) => ({
  type,
  status,
  reason,
  observedGeneration: 1,
  lastTransitionTime: '2026-05-01T12:00:00.000Z',
  message: `of ${type}`,
})

function withHeader(...names: string[]) {
  return { type: 'webhook', url: 'https://a.example', headersFrom: names.map((name) => ({ name, ...ref('hook') })) }
}

function manyHeaders(count: number) {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'a']))
}
