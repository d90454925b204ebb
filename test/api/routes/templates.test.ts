import { sql } from 'slonik'
import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import { TEMPLATES } from '../../../core/templates/templates.ts'
import { row } from '../../../store/db/row.ts'
import { HASTY } from '../../support/api/hasty-template.ts'
import { pathsOf } from '../../support/api/monitor-requests.ts'
import { serveApi } from '../../support/api/served-api.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi('lite', { templates: [...TEMPLATES, HASTY] }))

const from = (slug: string, body?: unknown) => served.me.post(`/v1/monitors/from-template/${slug}`, body)

describe('GET /v1/templates', () => {
  test('answers an array of all, not an envelope', async () => {
    const { status, body } = await served.me.get('/v1/templates')
    expect(status).toBe(200)
    expect(body).toEqual([...TEMPLATES, HASTY])
  })

  test.each(['developer', 'crypto', 'ecommerce', 'news', 'status', 'generic', 'finance', 'seo', 'jobs'])(
    'category=%s answers those of the category',
    async (category) => {
      const { status, body } = await served.me.get(`/v1/templates?category=${category}`)
      expect(status).toBe(200)
      expect(body).toEqual(TEMPLATES.filter((template) => template.category === category))
      expect(body).not.toEqual([])
    },
  )

  test.each(['weather', 'Generic', 'a'.repeat(100)])(
    'a category without templates, %s, is an empty array',
    async (category) => {
      const { status, body } = await served.me.get(`/v1/templates?category=${category}`)
      expect({ status, body }).toEqual({ status: 200, body: [] })
    },
  )

  test.each([
    ['category=', 'category'],
    [`category=${'a'.repeat(101)}`, 'category'],
    ['category=news&category=status', 'category'],
    ['page=1', 'page'],
  ])('%s is refused with its path', async (query, path) => {
    expect(pathsOf(await served.me.get(`/v1/templates?${query}`))).toEqual([path])
  })

  test('every role and every key reads them, nobody else does', async () => {
    const viewer = served.as(await served.api.member(served.owner, 'viewer'))
    const reader = served.as(await served.api.key(served.owner, 'read'))
    for (const client of [viewer, reader]) expect((await client.get('/v1/templates')).status).toBe(200)
    expect((await served.as(null).get('/v1/templates')).status).toBe(401)
  })
})

describe('POST /v1/monitors/from-template/{slug}', () => {
  test.each(TEMPLATES.map(({ slug }) => slug))('%s makes a monitor', async (slug) => {
    const template = TEMPLATES.find((one) => one.slug === slug)
    const { status, body } = await from(slug, { url: 'https://example.com/mine' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: template?.name,
      url: 'https://example.com/mine',
      extract_config: template?.config.extract,
      diff_predicate: template?.config.diff_predicate,
      schedule_interval_seconds: template?.config.schedule_interval_seconds,
      template_slug: slug,
      deliveries: [],
      status: 'active',
      fetch_mode: 'auto',
    })
    expect((await served.me.get(`/v1/monitors/${body.id}`)).body).toEqual(body)
  })

  test.each([[undefined], [{}]])(
    'without anything of its own (%j) it is the template and its example',
    async (body) => {
      const answer = await from('generic-css-selector', body)
      expect(answer.status).toBe(201)
      expect(answer.body).toMatchObject({ name: 'Any page, by CSS selector', url: 'https://example.com/' })
    },
  )

  test('takes name, url and deliveries from the body', async () => {
    const given = {
      name: 'Mine',
      url: 'https://example.com/mine',
      deliveries: [{ type: 'email', to: 'me@example.com' }],
    }
    const { status, body } = await from('generic-full-page', given)
    expect(status).toBe(201)
    expect(body).toMatchObject(given)
  })

  test('an address is asked for where the template has no example', async () => {
    expect(pathsOf(await from('status-page', {}))).toEqual(['url'])
    expect(pathsOf(await from('status-page'))).toEqual(['url'])
  })

  test('an interval below the minimum is raised to it', async () => {
    const { status, body } = await from('hasty')
    expect(status).toBe(201)
    expect(body).toMatchObject({ schedule_interval_seconds: 60, url: HASTY.example_url, template_slug: 'hasty' })
  })

  test.each(['no-such-template', 'generic', 'a'.repeat(101), '__proto__'])('%s is not found', async (slug) => {
    const { status, body } = await from(slug, { url: 'https://example.com/' })
    expect({ status, code: body.error?.code }).toEqual({ status: 404, code: 'NOT_FOUND' })
  })

  test.each([
    [{ url: 'ftp://example.com/' }, ['url']],
    [{ url: null }, ['url']],
    [{ url: 'http://169.254.169.254/' }, ['url']],
    [{ name: '' }, ['name']],
    [{ name: 'a'.repeat(201), url: 'http://127.0.0.1/' }, ['name', 'url']],
    [{ deliveries: [{ type: 'webhook', url: 'http://10.0.0.1/' }] }, ['deliveries[0].url']],
    [{ schedule_interval_seconds: 60, template_slug: 'x' }, ['schedule_interval_seconds', 'template_slug']],
  ])('%j is refused with the paths of its faults', async (body, paths) => {
    expect(pathsOf(await from('generic-css-selector', body))).toEqual(paths)
  })

  test('the cap of deliveries of the plan holds', async () => {
    const deliveries = [1, 2, 3].map((n) => ({ type: 'email', to: `me${n}@example.com` }))
    const { status, body } = await from('generic-css-selector', { deliveries })
    expect({ status, code: body.error?.code }).toEqual({ status: 429, code: 'TIER_LIMIT_EXCEEDED' })
  })

  test('a viewer and a key that only reads may not', async () => {
    const viewer = served.as(await served.api.member(served.owner, 'viewer'))
    const reader = served.as(await served.api.key(served.owner, 'read'))
    for (const client of [viewer, reader])
      expect((await client.post('/v1/monitors/from-template/generic-css-selector')).status).toBe(403)
  })

  test('the audit log tells of the monitor and of its template', async () => {
    const stranger = await served.anotherTeam()
    const { body } = await stranger.post('/v1/monitors/from-template/generic-full-page', { name: 'Audited' })
    const events = await served.api.services.store.any(sql.type(event)`
      select action, target_id, target_label, metadata from audit_events
        where team_id = ${stranger.owner.team_id}::uuid and target_type = 'monitor'`)
    expect(events).toEqual([
      {
        action: 'monitor.created',
        target_id: body.id,
        target_label: 'Audited',
        metadata: { template_slug: 'generic-full-page' },
      },
    ])
  })
})

const event = row({
  action: Type.String(),
  target_id: Type.String(),
  target_label: Type.String(),
  metadata: Type.Unknown(),
})
