import { describe, expect, test } from 'vitest'
import { shared } from '../../support/run/shared.ts'
import { type Asked, ids, numbers, openPagedService, type Service } from './paged-service.ts'

const service = shared(openPagedService)

const page = { type: 'page', in: 'query', param: 'page' }
const cursor = { type: 'cursor', in: 'query', param: 'after', cursor_path: 'next', items_path: 'items' }
const nextUrl = { type: 'next_url', next_url_path: 'next', items_path: 'items' }
const link = { type: 'link_header' }
const paged = (pagination: object, more: object = {}) => ({ method: 'GET', ...more, pagination })
const ITEMS = { extract_config: { method: 'json_path', fields: { ids: '$.items[*].id', all: '$' } } }

/** Ten a page, by number. */
const byNumber =
  (total: number): Service =>
  ({ query }) => {
    const nth = Number(query.get('page'))
    return { body: ids(nth * 10 - 9, Math.min(total, nth * 10)) }
  }
const asNumbers = (asked: readonly Asked[], name = 'page') => asked.map(({ query }) => query.get(name))

describe('the page type', () => {
  test('warns where the list ends at a short or empty page that says that there is more', async () => {
    const short: Service = ({ query }) => ({ body: { items: ids(1, query.get('page') === '1' ? 9 : 4), more: true } })
    const config = { ...page, items_path: 'items', has_more_path: 'more' }
    const { run } = await service.watch(short, paged(config), ITEMS)
    expect(run).toMatchObject({ status: 'success', warnings: [expect.stringContaining('Page 2 is shorter')] })
    const empty: Service = ({ query }) => ({ body: { items: ids(1, query.get('page') === '1' ? 3 : 0), more: true } })
    expect((await service.watch(empty, paged(config), ITEMS)).run.warnings.join()).toContain('ends there with 3 items')
    const done: Service = ({ query }) => ({ body: { items: ids(1, 3), more: query.get('page') === '1' } })
    expect((await service.watch(done, paged(config), ITEMS)).run.warnings).toEqual([])
  })

  test('counts from 1 by 1, and stops at a page that is shorter than the first', async () => {
    const { run, asked } = await service.watch(byNumber(25), paged(page))
    expect(run).toMatchObject({ status: 'success', fetch_method: 'static', extracted: { ids: numbers(1, 25) } })
    expect(asNumbers(asked)).toEqual(['1', '2', '3'])
  })

  test('stops at a page that comes back empty', async () => {
    const { run, asked } = await service.watch(byNumber(20), paged(page))
    expect(run.extracted['ids']).toEqual(numbers(1, 20))
    expect(asNumbers(asked)).toEqual(['1', '2', '3'])
  })

  test('takes an empty first page for an empty list', async () => {
    const { run, asked } = await service.watch(() => ({ body: [] }), paged(page))
    expect(run).toMatchObject({ status: 'success', extracted: { ids: [], all: [] } })
    expect(asked).toHaveLength(1)
  })

  test('begins at start and goes by step: an offset', async () => {
    const offset: Service = ({ query }) => ({
      body: ids(Number(query.get('offset')) + 1, Math.min(25, Number(query.get('offset')) + 10)),
    })
    const { run, asked } = await service.watch(offset, paged({ ...page, param: 'offset', start: 0, step: 10 }))
    expect(run.extracted['ids']).toEqual(numbers(1, 25))
    expect(asNumbers(asked, 'offset')).toEqual(['0', '10', '20'])
  })

  test('replaces the parameter in the query and leaves the rest of it as it is', async () => {
    const { asked, name } = await service.watch(byNumber(5), paged(page), { path: '?q=a%20b&page=7&z' })
    expect(asked.map(({ url }) => url)).toEqual([`/${name}?q=a%20b&page=1&z`, `/${name}?q=a%20b&page=2&z`])
  })

  test('is put into the body by dot path, with a leading "$." or without, through array indexes too', async () => {
    const body = '{"filters":[{"limit":10,"page":0}],"id":12345678901234567890}'
    for (const param of ['filters.0.page', '$.filters.0.page']) {
      const serve: Service = (asked) => {
        const nth = (JSON.parse(asked.body) as { filters: [{ page: number }] }).filters[0].page
        return { body: ids(nth * 10 - 9, Math.min(12, nth * 10)) }
      }
      const { run, asked } = await service.watch(serve, paged({ ...page, in: 'body', param }, { method: 'POST', body }))
      expect(run.extracted['ids']).toEqual(numbers(1, 12))
      expect(asked.map((one) => one.body)).toEqual([1, 2].map((nth) => body.replace('"page":0', `"page":${nth}`)))
      expect(asked.map(({ headers }) => headers['content-type'])).toEqual(['application/json', 'application/json'])
    }
  })

  test('makes the objects that are missing on the way into the body', async () => {
    const { asked } = await service.watch(
      () => ({ body: [] }),
      paged({ ...page, in: 'body', param: 'a.b' }, { method: 'PUT', body: '{}' }),
    )
    expect(asked.map((one) => one.body)).toEqual(['{"a":{"b":1}}'])
  })

  test('fails where the dot path leads through something else', async () => {
    const { run, asked } = await service.watch(
      () => ({ body: [] }),
      paged({ ...page, in: 'body', param: 'a.b' }, { method: 'PUT', body: '{"a":1}' }),
    )
    expect(run).toMatchObject({ status: 'error', error_code: 'bad_rule' })
    expect(asked).toEqual([])
  })
})

