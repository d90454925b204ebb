import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TEMPLATES } from '../../../core/templates/templates.ts'
import type { Template } from '../../../schema/monitor/template.ts'
import { HASTY } from '../../support/api/hasty-template.ts'
import { pathsOf } from '../../support/api/monitor-requests.ts'
import { type Client, type ServedApi, serveApi } from '../../support/api/served-api.ts'

let served: ServedApi
let hasty: ServedApi
beforeAll(async () => {
  served = await serveApi()
  hasty = await serveApi('scale', { templates: [...TEMPLATES, HASTY] })
})
afterAll(async () => {
  await served.close()
  await hasty.close()
})

const list = async (query = '', client: Client = served.me) =>
  (await client.get(`/v1/templates${query}`)).body as never as readonly Template[]
const from = (slug: string, body?: object, client: Client = served.me) =>
  client.post(`/v1/monitors/from-template/${slug}`, body)

describe('template', () => {
  test('each has the eight fields of the table and no others', async () => {
    for (const template of await list()) {
      expect(template).toEqual({
        slug: expect.stringMatching(/^[a-z0-9-]+$/),
        name: expect.stringMatching(/./),
        description: expect.stringMatching(/./),
        category: expect.stringMatching(/./),
        audience: expect.stringMatching(/^(developer|operator|both)$/),
        example_url: template.example_url === null ? null : expect.stringMatching(/^https?:/),
        config: {
          extract: expect.objectContaining({ method: expect.any(String) }),
          diff_predicate: expect.objectContaining({ type: expect.any(String) }),
          schedule_interval_seconds: expect.any(Number),
        },
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      })
    }
  })

  test('category values include developer, crypto, ecommerce, news, status and generic', async () => {
    const categories = new Set((await list()).map(({ category }) => category))
    for (const category of ['developer', 'crypto', 'ecommerce', 'news', 'status', 'generic'])
      expect(categories).toContain(category)
  })

  test('audience is developer, operator or both: each is somebody’s', async () => {
    expect(new Set((await list()).map(({ audience }) => audience))).toEqual(new Set(['developer', 'operator', 'both']))
  })

  test('fifteen exist, each with a slug of its own', async () => {
    const slugs = (await list()).map(({ slug }) => slug)
    expect(slugs).toHaveLength(15)
    expect(new Set(slugs).size).toBe(15)
  })

  test('the generic ones read by CSS selector, as a full page, by JSON field and by a model', async () => {
    const methods = Object.fromEntries(
      (await list('?category=generic')).map((one) => [one.slug, one.config.extract.method]),
    )
    expect(methods).toEqual({
      'generic-css-selector': 'css',
      'generic-full-page': 'full_page',
      'generic-json-field': 'json_path',
      'generic-llm-prompt': 'prompt',
    })
  })

  test.each([
    ['status pages', /status/],
    ['crypto prices', /crypto/],
    ['stock prices', /stock/],
    ['shop product prices', /shop/],
    ['package new versions', /package/],
    ['repository new releases', /repository/],
    ['a news front page', /news/],
    ['RSS new items', /feed/],
    ['sitemap new URLs', /sitemap/],
    ['job listings', /job/],
  ])('the others cover %s', async (_, slug) => {
    expect((await list()).filter((template) => slug.test(template.slug))).not.toEqual([])
  })
})

describe('GET /v1/templates', () => {
  test('answers an array, of one category where that is asked for', async () => {
    expect(Array.isArray(await list())).toBe(true)
    const crypto = await list('?category=crypto')
    expect(crypto.map(({ category }) => category)).toEqual(['crypto'])
    expect(await list('?category=weather')).toEqual([])
  })
})

describe('POST /v1/monitors/from-template/{slug}', () => {
  test('without a body it makes the monitor of the template, of its example', async () => {
    const [template] = await list('?category=generic')
    const { status, body } = await from('generic-css-selector')
    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: template?.name,
      url: template?.example_url,
      extract_config: template?.config.extract,
      diff_predicate: template?.config.diff_predicate,
      schedule_interval_seconds: template?.config.schedule_interval_seconds,
      template_slug: 'generic-css-selector',
      deliveries: [],
      status: 'active',
    })
  })

  test('name, url, which overrides example_url, and deliveries are optional', async () => {
    const own = { name: 'Mine', url: 'https://example.com/mine', deliveries: [{ type: 'email', to: 'a@example.com' }] }
    expect((await from('generic-css-selector', own)).body).toMatchObject(own)
    for (const [key, value] of Object.entries(own))
      expect((await from('generic-css-selector', { [key]: value })).body).toMatchObject({ [key]: value })
    expect(pathsOf(await from('generic-css-selector', { schedule_interval_seconds: 60 }))).toEqual([
      'schedule_interval_seconds',
    ])
  })

  test('an interval below 60 is raised to it', async () => {
    expect((await from('hasty', {}, hasty.me)).body).toMatchObject({ schedule_interval_seconds: 60 })
  })

  test('template_slug is set once, at creation', async () => {
    const { id } = (await from('generic-css-selector')).body
    for (const template_slug of [null, 'generic-full-page'])
      expect(pathsOf(await served.me.patch(`/v1/monitors/${id}`, { template_slug }))).toEqual(['template_slug'])
    expect((await served.me.get(`/v1/monitors/${id}`)).body).toMatchObject({ template_slug: 'generic-css-selector' })
  })
})
