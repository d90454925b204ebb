import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AuditEvent } from '../../../schema/account/audit.ts'
import { MAX_STATUS_PAGES } from '../../../schema/status/status-page.ts'
import { createMonitor, pathsOf } from '../../support/api/monitor-requests.ts'
import { type Client, type ServedApi, serveApi } from '../../support/api/served-api.ts'
import { makeStatusPage } from './strangers.ts'

let served: ServedApi
let owner: Client
let member: Client
beforeAll(async () => {
  served = await serveApi()
  owner = served.as(served.owner.session_token)
  member = served.as(await served.api.member(served.owner, 'member'))
})
afterAll(() => served.close())

const emptied = async (client: Client) => {
  const { body } = await client.get('/v1/status-pages')
  for (const { id } of body.data) await client.delete(`/v1/status-pages/${id}`)
}
const shown = (...ids: string[]) => ({
  by: 'monitors',
  monitors: ids.map((monitor_id, nth) => ({ monitor_id, name: `Thing ${nth}` })),
})

describe('making', () => {
  test('a page has what was asked for, its address, and is not published', async () => {
    const { id } = await createMonitor(owner)
    const page = await makeStatusPage(member, { title: 'Our shop', slug: 'our-shop', shows: shown(id), indexed: true })
    expect(page).toEqual({
      id: expect.any(String),
      title: 'Our shop',
      slug: 'our-shop',
      url: 'http://127.0.0.1:8080/status/our-shop',
      shows: { by: 'monitors', monitors: [{ monitor_id: id, name: 'Thing 0', show_value: false }] },
      published: false,
      indexed: true,
      created_at: expect.any(String),
      updated_at: page.created_at,
    })
    expect((await owner.get(`/v1/status-pages/${page.id}`)).body).toEqual(page)
    expect((await owner.get('/v1/status-pages')).body.data).toContainEqual(page)
  })

  test('without a slug, a page has a long random one', async () => {
    const [one, other] = [await makeStatusPage(owner, {}), await makeStatusPage(owner, { slug: null })]
    expect(one.slug).toMatch(/^[a-z2-9]{26}$/)
    expect(other.slug).not.toBe(one.slug)
  })

  test('a slug that another team has is a conflict, also when two teams ask at once', async () => {
    const other = await served.anotherTeam()
    await makeStatusPage(owner, { slug: 'taken' })
    const again = await other.post('/v1/status-pages', { title: 'B', slug: 'taken', shows: shown() })
    expect(again).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT', details: [{ path: 'slug' }] } } })
    const both = await Promise.all(
      [owner, other].map((who) => who.post('/v1/status-pages', { title: 'B', slug: 'at-once', shows: shown() })),
    )
    expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 409])
  })

  test.for(['docs', 'status', 'Shop', 'a', 'a/b', '../etc', '-a-', 'x'.repeat(65)])(
    'the slug %s is refused',
    async (slug) => {
      expect(pathsOf(await owner.post('/v1/status-pages', { title: 'A', slug, shows: shown() }))).toEqual(['slug'])
    },
  )

  test('monitors of another team, deleted ones and one that is named twice are refused by their paths', async () => {
    const other = await served.anotherTeam()
    const foreign = await createMonitor(other)
    const deleted = await createMonitor(owner)
    const own = await createMonitor(owner)
    await owner.delete(`/v1/monitors/${deleted.id}`)
    const shows = shown(own.id, foreign.id, deleted.id, own.id.toUpperCase(), randomUUID())
    expect(pathsOf(await owner.post('/v1/status-pages', { title: 'A', shows }))).toEqual(
      [1, 2, 3, 4].map((nth) => `shows.monitors[${nth}].monitor_id`),
    )
  })

  test.for([
    [{ title: ' ' }, 'title'],
    [{ shows: { by: 'label', label: 'public' } }, 'shows.label'],
    [{ shows: { by: 'label', label: 'a=b', monitors: [] } }, 'shows.monitors'],
    [{ shows: { by: 'all' } }, 'shows.by'],
    [{ published: true }, 'published'],
  ] as const)('%j is refused', async ([part, path]) => {
    const body = { title: 'A', shows: shown(), ...part }
    expect(pathsOf(await owner.post('/v1/status-pages', body))).toEqual([path])
  })

  test('a team has a limited number, whatever comes at once', async () => {
    const other = await served.anotherTeam()
    const made = await Promise.all(
      Array.from({ length: MAX_STATUS_PAGES + 3 }, () =>
        other.post('/v1/status-pages', { title: 'A', shows: shown() }),
      ),
    )
    expect(made.filter(({ status }) => status === 201)).toHaveLength(MAX_STATUS_PAGES)
    expect(made.find(({ status }) => status !== 201)).toMatchObject({
      status: 409,
      body: { error: { code: 'CONFLICT', message: expect.stringContaining(`${MAX_STATUS_PAGES} status pages`) } },
    })
  })

  test('a page is of its team alone', async () => {
    const other = await served.anotherTeam()
    const { id } = await makeStatusPage(owner, {})
    for (const [method, path] of [
      ['get', `/v1/status-pages/${id}`],
      ['get', `/v1/status-pages/${id}/preview`],
      ['patch', `/v1/status-pages/${id}`],
      ['delete', `/v1/status-pages/${id}`],
      ['post', `/v1/status-pages/${id}/unpublish`],
    ] as const)
      expect(await other[method](path, method === 'patch' ? { title: 'B' } : undefined)).toMatchObject({
        status: 404,
        body: { error: { code: 'NOT_FOUND' } },
      })
    expect((await other.get('/v1/status-pages')).body.data).toEqual([])
  })
})

