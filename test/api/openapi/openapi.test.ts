import { Compile } from 'typebox/compile'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { POLICIES } from '../../../api/auth/policies.ts'
import { COMPONENTS, EXAMPLES } from '../../../api/openapi/components.ts'
import { describeApi } from '../../../api/openapi/describe-api.ts'
import { RULE_TABLE } from '../../../schema/rules/rule-table.ts'
import type { Rule } from '../../../schema/rules/rule.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { OUTPUTS } from '../../../tools/generate/outputs.ts'
import { LIMITS } from '../../schema/monitor-limits.ts'
import { routes } from '../../support/api/all-routes.ts'
import { SMALLEST } from '../../support/api/monitor-body.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'

interface Operation {
  readonly operationId: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly description?: string }>>
  readonly security: readonly object[]
  readonly tags: readonly string[]
}
interface Document {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Record<string, unknown>>>
    readonly responses: Readonly<Record<string, object>>
    readonly securitySchemes: object
  }
}

const document = JSON.parse(JSON.stringify(describeApi(routes))) as Document
const operations = Object.entries(document.paths).flatMap(([path, byMethod]) =>
  Object.entries(byMethod).map(([method, operation]) => ({ path, method, operation })),
)

function* walk(node: unknown, at = '#'): Generator<{ at: string; node: Readonly<Record<string, unknown>> }> {
  if (node === null || typeof node !== 'object') return
  if (!Array.isArray(node)) yield { at, node: node as Record<string, unknown> }
  for (const [key, value] of Object.entries(node)) yield* walk(value, `${at}/${key}`)
}
const resolve = (pointer: string) =>
  pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (node as Record<string, unknown>)?.[key], document)

describe('the document', () => {
  test('is OpenAPI 3.1 of the version of the interface', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d$/)
    expect(document.info).toMatchObject({ title: 'Tidemark', version: '2026-05-01' })
  })

  test('has every route once, and nothing else', () => {
    const described = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`).sort()
    expect(described).toEqual(routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`).sort())
  })

  test('points nowhere that does not exist', () => {
    const references = [...walk(document)].flatMap(({ at, node }) =>
      typeof node['$ref'] === 'string' ? [{ at, to: node['$ref'] }] : [],
    )
    expect(references.length).toBeGreaterThan(50)
    for (const { at, to } of references) expect(resolve(to), `${at} → ${to}`).toBeTypeOf('object')
    for (const { node } of walk(document))
      for (const to of Object.values((node['discriminator'] as { mapping?: object } | undefined)?.mapping ?? {}))
        expect(resolve(to), to).toBeTypeOf('object')
  })

  test('says only what OpenAPI and JSON Schema know, and x-', () => {
    const known = new Set(
      (
        'type properties required additionalProperties items enum const anyOf oneOf minimum maximum ' +
        'exclusiveMinimum propertyNames not minLength maxLength minItems maxItems minProperties maxProperties ' +
        'uniqueItems format pattern default description examples $ref discriminator x-beyond-contract'
      ).split(' '),
    )
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      for (const { at, node } of walk(schema, name)) {
        if (/\/(properties|mapping|default|discriminator|examples)(\/\d+)?$|\/examples\/|\/default\//.test(at)) continue
        for (const key of Object.keys(node)) expect(known, `${at}: ${key}`).toContain(key)
      }
    }
  })

  test('gives each operation an id, a tag, its path parameters, a success and its refusals', () => {
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
    for (const { path, operation } of operations) {
      expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/)
      expect(document.tags.map(({ name }) => name)).toContain(operation.tags[0])
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)).toEqual(named)
      const statuses = Object.keys(operation.responses)
      expect(
        statuses.some((status) => status.startsWith('2')),
        path,
      ).toBe(true)
      expect(statuses).toEqual(expect.arrayContaining(['422', '429', '500', '503']))
      const isPublic = operation.security.length === 0
      expect(statuses.includes('401') && statuses.includes('403'), path).toBe(!isPublic || path.startsWith('/auth/'))
      if (named.length > 0) expect(statuses).toContain('404')
    }
  })

  test('tells which operations take an API key', () => {
    for (const route of routes) {
      if (route.policy === 'public') continue
      const { security } = document.paths[route.path.replace(/:(\w+)/g, '{$1}')]![route.method.toLowerCase()]!
      expect(
        security.some((scheme) => 'apiKey' in scheme),
        route.path,
      ).toBe(POLICIES[route.policy].scope !== null)
    }
  })

  test('tells tagged shapes apart by their tag', () => {
    const { DeliveryConfig, DeliveryConfigWebhook } = document.components.schemas
    expect(DeliveryConfig).toMatchObject({
      oneOf: expect.arrayContaining([{ $ref: '#/components/schemas/DeliveryConfigWebhook' }]),
      discriminator: { propertyName: 'type', mapping: { webhook: '#/components/schemas/DeliveryConfigWebhook' } },
    })
    expect(DeliveryConfigWebhook).toMatchObject({
      required: ['type', 'url'],
      additionalProperties: false,
      properties: { type: { const: 'webhook' } },
    })
    const keys = ['type', 'url', 'headers', 'service', 'options', 'body', 'method', 'quiet_hours', 'message', 'digest']
    expect(Object.keys(DeliveryConfigWebhook!['properties'] as object)).toEqual(keys)
  })

  test('prints nested predicates as the recursion that they are', () => {
    expect(document.components.schemas['DiffPredicateComposite']).toMatchObject({
      properties: { conditions: { items: { $ref: '#/components/schemas/DiffPredicate' } } },
    })
  })

  test('marks what goes beyond the contract', () => {
    expect(document.components.schemas).toMatchObject({
      DiffPredicateFieldAbove: { 'x-beyond-contract': true },
      DiffPredicateFieldBelow: { 'x-beyond-contract': true },
    })
    expect(document.components.schemas['DiffPredicateFieldEquals']).not.toHaveProperty('x-beyond-contract')
  })
})

