import { describe, expect, test } from 'vitest'
import { pulumi, runProgram, tidemark } from './program.ts'

const RESOURCE = 'kubernetes:tidemark.dev/v1:Monitor'
const SECRET = 'kubernetes:core/v1:Secret'
const SPEC = {
  name: 'Price of the kettle',
  url: 'https://shop.example/kettle',
  scheduleIntervalSeconds: 900,
  extractConfig: { method: 'css', fields: { price: '.price' } },
  diffPredicate: { type: 'field_changes', field: 'price' },
} as const
const HOOK = 'https://hooks.example/services/T1'
const refer = (key: string) => ({ secretKeyRef: { name: 'kettle-monitor', key } })

describe('A monitor of a program', () => {
  test('is a custom resource with what the program declares, and nothing else', async () => {
    const { registered, one } = await runProgram(() => new tidemark.Monitor('kettle', SPEC))
    expect(registered.map(({ type }) => type)).toEqual(['tidemark:index:Monitor', RESOURCE])
    expect(one(RESOURCE).inputs).toEqual({
      apiVersion: 'tidemark.dev/v1',
      kind: 'Monitor',
      metadata: {
        name: 'kettle',
        annotations: { 'pulumi.com/waitFor': 'condition=Ready', 'pulumi.com/timeoutSeconds': '300' },
      },
      spec: SPEC,
    })
  })

  test('belongs to its component, under the name of the component', async () => {
    const { one } = await runProgram(
      () =>
        new tidemark.Monitor(
          'kettle',
          { ...SPEC, requestHeaders: { Authorization: pulumi.secret('Bearer 1') } },
          { aliases: [{ name: 'pot' }] },
        ),
    )
    expect(one(RESOURCE)).toMatchObject({ name: 'kettle', parent: 'tidemark:index:Monitor' })
    expect(one(SECRET)).toMatchObject({ name: 'kettle', parent: 'tidemark:index:Monitor' })
    expect(one('tidemark:index:Monitor').aliases).toEqual(['pot'])
  })

  test('has the name, namespace, labels and annotations that the program gives', async () => {
    const metadata = { name: 'pot', namespace: 'shop', labels: { app: 'a' }, annotations: { 'example.com/b': 'c' } }
    const { one } = await runProgram(() => new tidemark.Monitor('kettle', { ...SPEC, metadata, adopt: 'an-id' }))
    expect(one(RESOURCE).inputs.metadata).toEqual({
      ...metadata,
      annotations: {
        'pulumi.com/waitFor': 'condition=Ready',
        'pulumi.com/timeoutSeconds': '300',
        'tidemark.dev/adopt': 'an-id',
        'example.com/b': 'c',
      },
    })
  })

  test('is not waited for where the program says so', async () => {
    const { one } = await runProgram(() => new tidemark.Monitor('kettle', { ...SPEC, waitForReady: false }))
    expect(one(RESOURCE).inputs.metadata.annotations).toEqual({ 'pulumi.com/skipAwait': 'true' })
  })

  test.each(['Kettle', 'kettle_1', '-kettle', 'k'.repeat(64)])('cannot have the name %s', async (name) => {
    await expect(runProgram(() => new tidemark.Monitor(name, SPEC))).rejects.toThrow(/cannot be the name of a resource/)
    const fine = await runProgram(() => new tidemark.Monitor(name, { ...SPEC, metadata: { name: 'kettle' } }))
    expect(fine.one(RESOURCE).inputs.metadata.name).toBe('kettle')
  })
})

