import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WrittenMonitor } from '../../../schema/monitor/written-monitor.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'

let api: TestApi
let owner: CreatedOwner
beforeAll(async () => {
  api = await createTestApi()
  owner = await api.owner()
})
afterAll(() => api.close())

const SPEC = {
  name: 'Blue kettle',
  url: 'https://shop.example.com/kettle',
  schedule_interval_seconds: 3600,
  extract_config: { method: 'css', fields: { price: '.price' } },
  diff_predicate: { type: 'any_field_changes' },
  request_headers: { Authorization: 'Bearer a-secret', Accept: 'text/html' },
  deliveries: [{ type: 'webhook', url: 'https://hooks.example.com/a-secret' }],
}
const HEADER = 'blue-kettle-request-header-authorization'
const ADDRESS = 'blue-kettle-delivery-1-url'

const post = (body: unknown, credential: string | null = owner.api_key) =>
  api.call(credential, 'POST', '/v1/manifests', body)
async function written(as: string, spec: object = SPEC, kind = 'Monitor') {
  const { status, body } = await post({ kind, spec, as })
  expect([status, checkerOf(WrittenMonitor).validate(body)]).toMatchObject([200, { ok: true }])
  expect(JSON.stringify(body)).not.toContain('a-secret')
  return body as unknown as WrittenMonitor
}

describe('a monitor that is not stored is written', () => {
  test('as the manifest that it has once it is stored, but for what takes it over', async () => {
    const { text, secrets } = await written('manifest')
    const { body } = await api.call(owner.api_key, 'POST', '/v1/monitors', SPEC)
    const stored = await api.app.inject({
      url: `/v1/monitors/${body['id']}/manifest`,
      headers: { authorization: `Bearer ${owner.api_key}` },
    })
    const own = (yaml: string) => yaml.replace(/ {2}annotations:\n.*\n/, '').replaceAll(/blue-kettle(-\w{8})?/g, 'NAME')
    expect(own(text)).toBe(own(stored.payload))
    expect(text).toContain('name: blue-kettle\n')
    expect(secrets).toEqual([
      { key: 'request-header-authorization', what: 'the header Authorization of the request' },
      { key: 'delivery-1-url', what: 'the webhook address on hooks.example.com' },
    ])
  })

  test('as a program of Pulumi, with secrets of its stack', async () => {
    const { text } = await written('pulumi')
    expect(text.split('\n')).toEqual([
      "import * as pulumi from '@pulumi/pulumi'",
      "import * as tidemark from '@tidemark/pulumi/rest'",
      '',
      '// Values that may be secret are not shown. The stack has to hold them:',
      `//   pulumi config set --secret ${HEADER}  (the header Authorization of the request)`,
      `//   pulumi config set --secret ${ADDRESS}  (the webhook address on hooks.example.com)`,
      'const config = new pulumi.Config()',
      '',
      "export const id = new tidemark.Monitor('blue-kettle', {",
      "  name: 'Blue kettle',",
      "  url: 'https://shop.example.com/kettle',",
      '  scheduleIntervalSeconds: 3600,',
      "  extractConfig: { method: 'css', fields: { price: '.price' } },",
      "  diffPredicate: { type: 'any_field_changes' },",
      `  requestHeaders: { Accept: 'text/html', Authorization: config.requireSecret('${HEADER}') },`,
      `  deliveries: [{ type: 'webhook', url: config.requireSecret('${ADDRESS}') }],`,
      '}).id',
      '',
    ])
    const search = { name: 'Rank', keyword: 'kettle', schedule_interval_seconds: 86_400 }
    expect((await written('pulumi', search, 'SerpMonitor')).text.split('\n')).toEqual([
      "import * as tidemark from '@tidemark/pulumi/rest'",
      '',
      "export const id = new tidemark.SerpMonitor('rank', " +
        "{ name: 'Rank', keyword: 'kettle', scheduleIntervalSeconds: 86400 }).id",
      '',
    ])
  })

  test('as a curl command that the API refuses until its masks are replaced', async () => {
    const { text } = await written('curl')
    const [, json = ''] = /<<'JSON'\n([^]*)\nJSON\n$/.exec(text) ?? []
    const refused = await api.call(owner.api_key, 'POST', '/v1/monitors', JSON.parse(json))
    expect(refused.body.error.details.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['deliveries[0].url', 'request_headers.Authorization']),
    )
    const whole = json
      .replace('********request-header-authorization', 'Bearer a-secret')
      .replace('********delivery-1-url', 'https://hooks.example.com/a-secret')
    const made = await api.call(owner.api_key, 'POST', '/v1/monitors', JSON.parse(whole))
    expect(made).toMatchObject({ status: 201, body: SPEC })
  })

  test('from what a viewer reads, which is masked, and for a key that may only read', async () => {
    const { body } = await api.call(owner.api_key, 'POST', '/v1/monitors', SPEC)
    const viewer = await api.member(owner, 'viewer')
    const { body: read } = await api.call(viewer, 'GET', `/v1/monitors/${body['id']}`)
    const spec = Object.fromEntries(Object.keys(SPEC).map((key) => [key, read[key]]))
    expect(JSON.stringify(spec)).toContain('********')
    const asked = { kind: 'Monitor', as: 'pulumi', spec }
    // To a viewer the value of every header is masked.
    const masked = (await written('pulumi')).text.replace("'text/html'", "'********'")
    expect((await post(asked, viewer)).body['text']).toBe(masked)
    expect((await post(asked, await api.key(owner, 'read'))).status).toBe(200)
    expect((await post(asked, null)).status).toBe(401)
  })
})

test('a body that no monitor can have is 422, with the path of each fault in the body', async () => {
  const paths = async (body: object) => {
    const { status, body: answer } = await post({ as: 'manifest', ...body })
    return [status, answer.error.details.map(({ path }) => path)]
  }
  const bad = { ...SPEC, url: 'ftp://x', extract_config: { method: 'css', fields: { price: '[[' } }, more: 1 }
  expect(await paths({ kind: 'Monitor', spec: bad })).toEqual([
    422,
    expect.arrayContaining(['spec.url', 'spec.extract_config.fields.price', 'spec.more']),
  ])
  expect(await paths({ kind: 'SerpMonitor', spec: {} })).toMatchObject([422, ['spec.name', 'spec.keyword', /spec/]])
  expect(await paths({ kind: 'Secret', spec: SPEC })).toEqual([422, ['kind']])
  expect(await paths({ kind: 'Monitor', spec: [] })).toEqual([422, ['spec']])
})