describe('the cursor type', () => {
  const byCursor: Service = ({ query }) => {
    const from = Number(query.get('after') ?? 0)
    return { body: { items: ids(from + 1, from + 2), next: from < 4 ? String(from + 2) : null } }
  }

  test('sends the first request as it is, then the cursor, until there is none', async () => {
    const { run, asked, name } = await service.watch(byCursor, paged(cursor), { ...ITEMS, path: '?size=2' })
    expect(run.extracted['ids']).toEqual(numbers(1, 6))
    expect(asked.map(({ url }) => url)).toEqual(['', '&after=2', '&after=4'].map((more) => `/${name}?size=2${more}`))
  })

  test('stops when the cursor repeats', async () => {
    const { run, asked } = await service.watch(
      (_, nth) => ({ body: { items: ids(nth, nth), next: 'same' } }),
      paged(cursor),
      ITEMS,
    )
    expect(run.extracted['ids']).toEqual([1, 2])
    expect(asked).toHaveLength(2)
  })

  test('stops when cursors go in a circle', async () => {
    const { run } = await service.watch(
      (_, nth) => ({ body: { items: ids(nth, nth), next: `c${nth % 3}` } }),
      paged(cursor),
      ITEMS,
    )
    expect(run.extracted['ids']).toEqual([1, 2, 3, 4])
  })

  test('is put into the body by dot path; the first body is as it is', async () => {
    const serve: Service = ({ body }) => {
      const { after } = (JSON.parse(body) as { page: { after?: string } }).page
      return { body: { items: ids(1, 1), next: after === undefined ? 'x"y' : null } }
    }
    const body = '{"page":{"size":1}}'
    const { run, asked } = await service.watch(
      serve,
      paged({ ...cursor, in: 'body', param: 'page.after' }, { method: 'POST', body }),
      ITEMS,
    )
    expect(run.status).toBe('success')
    expect(asked.map((one) => one.body)).toEqual([body, String.raw`{"page":{"after":"x\"y","size":1}}`])
  })
})

describe('the next_url type', () => {
  test('follows absolute and relative URLs until there is none', async () => {
    const { run, asked, name } = await service.watch(
      ({ headers, url }, nth) => ({
        body: { items: ids(nth, nth), next: [`http://${headers.host}${url}/b`, 'c', '?d=1', undefined][nth - 1] },
      }),
      paged(nextUrl),
      ITEMS,
    )
    expect(run.extracted['ids']).toEqual([1, 2, 3, 4])
    expect(asked.map(({ url }) => url)).toEqual(['', '/b', '/c', '/c?d=1'].map((path) => `/${name}${path}`))
  })

  test.each([
    ['null', null],
    ['an empty text', ''],
    ['false', false],
  ])('takes %s for none', async (_, next) => {
    const { run, asked } = await service.watch(() => ({ body: { items: ids(1, 1), next } }), paged(nextUrl), ITEMS)
    expect(run.status).toBe('success')
    expect(asked).toHaveLength(1)
  })

  test('stops when the URL repeats, its own or one before', async () => {
    for (const next of ['?', '?p=2', '?p=2#x']) {
      const { run, asked } = await service.watch(
        (_, nth) => ({ body: { items: ids(nth, nth), next } }),
        paged(nextUrl),
        ITEMS,
      )
      expect(run.status).toBe('success')
      expect(asked.length).toBeLessThanOrEqual(2)
    }
  })

  test('sends method and body again', async () => {
    const serve: Service = (_, nth) => ({ body: { items: ids(nth, nth), next: nth === 1 ? '?p=2' : null } })
    const { asked } = await service.watch(serve, paged(nextUrl, { method: 'POST', body: '{"a":1}' }), ITEMS)
    expect(asked).toMatchObject([
      { method: 'POST', body: '{"a":1}' },
      { method: 'POST', body: '{"a":1}' },
    ])
  })
})

