import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { pathsOf, readPage } from '../../../../runners/fetch/paging/page-facts.ts'
import { beginPaging, nextStep } from '../../../../runners/fetch/paging/paging.ts'
import type { Step } from '../../../../runners/fetch/paging/paging.ts'
import type { Pagination } from '../../../../schema/monitor/request-config.ts'

interface Page {
  readonly body: unknown
  readonly link?: string
}
interface Asked {
  readonly url: string
  readonly body: string | null
  readonly sameOrigin: boolean
}

const URL_OF_LIST = 'https://api.example/list?q=a%20b'

/** Pages by a server in memory. Answers the requests, the items and how it ended. */
function walkPages(pagination: Pagination, serve: (asked: Asked, nth: number) => Page, body: string | null = null) {
  const requests: Asked[] = []
  const items: unknown[] = []
  let step: Step = beginPaging(pagination, URL_OF_LIST, body)
  while (step.kind === 'ask') {
    const { asked } = step.paging
    requests.push(asked)
    if (requests.length > 60) throw new Error('it does not end')
    const page = serve(asked, requests.length)
    const answer = { body: Buffer.from(JSON.stringify(page.body)), contentType: 'application/json' }
    const read = readPage(answer, pathsOf(pagination), requests.length)
    if (!read.ok) return { requests, items, end: read.fault.message }
    items.push(...(JSON.parse(`[${read.facts.items}]`) as unknown[]))
    step = nextStep(step.paging, { facts: read.facts, finalUrl: asked.url, link: page.link ?? null })
  }
  return { requests, items, end: step.kind === 'failed' ? step.fault.message : 'done' }
}

const list = (count: number) => Array.from({ length: count }, (_, i) => i)
const slices = fc.record({
  total: fc.nat(30),
  size: fc.integer({ min: 1, max: 7 }),
  max: fc.integer({ min: 1, max: 50 }),
})

/**
 * An honest service is read whole, or fails for max_pages; never in part, and never with a request more than the rules
 * need.
 */
function honest(
  given: { total: number; size: number; max: number },
  needed: number,
  walked: ReturnType<typeof walkPages>,
) {
  if (needed > given.max) {
    expect(walked.end).toContain('max_pages')
    expect(walked.requests).toHaveLength(given.max)
  } else {
    expect(walked.end).toBe('done')
    expect(walked.items).toEqual(list(given.total))
    expect(walked.requests).toHaveLength(needed)
  }
}

describe('paging of an honest service gives every item once, in as few requests as the rules allow', () => {
  test('by page number, until a page is shorter than the first or empty', () => {
    fc.assert(
      fc.property(slices, fc.nat(3), (given, start) => {
        const { total, size, max } = given
        const pagination: Pagination = { type: 'page', in: 'query', param: 'p', start, step: 1, max_pages: max }
        const walked = walkPages(pagination, ({ url }) => {
          const page = Number(new URL(url).searchParams.get('p')) - start
          return { body: list(total).slice(page * size, (page + 1) * size) }
        })
        // A first page that is not full is no shorter than itself: only the second says that there is no more.
        const needed = total === 0 ? 1 : Math.max(2, Math.floor(total / size) + 1)
        honest(given, needed, walked)
      }),
    )
  })

  test('by offset in the body, until the total is reached', () => {
    fc.assert(
      fc.property(slices, (given) => {
        const { total, size, max } = given
        const pagination: Pagination = {
          type: 'page',
          in: 'body',
          param: 'filter.offset',
          start: 0,
          step: size,
          max_pages: max,
          items_path: 'd.items',
          total_path: 'd.total',
        }
        const serve = ({ body }: Asked): Page => {
          const { offset } = (JSON.parse(body ?? '') as { filter: { offset: number } }).filter
          return { body: { d: { items: list(total).slice(offset, offset + size), total } } }
        }
        honest(given, Math.max(1, Math.ceil(total / size)), walkPages(pagination, serve, '{"filter":{"x":1}}'))
      }),
    )
  })

  test('by cursor, until there is none', () => {
    fc.assert(
      fc.property(slices, fc.boolean(), fc.constantFrom(undefined, null, '', false), (given, asNumber, none) => {
        const { total, size, max } = given
        const pagination: Pagination = {
          type: 'cursor',
          in: 'query',
          param: 'after',
          cursor_path: 'next',
          items_path: 'items',
          max_pages: max,
        }
        const walked = walkPages(pagination, ({ url }) => {
          const from = Number(new URL(url).searchParams.get('after') ?? 0)
          const to = from + size
          return { body: { items: list(total).slice(from, to), next: to >= total ? none : asNumber ? to : String(to) } }
        })
        honest(given, Math.max(1, Math.ceil(total / size)), walked)
      }),
    )
  })

  test.each(['next_url', 'link_header'] as const)('by %s, until there is none', (type) => {
    fc.assert(
      fc.property(slices, (given) => {
        const { total, size, max } = given
        const rest = { items_path: 'items', max_pages: max }
        const pagination: Pagination =
          type === 'next_url' ? { type, next_url_path: 'links.next', ...rest } : { type, ...rest }
        const walked = walkPages(pagination, ({ url }) => {
          const from = Number(new URL(url).searchParams.get('from') ?? 0)
          const next = from + size < total ? `?from=${from + size}` : undefined
          return { body: { items: list(total).slice(from, from + size), links: { next } }, ...(next && { link: next }) }
        })
        honest(given, Math.max(1, Math.ceil(total / size)), walked)
      }),
    )
  })
})

