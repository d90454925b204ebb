import { describe, expect, test } from 'vitest'
import { MONITOR, pathsOf } from '../../support/api/monitor-requests.ts'
import { serveApi } from '../../support/api/served-api.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi())

const SEARCH = { name: 'Rank', keyword: 'kettle', schedule_interval_seconds: 600, target_domain: 'example.com' }

describe.each([
  ['/v1/monitors', MONITOR],
  ['/v1/serp-monitors', SEARCH],
])('the external_key of records at %s', (path, body) => {
  const key = (name: string) => `shop/${name}`

  test('is null unless it is given, and finds the record in lists', async () => {
    const without = await served.me.post(path, body)
    expect(without).toMatchObject({ status: 201, body: { external_key: null, labels: {}, managed_by: 'api' } })
    const made = await served.me.post(path, { ...body, external_key: key('a') })
    expect(made).toMatchObject({ status: 201, body: { external_key: 'shop/a' } })
    const { body: found } = await served.me.get(`${path}?external_key=shop%2Fa`)
    expect(found).toMatchObject({ data: [{ id: made.body.id }], pagination: { total: 1 } })
    expect((await served.me.get(`${path}?external_key=none`)).body.data).toEqual([])
  })

  test('belongs to one record of a team, which the refusal names', async () => {
    const first = await served.me.post(path, { ...body, name: 'First', external_key: key('b') })
    const second = await served.me.post(path, { ...body, external_key: key('b') })
    expect(second).toMatchObject({
      status: 409,
      body: {
        error: {
          code: 'CONFLICT',
          message:
            `The external_key "shop/b" belongs to the monitor "First" (${first.body.id}): ` +
            'change that one instead.',
          details: [{ path: 'external_key', id: first.body.id, name: 'First' }],
        },
      },
    })
    const stranger = await served.anotherTeam()
    expect(await stranger.post(path, { ...body, external_key: key('b') })).toMatchObject({ status: 201 })
  })

  test('belongs to one record, however many ask at once', async () => {
    const asked = Array.from({ length: 8 }, () => served.me.post(path, { ...body, external_key: key('race') }))
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect([201, 409].map((status) => statuses.filter((one) => one === status).length)).toEqual([1, 7])
  })

  test('is changed and cleared by an edit, and an edit of another key keeps it', async () => {
    const { id } = (await served.me.post(path, { ...body, external_key: key('c') })).body
    const other = (await served.me.post(path, body)).body
    const edit = (one: string, patch: object) => served.me.patch(`${path}/${one}`, patch)
    expect(await edit(id, { name: 'New' })).toMatchObject({ status: 200, body: { external_key: 'shop/c' } })
    expect(await edit(id, { external_key: key('c') })).toMatchObject({ status: 200 })
    expect(await edit(other.id, { external_key: key('c') })).toMatchObject({ status: 409 })
    expect(await edit(id, { external_key: null })).toMatchObject({ status: 200, body: { external_key: null } })
    expect(await edit(other.id, { external_key: key('c') })).toMatchObject({ status: 200 })
  })

  test('is free again when its record is deleted', async () => {
    const { id } = (await served.me.post(path, { ...body, external_key: key('d') })).body
    expect(await served.me.delete(`${path}/${id}`)).toMatchObject({ status: 204 })
    expect(await served.me.post(path, { ...body, external_key: key('d') })).toMatchObject({ status: 201 })
  })

  test('has 1 to 320 characters', async () => {
    const refused = async (value: unknown) => pathsOf(await served.me.post(path, { ...body, external_key: value }))
    expect(await refused('')).toEqual(['external_key'])
    expect(await refused('a'.repeat(321))).toEqual(['external_key'])
    expect(await refused(3)).toEqual(['external_key'])
    expect(pathsOf(await served.me.get(`${path}?external_key=`))).toEqual(['external_key'])
  })
})

test('records of the two kinds may have the same external_key', async () => {
  const external_key = 'shop/both'
  expect(await served.me.post('/v1/monitors', { ...MONITOR, external_key })).toMatchObject({ status: 201 })
  expect(await served.me.post('/v1/serp-monitors', { ...SEARCH, external_key })).toMatchObject({ status: 201 })
})

test('a monitor from a template takes an external_key and labels', async () => {
  const asked = { url: 'https://example.com/', external_key: 'shop/template', labels: { env: 'prod' } }
  const { status, body } = await served.me.post('/v1/monitors/from-template/generic-full-page', asked)
  expect([status, body]).toMatchObject([201, { external_key: 'shop/template', labels: { env: 'prod' } }])
})

describe.each([
  ['/v1/monitors', MONITOR],
  ['/v1/serp-monitors', SEARCH],
])('labels of records at %s', (path, body) => {
  const names = async (label: string) => {
    const answer = await served.me.get(`${path}?label=${encodeURIComponent(label)}`)
    expect(answer.status).toBe(200)
    return answer.body.data.map(({ name }) => name).filter((name) => /^L\d$/.test(name ?? ''))
  }

  test('filter lists by selectors', async () => {
    for (const [name, labels] of [
      ['L1', { env: 'prod', team: 'web' }],
      ['L2', { env: 'dev' }],
      ['L3', { env: '' }],
      ['L4', {}],
    ] as const)
      expect(await served.me.post(path, { ...body, name, labels })).toMatchObject({ status: 201, body: { labels } })
    for (const [selector, expected] of [
      ['env=prod', ['L1']],
      ['env==dev', ['L2']],
      ['env=', ['L3']],
      ['env', ['L3', 'L2', 'L1']],
      ['!env', ['L4']],
      ['env!=prod', ['L4', 'L3', 'L2']],
      ['env!=prod,env!=dev,env', ['L3']],
      ['env=prod, team=web', ['L1']],
      ['env=prod,team=other', []],
      ['env=prod,env=dev', []],
      ['env,!team', ['L3', 'L2']],
    ] as const)
      expect([selector, new Set(await names(selector))]).toEqual([selector, new Set(expected)])
    const { pagination } = (await served.me.get(`${path}?label=team%3Dweb&limit=1`)).body
    expect(pagination).toMatchObject({ total: 1 })
  })

  test('are replaced as a whole by an edit, which does not reset the baseline', async () => {
    const { id } = (await served.me.post(path, { ...body, labels: { a: '1', b: '2' } })).body
    const edited = await served.me.patch(`${path}/${id}`, { labels: { b: '3' } })
    expect(edited).toMatchObject({ status: 200, body: { labels: { b: '3' } } })
    expect((await served.me.patch(`${path}/${id}`, { labels: {} })).body['labels']).toEqual({})
  })

  test.each([
    [{ 'a b': 'c' }, 'labels["a b"]'],
    [{ 'example.com/a': 'c' }, 'labels["example.com/a"]'],
    [{ a: '-' }, 'labels.a'],
    [{ a: 'b'.repeat(64) }, 'labels.a'],
    [{ a: 1 }, 'labels.a'],
    [null, 'labels'],
    [Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`k${index}`, ''])), 'labels'],
  ])('refuses %j', async (labels, at) => {
    expect(pathsOf(await served.me.post(path, { ...body, labels }))).toEqual([at])
  })

  test.each(['env=a b', '=a', ',', '!env=a', 'env in (a)', '', 'env=a&label=b'])(
    'refuses the selector %j',
    async (text) => {
      const query = text.includes('&') ? `label=${text}` : `label=${encodeURIComponent(text)}`
      expect(pathsOf(await served.me.get(`${path}?${query}`))).toEqual(['label'])
    },
  )
})
