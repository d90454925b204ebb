import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { toApiNames } from '../../../core/custom-resource/names.ts'
import { MonitorManifest } from '../../../schema/monitor/manifest.ts'
import { MonitorSpec } from '../../../schema/monitor/monitor.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { specOf } from '../../../tools/generate/crd/custom-resource-definition.ts'
import { KINDS } from '../../../tools/generate/crd/kinds.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'

let api: TestApi
let owner: CreatedOwner
beforeAll(async () => {
  api = await createTestApi()
  owner = await api.owner()
})
afterAll(() => api.close())

const BODY = {
  name: 'Blue kettle',
  url: 'https://shop.example.com/kettles?colour=blue',
  schedule_interval_seconds: 3600,
  extract_config: { method: 'css', fields: { in_stock: '#stock', price: '.price' } },
  diff_predicate: { type: 'field_decreases_by_percent', field: 'price', threshold: 5 },
}
async function create(more: object = {}): Promise<string> {
  const made = await api.call(owner.api_key, 'POST', '/v1/monitors', { ...BODY, ...more })
  expect(made).toMatchObject({ status: 201 })
  return String(made.body['id'])
}
async function read(id: string, accept?: string) {
  const { statusCode, headers, payload } = await api.app.inject({
    method: 'GET',
    url: `/v1/monitors/${id}/manifest`,
    headers: { authorization: `Bearer ${owner.api_key}`, ...(accept && { accept }) },
  })
  expect(statusCode).toBe(200)
  return { type: headers['content-type'], vary: headers['vary'], text: payload }
}
interface Manifest {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly annotations?: Record<string, string>
  }
  readonly spec: Readonly<Record<string, unknown>>
}
async function manifestOf(id: string): Promise<Manifest> {
  const manifest = parse((await read(id)).text) as Manifest
  expect(checkerOf(MonitorManifest).validate(manifest)).toMatchObject({ ok: true })
  return manifest
}