describe('changing', () => {
  test('what is absent stays, and a slug of null is another random one', async () => {
    await emptied(owner)
    const { id } = await createMonitor(owner)
    const page = await makeStatusPage(owner, { slug: 'before', shows: shown(id) })
    const titled = await owner.patch(`/v1/status-pages/${page.id}`, { title: 'After' })
    expect(titled).toMatchObject({ status: 200, body: { ...page, title: 'After', updated_at: expect.any(String) } })
    const label = { by: 'label', label: 'audience=public', show_values: true }
    const labelled = await owner.patch(`/v1/status-pages/${page.id}`, { shows: label, slug: null })
    expect(labelled.body['shows']).toEqual(label)
    expect(labelled.body['slug']).toMatch(/^[a-z2-9]{26}$/)
    expect(await makeStatusPage(owner, { slug: 'before' })).toMatchObject({ slug: 'before' })
  })

  test('what the page has already changes nothing, whoever sends it', async () => {
    const { id } = await createMonitor(owner)
    const page = await makeStatusPage(owner, { title: 'Same', shows: shown(id) })
    const at = `/v1/status-pages/${page.id}`
    const published = await owner.post(`${at}/publish`)
    const same = { title: 'Same', slug: page.slug, indexed: false, shows: shown(id.toUpperCase()) }
    for (const patch of [{}, same])
      expect(await member.patch(at, patch)).toEqual({ ...published, headers: expect.anything() })
    await owner.patch(at, { ...same, title: 'Other' })
    const { body } = await owner.get(`/v1/team/audit?target_type=status_page&target_id=${page.id}`)
    const updates = (body.data as unknown as readonly AuditEvent[]).filter(({ action }) => action.endsWith('updated'))
    expect(updates.map(({ metadata }) => metadata)).toEqual([{ changed: ['title'] }])
  })

  test.for([
    ['the public name', { name: 'Thing 1' }],
    ['whether a value is shown', { show_value: true }],
  ] as const)('%s alone is a change of what is shown', async ([, part]) => {
    const { id } = await createMonitor(owner)
    const page = await makeStatusPage(owner, { shows: shown(id) })
    const monitors = [{ monitor_id: id, name: 'Thing 0', show_value: false, ...part }]
    const { body } = await owner.patch(`/v1/status-pages/${page.id}`, { shows: { by: 'monitors', monitors } })
    expect(body['shows']).toEqual({ by: 'monitors', monitors })
  })

  test('a monitor that is deleted leaves the list', async () => {
    const [kept, gone] = [await createMonitor(owner), await createMonitor(owner)]
    const page = await makeStatusPage(owner, { shows: shown(gone.id, kept.id) })
    await owner.delete(`/v1/monitors/${gone.id}`)
    expect((await owner.get(`/v1/status-pages/${page.id}`)).body['shows']).toMatchObject({
      monitors: [{ monitor_id: kept.id }],
    })
  })
})