test('whatever a service answers, paging ends within max_pages requests', () => {
  const wild = fc.record({
    items: fc.oneof(fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 4 }), fc.jsonValue({ maxDepth: 1 })),
    total: fc.oneof(fc.integer(), fc.constantFrom('9', 1e300, null, true, '1e9')),
    more: fc.oneof(fc.boolean(), fc.constantFrom('false', 0, null)),
    next: fc.oneof(fc.webUrl(), fc.string(), fc.jsonValue({ maxDepth: 1 })),
  })
  const type = fc.constantFrom<Pagination>(
    { type: 'page', in: 'query', param: 'p' },
    { type: 'page', in: 'body', param: 'a.b' },
    { type: 'cursor', in: 'query', param: 'c', cursor_path: 'next' },
    { type: 'cursor', in: 'body', param: 'c.d', cursor_path: 'next' },
    { type: 'next_url', next_url_path: 'next' },
  )
  fc.assert(
    fc.property(
      type,
      fc.array(wild, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 8 }),
      (base, pages, max) => {
        const pagination = {
          ...base,
          items_path: 'items',
          total_path: 'total',
          has_more_path: 'more',
          max_pages: max,
        } as Pagination
        const walked = walkPages(pagination, (_, nth) => ({ body: pages[(nth - 1) % pages.length] }), '{}')
        expect(walked.requests.length).toBeLessThanOrEqual(max)
        for (const { url } of walked.requests) expect(() => new URL(url)).not.toThrow()
      },
    ),
    { numRuns: 300 },
  )
})

describe('a next URL on another origin', () => {
  const pagination: Pagination = { type: 'next_url', next_url_path: 'next', items_path: 'i' }
  const through = (...urls: string[]) =>
    walkPages(pagination, (_, nth) => ({ body: { i: [nth], next: urls[nth - 1] } })).requests.map(
      (one) => one.sameOrigin,
    )

  test('is asked without the headers of the user', () => {
    expect(through('https://api.example/2', 'https://other.example/3')).toEqual([true, true, false])
    expect(through('http://api.example/2')).toEqual([true, false])
    expect(through('https://api.example:8443/2')).toEqual([true, false])
  })

  test('and they stay off on the way back', () => {
    expect(through('https://other.example/2', 'https://api.example/3')).toEqual([true, false, false])
  })

  test('is not asked at all where a body would go with it', () => {
    const walked = walkPages(pagination, () => ({ body: { i: [1], next: 'https://other.example/2' } }), '{}')
    expect(walked.requests).toHaveLength(1)
    expect(walked.end).toContain('Page 2: ')
  })
})