describe('the link_header type', () => {
  test('follows rel="next" of the Link header, relative or not, until there is none', async () => {
    const { run, asked, name } = await service.watch(
      ({ headers, url }, nth) => ({
        headers: {
          link: [
            '<?p=0>; rel="prev"',
            ...([[`<http://${headers.host}${url}/b>; rel="next"`], ['<?p=3>; rel=next, <?p=9>; rel="last"']][nth - 1] ??
              []),
          ],
        },
        body: ids(nth, nth),
      }),
      paged(link),
    )
    expect(run.extracted['ids']).toEqual([1, 2, 3])
    expect(asked.map(({ url }) => url)).toEqual(['', '/b', '/b?p=3'].map((path) => `/${name}${path}`))
  })

  test('stops when the link repeats', async () => {
    const serve: Service = (_, nth) => ({ headers: { link: '<?p=2>; rel="next"' }, body: ids(nth, nth) })
    const { run } = await service.watch(serve, paged(link))
    expect(run.extracted['ids']).toEqual([1, 2])
  })
})

describe('paging of every type', () => {
  const all: readonly (readonly [string, object, (nth: number) => object])[] = [
    ['page', { ...page, items_path: 'items' }, () => ({})],
    ['cursor', cursor, (nth) => ({ next: `c${nth}` })],
    ['next_url', nextUrl, (nth) => ({ next: `?p=${nth + 1}` })],
    ['link_header', { ...link, items_path: 'items' }, () => ({})],
  ]
  const serve =
    (of: (nth: number) => object, more: (nth: number) => object): Service =>
    (_, nth) => ({
      headers: { link: `<?p=${nth + 1}>; rel="next"` },
      body: { items: ids(nth * 2 - 1, nth * 2), ...of(nth), ...more(nth) },
    })

  test.each(all)('%s stops at a page that comes back empty', async (_, pagination, of) => {
    const { run, asked } = await service.watch(
      serve(of, (nth) => (nth === 3 ? { items: [] } : {})),
      paged(pagination),
      ITEMS,
    )
    expect(run.extracted['ids']).toEqual([1, 2, 3, 4])
    expect(asked).toHaveLength(3)
  })

  test.each(all)('%s stops when the has-more flag is false, with the items of that page', async (_, pagination, of) => {
    const { run, asked } = await service.watch(
      serve(of, (nth) => ({ meta: [{ more: nth < 3 }] })),
      paged({ ...pagination, has_more_path: '$.meta.0.more' }),
      ITEMS,
    )
    expect(run.extracted['ids']).toEqual(numbers(1, 6))
    expect(asked).toHaveLength(3)
  })

  test.each(all)('%s stops when the total is reached', async (_, pagination, of) => {
    const { run, asked } = await service.watch(
      serve(of, () => ({ meta: { total: 4 } })),
      paged({ ...pagination, total_path: 'meta.total' }),
      ITEMS,
    )
    expect(run.extracted['ids']).toEqual(numbers(1, 4))
    expect(asked).toHaveLength(2)
  })

  test.each(all)('%s fails when max_pages cuts the list short', async (_, pagination, of) => {
    const { run, asked } = await service.watch(
      serve(of, () => ({})),
      paged({ ...pagination, max_pages: 3 }),
      ITEMS,
    )
    expect(run).toMatchObject({ status: 'error', error_code: 'too_large', extracted: {} })
    expect(run.error_message).toContain('after 3 pages (6 items)')
    expect(asked).toHaveLength(3)
  })

  test.each(all)('%s asks for 20 pages at most when max_pages is not given', async (_, pagination, of) => {
    const { run, asked } = await service.watch(
      serve(of, () => ({})),
      paged(pagination),
      ITEMS,
    )
    expect(run.status).toBe('error')
    expect(asked).toHaveLength(20)
  })

  test.each(all)('%s: a list that ends with the last page allowed is whole', async (_, pagination, of) => {
    const { run } = await service.watch(
      serve(of, (nth) => ({ more: nth < 2 })),
      paged({ ...pagination, has_more_path: 'more', max_pages: 2 }),
      ITEMS,
    )
    expect(run.extracted['ids']).toEqual(numbers(1, 4))
  })

  test.each(all)('%s fails when a page is non-2xx, and names it', async (_, pagination, of) => {
    for (const [status, error_code] of [
      [404, 'http_status'],
      [500, 'http_status'],
      [403, 'blocked'],
      [429, 'blocked'],
    ] as const) {
      const ok = serve(of, () => ({}))
      const { run } = await service.watch(
        (asked, nth) => (nth === 2 ? { status, body: [] } : ok(asked, nth)),
        paged(pagination),
        ITEMS,
      )
      expect(run).toMatchObject({ status: 'error', error_code, extracted: {} })
      expect(run.error_message).toMatch(new RegExp(`^Page 2: .*status ${status}`))
    }
  })

  test.each(all)('%s fails when a page has no items array, and names it', async (_, pagination, of) => {
    for (const items of [undefined, null, {}, 'text', 7]) {
      const { run } = await service.watch(
        serve(of, (nth) => (nth === 2 ? { items } : {})),
        paged(pagination),
        ITEMS,
      )
      expect(run).toMatchObject({ status: 'error', error_code: 'wrong_type', extracted: {} })
      expect(run.error_message).toMatch(/^Page 2: There is no items array at "items"/)
    }
  })
})