describe('the manifest of a monitor', () => {
  test('declares group, kind, name, the record that it takes over, and its configuration in camelCase', async () => {
    const id = await create()
    expect(await manifestOf(id)).toEqual({
      apiVersion: 'tidemark.dev/v1',
      kind: 'Monitor',
      metadata: { name: `blue-kettle-${id.slice(0, 8)}`, annotations: { 'tidemark.dev/adopt': id } },
      spec: {
        name: 'Blue kettle',
        url: BODY.url,
        scheduleIntervalSeconds: 3600,
        extractConfig: BODY.extract_config,
        diffPredicate: BODY.diff_predicate,
        deliveries: [],
        fetchMode: 'auto',
        isolation: 'shared',
        notifyOn: [],
      },
    })
  })

  test('has the labels of the monitor among its own, and no external_key', async () => {
    const manifest = await manifestOf(await create({ labels: { env: 'prod', tier: '' }, external_key: 'shop/kettle' }))
    expect(manifest.metadata).toMatchObject({
      labels: { 'label.tidemark.dev/env': 'prod', 'label.tidemark.dev/tier': '' },
    })
    expect(Object.keys(manifest.spec).filter((key) => /label|key/i.test(key))).toEqual([])
  })

  test('leads back to the same configuration', async () => {
    const more = {
      deliveries: [{ type: 'email', to: 'a@example.com' }],
      request_config: {
        method: 'POST',
        body: 'yes',
        pagination: { type: 'page', in: 'query', param: 'p', max_pages: 3 },
      },
      request_headers: { Accept: 'text/html' },
    }
    const id = await create(more)
    const { spec } = await manifestOf(id)
    const { body } = await api.call(owner.api_key, 'GET', `/v1/monitors/${id}`)
    const whole = {
      request_headers: null,
      visual_config: null,
      quiet_hours: null,
      message: null,
      digest: null,
      template_slug: null,
      external_key: null,
      labels: {},
      ...(toApiNames(MonitorSpec, spec) as object),
    }
    expect(checkerOf(MonitorSpec).validate(whole)).toMatchObject({ ok: true })
    expect(body).toMatchObject(whole)
  })

  test('is YAML unless JSON is asked for, and says that it depends on that', async () => {
    const id = await create()
    for (const accept of [undefined, '*/*', 'application/yaml', 'application/yaml, application/json'])
      expect(await read(id, accept)).toMatchObject({ type: 'application/yaml; charset=utf-8', vary: 'Accept' })
    const json = await read(id, 'application/json')
    expect(json).toMatchObject({ type: 'application/json; charset=utf-8', vary: 'Accept' })
    expect(JSON.parse(json.text)).toEqual(await manifestOf(id))
  })

  test('shows no secret: webhook addresses and header values are references, and a comment says to what', async () => {
    const id = await create({
      deliveries: [
        { type: 'webhook', url: 'https://hooks.example.com/t/s3cret', headers: { 'X-Token': 's3cret', Accept: 'a/b' } },
        { type: 'slack', webhookUrl: 'https://chat.example.com/s3cret' },
        {
          ...{ type: 'webhook', service: 'ntfy', url: 'https://ntfy.example.com/' },
          options: { topic: 's3cret', priority: '4' },
        },
        { type: 'email', to: 'a@example.com' },
      ],
      request_headers: { Authorization: 'Bearer s3cret', 'Accept-Language': 'de' },
    })
    const { text } = await read(id)
    const { metadata, spec } = await manifestOf(id)
    const ref = (key: string) => ({ secretKeyRef: { name: metadata.name, key } })
    expect(text).not.toContain('s3cret')
    expect((await read(id, 'application/json')).text).not.toContain('s3cret')
    expect(spec).toMatchObject({
      requestHeaders: { 'Accept-Language': 'de' },
      requestHeadersFrom: [{ name: 'Authorization', ...ref('request-header-authorization') }],
    })
    expect(spec['deliveries']).toEqual([
      {
        type: 'webhook',
        urlFrom: ref('delivery-1-url'),
        headers: { Accept: 'a/b' },
        headersFrom: [{ name: 'X-Token', ...ref('delivery-1-header-x-token') }],
      },
      { type: 'slack', webhookUrlFrom: ref('delivery-2-webhook-url') },
      {
        ...{ type: 'webhook', service: 'ntfy', urlFrom: ref('delivery-3-url'), options: { priority: '4' } },
        optionsFrom: [{ name: 'topic', ...ref('delivery-3-option-topic') }],
      },
      { type: 'email', to: 'a@example.com' },
    ])
    const comment = text.split('\n').filter((line) => line.startsWith('#'))
    expect(comment).toEqual([
      `# Values that may be secret are not shown. The Secret ${metadata.name} in the same namespace has to hold them:`,
      '#   request-header-authorization: the header Authorization of the request',
      '#   delivery-1-url: the webhook address on hooks.example.com',
      '#   delivery-1-header-x-token: the header X-Token of delivery 1',
      '#   delivery-2-webhook-url: the slack webhook address on chat.example.com',
      '#   delivery-3-url: the webhook address on ntfy.example.com',
      '#   delivery-3-option-topic: the option topic of delivery 3',
    ])
  })

  test.each([
    ['shop/pan', { namespace: 'shop', name: 'pan' }],
    ['default/pan', { name: 'pan' }],
    ['Shop/pan', { name: expect.stringMatching(/^blue-kettle-/) as string }],
    ['a/b/c', { name: expect.stringMatching(/^blue-kettle-/) as string }],
  ])(
    'of the external key %j has the namespace and name of the manifest that made it',
    async (external_key, metadata) => {
      const id = await create({ external_key })
      expect((await manifestOf(id)).metadata).toEqual({ ...metadata, annotations: { 'tidemark.dev/adopt': id } })
      await api.call(owner.api_key, 'DELETE', `/v1/monitors/${id}`)
    },
  )

  test('has another name than the manifest that made another monitor', async () => {
    await create({ external_key: 'default/teapot' })
    const id = await create({ name: 'teapot' })
    expect((await manifestOf(id)).metadata.name).toBe(`teapot-${id.slice(0, 8)}`)
  })

  test('names keys of a Secret that are valid and differ', async () => {
    const request_headers = { 'X~A': '1', 'X!A': '2', ['H'.repeat(256)]: '3' }
    const { spec } = await manifestOf(await create({ request_headers }))
    const keys = (spec['requestHeadersFrom'] as { secretKeyRef: { key: string } }[]).map((one) => one.secretKeyRef.key)
    expect(new Set(keys).size).toBe(3)
    for (const key of keys) expect(key).toMatch(/^[-._a-zA-Z0-9]{1,253}$/)
  })

  test('has only keys that the CustomResourceDefinition has', async () => {
    const { spec } = await manifestOf(
      await create({
        deliveries: [{ type: 'webhook', url: 'https://example.com/', headers: { 'X-A': '1' } }],
        request_headers: { 'X-A': '1' },
        visual_config: { enabled: true, viewport: { width: 800, height: 600 } },
      }),
    )
    const { properties = {} } = specOf(KINDS[0]!)
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(spec)))
    const delivery = (spec['deliveries'] as object[])[0] ?? {}
    expect(Object.keys(properties['deliveries']?.items?.properties ?? {})).toEqual(
      expect.arrayContaining(Object.keys(delivery)),
    )
  })

  test('of a paused monitor suspends it', async () => {
    const id = await create()
    await api.call(owner.api_key, 'POST', `/v1/monitors/${id}/pause`)
    expect((await manifestOf(id)).spec).toMatchObject({ suspend: true })
  })

  test('of one that a resource owns takes nothing over', async () => {
    const id = await create()
    await changeMonitors(api, id, { managedBy: 'kubernetes' })
    expect((await manifestOf(id)).metadata.annotations).toBeUndefined()
  })

  test('bears a name of RFC 1123 as it is, while no other monitor has it', async () => {
    const first = await create({ name: 'green-kettle' })
    expect((await manifestOf(first)).metadata.name).toBe('green-kettle')
    await create({ name: 'green-kettle' })
    expect((await manifestOf(first)).metadata.name).toBe(`green-kettle-${first.slice(0, 8)}`)
  })

  test('keeps text as text, whatever YAML would make of it', async () => {
    const name = 'yes # no: "x"'
    const { spec } = await manifestOf(
      await create({ name, extract_config: { method: 'css', fields: { price: '0x10', on: 'null' } } }),
    )
    expect(spec).toMatchObject({ name, extractConfig: { fields: { price: '0x10', on: 'null' } } })
  })

  test('of another team is 404', async () => {
    const stranger = await api.owner()
    expect((await api.call(stranger.api_key, 'GET', `/v1/monitors/${await create()}/manifest`)).status).toBe(404)
  })
})