describe('Secrets of a program', () => {
  test('are in a Secret, and the custom resource refers to it', async () => {
    const { one } = await runProgram(
      () =>
        new tidemark.Monitor('kettle', {
          ...SPEC,
          metadata: { namespace: 'shop', labels: { app: 'a' } },
          requestHeaders: { Accept: 'text/html', Authorization: pulumi.secret('Bearer 1') },
          deliveries: [
            { type: 'webhook', url: pulumi.secret(HOOK), headers: { 'X-Key': pulumi.secret('k'), 'X-Open': 'o' } },
            { type: 'slack', webhookUrl: pulumi.secret(`${HOOK}2`) },
            { type: 'email', to: 'a@example.com' },
            { type: 'webhook', url: HOOK, service: 'custom', method: 'PUT', body: pulumi.secret('{"key": "k"}') },
          ],
        }),
    )
    expect(one(SECRET).inputs).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'kettle-monitor',
        namespace: 'shop',
        labels: { app: 'a', 'tidemark.dev/monitors': 'true' },
      },
      stringData: {
        'request-header-authorization': 'Bearer 1',
        'delivery-1-url': HOOK,
        'delivery-1-header-x-key': 'k',
        'delivery-2-webhookUrl': `${HOOK}2`,
        'delivery-4-body': '{"key": "k"}',
      },
    })
    expect(one(SECRET).secrets).toEqual(['stringData'])
    expect(one(RESOURCE).inputs.spec).toEqual({
      ...SPEC,
      requestHeaders: { Accept: 'text/html' },
      requestHeadersFrom: [{ name: 'Authorization', ...refer('request-header-authorization') }],
      deliveries: [
        {
          type: 'webhook',
          urlFrom: refer('delivery-1-url'),
          headers: { 'X-Open': 'o' },
          headersFrom: [{ name: 'X-Key', ...refer('delivery-1-header-x-key') }],
        },
        { type: 'slack', webhookUrlFrom: refer('delivery-2-webhookUrl') },
        { type: 'email', to: 'a@example.com' },
        { type: 'webhook', url: HOOK, service: 'custom', method: 'PUT', bodyFrom: refer('delivery-4-body') },
      ],
    })
  })

  test.each([
    ['the headers', () => ({ requestHeaders: pulumi.secret({ Authorization: 'Bearer 1' }) })],
    [
      'a destination',
      () => ({ deliveries: [pulumi.secret({ type: 'webhook', url: HOOK, headers: { A: 'b' } } as const)] }),
    ],
    ['the destinations', () => ({ deliveries: pulumi.secret([{ type: 'slack', webhookUrl: HOOK } as const]) })],
    [
      'a promise of an address',
      () => ({ deliveries: [{ type: 'slack', webhookUrl: Promise.resolve(HOOK) } as const] }),
    ],
    ['an output of another resource', () => ({ deliveries: [{ type: 'webhook', url: pulumi.output(HOOK) } as const] })],
  ])('never stand in the custom resource: %s', async (_, more) => {
    const { one } = await runProgram(() => new tidemark.Monitor('kettle', { ...SPEC, ...more() }))
    const { spec } = one(RESOURCE).inputs
    expect(JSON.stringify(spec)).not.toMatch(/hooks\.example|Bearer/)
    expect(JSON.stringify(one(SECRET).inputs.stringData)).toMatch(/hooks\.example|Bearer/)
    expect(one(SECRET).secrets).toEqual(['stringData'])
    // Each key that is referred to is there.
    const keys = [...JSON.stringify(spec).matchAll(/"key":"([^"]+)"/g)].map(([, key]) => key)
    expect(keys.toSorted()).toEqual(Object.keys(one(SECRET).inputs.stringData).toSorted())
  })

  test('stay secret where a custom resource cannot refer to a Secret', async () => {
    const { one } = await runProgram(
      () => new tidemark.Monitor('kettle', { ...SPEC, url: pulumi.secret('https://shop.example/?token=1') }),
    )
    expect(one(RESOURCE).secrets).toEqual(['spec'])
  })

  test('need no Secret where the program writes them as plain text, or names one that exists', async () => {
    const existing = { secretKeyRef: { name: 'chat', key: 'webhook' } }
    const { registered, one } = await runProgram(
      () =>
        new tidemark.Monitor('kettle', {
          ...SPEC,
          requestHeadersFrom: [{ name: 'Cookie', ...existing }],
          deliveries: [
            { type: 'webhook', url: HOOK },
            { type: 'slack', webhookUrlFrom: existing },
          ],
        }),
    )
    expect(registered.map(({ type }) => type)).not.toContain(SECRET)
    expect(one(RESOURCE).inputs.spec).toMatchObject({
      requestHeadersFrom: [{ name: 'Cookie', ...existing }],
      deliveries: [
        { type: 'webhook', url: HOOK },
        { type: 'slack', webhookUrlFrom: existing },
      ],
    })
  })

  test('are added to the references that the program gives', async () => {
    const existing = { name: 'Cookie', secretKeyRef: { name: 'chat', key: 'cookie' } }
    const { one } = await runProgram(
      () =>
        new tidemark.Monitor('kettle', {
          ...SPEC,
          requestHeaders: { 'X-Key!': pulumi.secret('a'), 'X-Key#': pulumi.secret('b') },
          requestHeadersFrom: [existing],
        }),
    )
    expect(one(RESOURCE).inputs.spec.requestHeadersFrom).toEqual([
      existing,
      { name: 'X-Key!', ...refer('request-header-x-key_21') },
      { name: 'X-Key#', ...refer('request-header-x-key_23') },
    ])
    expect(one(SECRET).inputs.stringData).toEqual({ 'request-header-x-key_21': 'a', 'request-header-x-key_23': 'b' })
  })
})

test('A monitor of a search is declared in the same way', async () => {
  const spec = { name: 'Rank', keyword: 'kettle', scheduleIntervalSeconds: 3600, targetDomain: 'shop.example' }
  const { one } = await runProgram(
    () =>
      new tidemark.SerpMonitor('rank', { ...spec, deliveries: [{ type: 'discord', webhookUrl: pulumi.secret(HOOK) }] }),
  )
  const declared = one('kubernetes:tidemark.dev/v1:SerpMonitor')
  expect(declared.parent).toBe('tidemark:index:SerpMonitor')
  expect(declared.inputs).toMatchObject({ kind: 'SerpMonitor', metadata: { name: 'rank' }, spec })
  expect(one(SECRET).inputs).toMatchObject({
    metadata: { name: 'rank-serpmonitor' },
    stringData: { 'delivery-1-webhookUrl': HOOK },
  })
})