describe('the examples', () => {
  test.each(Object.keys(EXAMPLES))('the one of %s is valid here', (name) => {
    expect(checkerOf(COMPONENTS[name]!).validate(EXAMPLES[name])).toMatchObject({ ok: true })
  })

  test.each(Object.keys(EXAMPLES))('the one of %s is valid by the document itself', (name) => {
    expect(byDocument(name).Check(EXAMPLES[name])).toBe(true)
  })

  test('the document refuses what the service refuses', () => {
    const monitor = EXAMPLES['MonitorCreate'] as Record<string, unknown>
    const check = byDocument('MonitorCreate')
    for (const wrong of [
      {},
      { ...monitor, more: 1 },
      { ...monitor, schedule_interval_seconds: 59 },
      { ...monitor, extract_config: { method: 'css' } },
    ])
      expect(check.Check(wrong), JSON.stringify(wrong)).toBe(false)
    expect(check.Check({ ...monitor, extract_config: { method: 'full_page', fields: {} } })).toBe(false)
  })
})

/** Rules over several keys or levels, which the document does not say. */
const ACROSS = new Set([
  'predicates nest 4 deep',
  'what is waited for is on a page that is always rendered',
  'a document is fetched as it is sent',
  'only fields that are extracted are treated',
  '… and of a whole page its hash',
  '… so it has no picture',
  'a list that gains items ends in []',
  '… or may be one by its method',
  '… and is a field',
  'a predicate names a field',
  'a body does not go with GET',
  'paging in the body needs one that is a JSON object',
  'a region has a selector or a rectangle',
  'pictures do not go with a direct request',
])

type Described = Pick<Rule<unknown>, 'json' | 'jsonOf' | 'accepts' | 'rejects'>

describe('the bounds of the document are those of the service', () => {
  const check = byDocument('MonitorCreate')

  test.each(LIMITS)('%s', (title, inside, outside) => {
    expect(check.Check({ ...SMALLEST, ...inside })).toBe(true)
    expect(check.Check({ ...SMALLEST, ...outside })).toBe(ACROSS.has(title))
  })

  test.each(Object.values(RULE_TABLE).map((rule): [string, Described] => [rule.name, rule]))(
    'the rule %s refuses nothing there that the service accepts',
    (_, { json, jsonOf, accepts, rejects }) => {
      const compiled = Compile(json ?? {})
      for (const value of accepts) expect(compiled.Check(value), JSON.stringify(value)).toBe(true)
      const isBound = json !== undefined && jsonOf === undefined
      if (isBound) expect(rejects.some((value) => !compiled.Check(value))).toBe(true)
    },
  )
})

/** JSON Schema 2020-12 over the document's own components, read by an engine that knows none of our builders. */
function byDocument(name: string) {
  const moved = JSON.parse(
    JSON.stringify(document.components.schemas).replaceAll('#/components/schemas/', '#/$defs/'),
  ) as Record<string, object>
  return Compile({ ...moved[name], $defs: moved })
}

describe('serving and committing', () => {
  let api: TestApi
  beforeAll(async () => {
    api = await createTestApi()
  })
  afterAll(() => api.close())

  test('it is served to everybody, as it is committed', async () => {
    const answer = await api.app.inject('/api/openapi.json')
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect(answer.json()).toEqual(JSON.parse(OUTPUTS.find(({ path }) => path === 'api/openapi.json')!.make()))
  })

  test('is not sent again to a client that has it', async () => {
    const { headers } = await api.app.inject('/api/openapi.json')
    const ask = (etag: string) => api.app.inject({ url: '/api/openapi.json', headers: { 'if-none-match': etag } })
    const same = await ask(String(headers.etag))
    expect(same).toMatchObject({ statusCode: 304, body: '' })
    expect(same.headers).toMatchObject({ etag: headers.etag, 'cache-control': 'public, no-cache' })
    for (const known of [`"another", ${String(headers.etag)}`, `W/${String(headers.etag)}`, '*'])
      expect((await ask(known)).statusCode).toBe(304)
    expect((await ask('"another"')).statusCode).toBe(200)
  })
})

test.each(OUTPUTS.map(({ path, make }) => [path, make] as const))('%s is made the same each time', (_path, make) => {
  expect(make()).toBe(make())
  expect(make().endsWith('\n')).toBe(true)
})