describe('a cursor', () => {
  const query: Pagination = { type: 'cursor', in: 'query', param: 'after', cursor_path: 'next', items_path: 'i' }
  const body: Pagination = { ...query, in: 'body' }
  const once = (pagination: Pagination, next: string) => {
    const answer = { body: Buffer.from(`{"i":[1],"next":${next}}`), contentType: null }
    const read = readPage(answer, pathsOf(pagination), 1)
    const begun = beginPaging(pagination, URL_OF_LIST, '{"n":10000000000000000001}')
    if (!read.ok || begun.kind !== 'ask') throw new Error('not read')
    const step = nextStep(begun.paging, { facts: read.facts, finalUrl: URL_OF_LIST, link: null })
    return step.kind === 'ask' ? step.paging.asked : step
  }

  test('that no double can hold is sent back digit by digit, and the body around it stays as it is', () => {
    expect(once(query, '10000000000000000003')).toMatchObject({ url: `${URL_OF_LIST}&after=10000000000000000003` })
    expect(once(body, '10000000000000000003')).toMatchObject({
      body: '{"after":10000000000000000003,"n":10000000000000000001}',
    })
  })

  test('may be any JSON in a body, and text or a number in a query', () => {
    expect(once(body, '{"id":[1]}')).toMatchObject({ body: '{"after":{"id":[1]},"n":10000000000000000001}' })
    expect(once(query, '{"id":[1]}')).toMatchObject({ kind: 'failed', fault: { code: 'wrong_type' } })
    expect(once(query, 'true')).toMatchObject({ kind: 'failed' })
    expect(once(query, '0')).toMatchObject({ url: `${URL_OF_LIST}&after=0` })
  })

  test('that is a book is not sent back', () => {
    expect(once(body, JSON.stringify('x'.repeat(300_000)))).toMatchObject({ fault: { code: 'too_large' } })
  })
})

describe('items', () => {
  const count = (json: string, paths: { items?: string; total?: string } = {}) => {
    const read = readPage(
      { body: Buffer.from(json), contentType: null },
      { items: null, total: null, hasMore: null, next: null, ...paths },
      2,
    )
    return read.ok ? read.facts : read.fault
  }

  test('of deep nesting are refused before they are parsed', () => {
    expect(count(`[${'['.repeat(100_000)}${']'.repeat(100_000)}]`)).toMatchObject({
      code: 'too_complex',
      message: expect.stringMatching(/^Page 2: /),
    })
  })

  test('that are too many are refused before they are parsed', () => {
    expect(count(`[${'1,'.repeat(300_000)}1]`)).toMatchObject({ code: 'too_complex' })
  })

  test('keep the text that they were sent as', () => {
    expect(count('[ {"id": 12345678901234567890 , "id":1.0} , "\\u00e9" ]')).toMatchObject({
      count: 2,
      items: ' {"id": 12345678901234567890 , "id":1.0} , "\\u00e9" ',
    })
  })

  test.each(['{}', '1', 'null', '"[]"', 'true'])('are not in %s', (json) => {
    expect(count(json)).toMatchObject({ code: 'wrong_type', message: expect.stringMatching(/^Page 2: .*items_path/) })
  })

  test.each(['', '<html>', '[1,', '[1] x', "['a']"])('are not in %s, which is no JSON', (json) => {
    expect(count(json)).toMatchObject({ code: 'wrong_type', message: expect.stringContaining('not JSON') })
  })

  test.each([
    ['7', 7],
    ['"7"', 7],
    ['-1', null],
    ['1.5', null],
    ['1e9', null],
    ['null', null],
    ['"many"', null],
    ['[7]', null],
  ])('have a total of %s: %s', (json, total) => {
    expect(count(`{"i":[],"t":${json}}`, { items: 'i', total: 't' })).toMatchObject({ total })
  })
})