describe('who may do what', () => {
  test('a member makes a page and takes it back, and neither publishes it nor changes it then', async () => {
    const { id } = await makeStatusPage(member, {})
    const at = `/v1/status-pages/${id}`
    expect(await member.post(`${at}/publish`)).toMatchObject({
      status: 403,
      body: { error: { message: expect.stringContaining('status.publish') } },
    })
    expect(await owner.post(`${at}/publish`)).toMatchObject({ status: 200, body: { published: true } })
    expect(await member.patch(at, { title: 'B' })).toMatchObject({
      status: 403,
      body: { error: { message: expect.stringContaining('Ask a team admin') } },
    })
    expect(await owner.patch(at, { title: 'B' })).toMatchObject({ status: 200, body: { published: true } })
    expect(await member.post(`${at}/unpublish`)).toMatchObject({ status: 200, body: { published: false } })
    expect(await member.patch(at, { title: 'C' })).toMatchObject({ status: 200 })
    expect(await member.delete(at)).toMatchObject({ status: 204 })
  })

  test('one that was changed since is left as it is, where a request names the version', async () => {
    const { id } = await makeStatusPage(owner, { title: 'A' })
    const at = `${served.baseUrl}/v1/status-pages/${id}`
    const send = async (method: string, tag: string | null, body?: object) => {
      const headers = {
        authorization: `Bearer ${served.owner.api_key}`,
        ...(tag !== null && { 'if-match': tag }),
        ...(body && { 'content-type': 'application/json' }),
      }
      const answer = await fetch(at, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      return { status: answer.status, tag: answer.headers.get('etag') ?? '', text: await answer.text() }
    }
    const { tag } = await send('GET', null)
    const edited = await send('PATCH', tag, { title: 'B' })
    expect(edited).toMatchObject({ status: 200, tag: (await send('GET', null)).tag })
    for (const [method, body] of [['PATCH', { title: 'C' }], ['DELETE']] as const) {
      const refused = await send(method, tag, body)
      expect(refused.status).toBe(409)
      expect(JSON.parse(refused.text)).toMatchObject({ error: { details: [{ path: 'If-Match' }] } })
    }
    expect((await send('PATCH', 'B', { title: 'C' })).status).toBe(422)
    expect((await send('PATCH', '*', { title: 'C' })).status).toBe(200)
    await owner.post(`/v1/status-pages/${id}/publish`)
    expect((await send('DELETE', edited.tag)).status).toBe(409)
    expect((await send('DELETE', (await send('GET', null)).tag)).status).toBe(204)
  })

  test('an admin publishes the page that was looked at, and not one that was changed since', async () => {
    const seen = await makeStatusPage(owner, { title: 'Looked at' })
    const at = `/v1/status-pages/${seen.id}`
    const { body: changed } = await member.patch(at, { title: 'Changed since' })
    expect(await owner.post(`${at}/publish`, { updated_at: seen.updated_at })).toMatchObject({
      status: 409,
      body: { error: { code: 'CONFLICT', details: [{ path: 'updated_at' }] } },
    })
    expect(await owner.get(at)).toMatchObject({ body: { published: false, updated_at: changed['updated_at'] } })
    expect(await owner.post(`${at}/publish`, { updated_at: changed['updated_at'] })).toMatchObject({ status: 200 })
    expect(pathsOf(await owner.post(`${at}/publish`, { updated_at: 'yesterday' }))).toEqual(['updated_at'])
  })

  test('an API key does not publish, and a viewer only looks', async () => {
    const { id } = await makeStatusPage(served.me, {})
    const viewer = served.as(await served.api.member(served.owner, 'viewer'))
    expect(await served.me.post(`/v1/status-pages/${id}/publish`)).toMatchObject({ status: 403 })
    expect(await viewer.get(`/v1/status-pages/${id}`)).toMatchObject({ status: 200 })
    expect(await viewer.post('/v1/status-pages', { title: 'A', shows: shown() })).toMatchObject({ status: 403 })
    expect(await viewer.delete(`/v1/status-pages/${id}`)).toMatchObject({ status: 403 })
  })

  test('each act is in the audit log once, with the title', async () => {
    const { id } = await makeStatusPage(owner, { title: 'Watched' })
    const at = `/v1/status-pages/${id}`
    await owner.patch(at, { title: 'Seen', indexed: true })
    for (const act of ['publish', 'publish', 'unpublish', 'unpublish']) await owner.post(`${at}/${act}`)
    await owner.delete(at)
    const { body } = await owner.get(`/v1/team/audit?target_type=status_page&target_id=${id}`)
    const events = (body.data as unknown as readonly AuditEvent[]).toReversed()
    expect(events.map(({ action, target_label, metadata }) => [action, target_label, metadata])).toEqual([
      ['status_page.created', 'Watched', { by: 'monitors' }],
      ['status_page.updated', 'Seen', { changed: ['title', 'indexed'] }],
      ['status_page.published', 'Seen', {}],
      ['status_page.unpublished', 'Seen', {}],
      ['status_page.deleted', 'Seen', {}],
    ])
  })
})