describe('what was merged', () => {
  test('is the first response with all items instead of its own', async () => {
    const serve: Service = (_, nth) => ({
      body: { note: `page ${nth}`, data: { list: ids(nth, nth), size: 1 }, more: nth < 3 },
    })
    const { run } = await service.watch(serve, paged({ ...page, items_path: '$.data.list', has_more_path: 'more' }))
    expect(run.extracted['all']).toEqual({ note: 'page 1', data: { list: ids(1, 3), size: 1 }, more: true })
  })

  test('is one array where the responses are arrays', async () => {
    const { run } = await service.watch(byNumber(12), paged(page))
    expect(run.extracted['all']).toEqual(ids(1, 12))
  })

  test('keeps numbers that no double can hold', async () => {
    const serve: Service = (_, nth) => ({ body: nth === 3 ? '[]' : `[{"id":1000000000000000000${nth}}]` })
    const { run } = await service.watch(serve, paged(page), {
      extract_config: { method: 'regex', fields: { last: '.*"id":(\\d+)' } },
    })
    expect(run.extracted['last']).toBe('10000000000000000002')
  })

  test('keeps them for json_path too: a change of the last digit is seen', async () => {
    const serve =
      (last: string): Service =>
      (_, nth) => ({ body: nth % 2 === 0 ? '[]' : `[{"id":1000000000000000000${last}},{"id":7}]` })
    const { again } = await service.watch(serve('1'), paged(page))
    expect(await again(serve('2'))).toMatchObject({
      diff: { before: { ids: ['10000000000000000001', 7] }, after: { ids: ['10000000000000000002', 7] } },
    })
  })

  test('is unchanged when no page has changed, and a change on a later page is seen', async () => {
    const serve =
      (last: string): Service =>
      ({ query }) => ({ body: query.get('page') === '1' ? [{ id: 'a' }, { id: 'b' }] : [{ id: last }] })
    const { again } = await service.watch(serve('c'), paged(page))
    expect(await again()).toMatchObject({ status: 'success', diff: {} })
    expect(await again(serve('d'))).toMatchObject({
      diff: { after: { ids: ['a', 'b', 'd'] }, before: { ids: ['a', 'b', 'c'] } },
    })
  })

  test('nothing of it is saved when a page fails: the next good run is compared with the last good one', async () => {
    const serve =
      (second: object): Service =>
      ({ query }) =>
        query.get('page') === '1' ? { body: ids(1, 2) } : { body: [], ...second }
    const { again } = await service.watch(serve({ body: ids(3, 3) }), paged(page))
    expect(await again(serve({ status: 500 }))).toMatchObject({ status: 'error', extracted: {}, diff: {} })
    expect(await again(serve({ body: ids(3, 3) }))).toMatchObject({ status: 'success', diff: {} })
  })
})

describe('a preview', () => {
  test('reads every page as a run does', async () => {
    const shown = await service.preview(byNumber(25), paged(page))
    expect(shown).toMatchObject({
      status: 'success',
      fields: { ids: numbers(1, 25) },
      fetch_method: 'static',
      http_status: 200,
      content_type: 'application/json',
      bytes: JSON.stringify(ids(1, 25)).length,
    })
  })

  test('fails as a run does', async () => {
    expect(await service.preview(byNumber(25), paged({ ...page, max_pages: 2 }))).toMatchObject({
      status: 'error',
      fields: {},
      error_code: 'too_large',
    })
  })
})
