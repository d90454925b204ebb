import { describe, expect, test } from 'vitest'
import { createMonitor, faultsOf } from '../../support/api/monitor-requests.ts'
import { serveApi } from '../../support/api/served-api.ts'
import { refusals, titled } from '../../support/run/case-titles.ts'
import { shared } from '../../support/run/shared.ts'

const served = shared(() => serveApi())

const extract_config = { method: 'json_path', fields: { price: '$.price' } }
const page = { type: 'page', in: 'query', param: 'page' }
const cursor = { type: 'cursor', in: 'query', param: 'after', cursor_path: 'meta.next' }
const inBody = { method: 'POST', body: '{"page":1}' }
const paged = (pagination: object) => ({ method: 'GET', pagination })

const bodyAndPaging = ['request_config.body', 'request_config.pagination.in']

describe('request config', () => {
  test('method is GET by default; the defaults of pagination are filled in', async () => {
    const created = await createMonitor(served.me, { extract_config, request_config: { pagination: page } })
    const pagination = { ...page, start: 1, step: 1, max_pages: 20 }
    expect(created['request_config']).toEqual({ method: 'GET', pagination })
  })

  test.each(
    titled<object>([
      {},
      { method: 'GET' },
      { method: 'POST', body: '{"a":1}' },
      { method: 'PUT', body: 'not JSON' },
      { method: 'PATCH' },
      { method: 'POST', body: 'b'.repeat(100_000) },
      paged({ ...page, start: 0, step: 100, max_pages: 1 }),
      paged({
        ...page,
        max_pages: 50,
        items_path: '$.data.items',
        total_path: 'meta.total',
        has_more_path: 'meta.0.more',
      }),
      paged(cursor),
      paged({ type: 'next_url', next_url_path: 'links.next' }),
      paged({ type: 'link_header' }),
      { ...inBody, pagination: { ...page, in: 'body', param: '$.filter[0].page' } },
      // In the query it is a name, whatever its characters.
      paged({ ...page, param: 'a..b' }),
      paged({ ...page, items_path: '$' }),
    ]),
  )('takes %s', async (_, request_config) => {
    expect(await createMonitor(served.me, { extract_config, request_config })).toMatchObject({ request_config })
  })

  test.each(
    refusals<object>([
      [{ method: 'DELETE' }, ['request_config.method']],
      [{ method: 'post' }, ['request_config.method']],
      [{ method: 'POST', body: 'b'.repeat(100_001) }, ['request_config.body']],
      [{ method: 'POST', body: {} }, ['request_config.body']],
      [{ method: 'GET', body: '' }, ['request_config.body', 'request_config.method']],
      [{ body: '{}' }, ['request_config.body', 'request_config.method']],
      [{ headers: {} }, ['request_config.headers']],
      [paged({}), ['request_config.pagination.type']],
      [paged({ type: 'offset' }), ['request_config.pagination.type']],
      [paged({ type: 'page' }), ['request_config.pagination.in', 'request_config.pagination.param']],
      [paged({ ...page, in: 'header' }), ['request_config.pagination.in']],
      [paged({ ...page, start: -1 }), ['request_config.pagination.start']],
      [paged({ ...page, start: 0.5 }), ['request_config.pagination.start']],
      [paged({ ...page, step: 0 }), ['request_config.pagination.step']],
      [paged({ ...page, items_path: 'a..b' }), ['request_config.pagination.items_path']],
      [paged({ ...cursor, cursor_path: 'a.' }), ['request_config.pagination.cursor_path']],
      [paged({ type: 'next_url', next_url_path: '$..next' }), ['request_config.pagination.next_url_path']],
      [{ ...inBody, pagination: { ...page, in: 'body', param: 'a..b' } }, ['request_config.pagination.param']],
      [{ ...inBody, pagination: { ...page, in: 'body', param: '$' } }, ['request_config.pagination.param']],
      [paged({ ...page, max_pages: 0 }), ['request_config.pagination.max_pages']],
      [paged({ ...page, max_pages: 51 }), ['request_config.pagination.max_pages']],
      [paged({ ...page, cursor_path: 'a' }), ['request_config.pagination.cursor_path']],
      [paged({ type: 'cursor', in: 'query', param: 'a' }), ['request_config.pagination.cursor_path']],
      [paged({ ...cursor, start: 1 }), ['request_config.pagination.start']],
      [paged({ type: 'next_url' }), ['request_config.pagination.next_url_path']],
      [paged({ type: 'link_header', in: 'query' }), ['request_config.pagination.in']],
      [paged({ ...page, in: 'body' }), bodyAndPaging],
      [{ method: 'POST', body: '[1]', pagination: { ...page, in: 'body' } }, bodyAndPaging],
      [{ method: 'POST', body: 'page=1', pagination: { ...page, in: 'body' } }, bodyAndPaging],
    ]),
  )('refuses %s', async (_, request_config, paths) => {
    expect(await faultsOf(served.me, { extract_config, request_config })).toEqual(paths)
  })

  test('it cannot be had together with an enabled visual layer, because it is fetched directly', async () => {
    const request_config = { method: 'GET' }
    expect(await faultsOf(served.me, { request_config, visual_config: { enabled: true } })).toEqual([
      'request_config',
      'visual_config.enabled',
    ])
    await createMonitor(served.me, { request_config, visual_config: { enabled: false } })
    await createMonitor(served.me, { request_config, fetch_mode: 'browser' })
  })
})
