import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type StatusBounds, type StatusPart, StatusPages } from '../../../api/status/status-pages.ts'
import { STATUS_LIMITS } from '../../../schema/status/status-limits.ts'
import type { Store } from '../../../store/db/client.ts'
import { row } from '../../../store/db/row.ts'
import { createMonitor } from '../../support/api/monitor-requests.ts'
import { type Client, type ServedApi, serveApi } from '../../support/api/served-api.ts'
import { asStranger, makeStatusPage } from './strangers.ts'

const subject = row({ subject: Type.String() })
const identified = row({ id: Type.String() })
const paged = row({ id: Type.String(), slug: Type.String() })

let served: ServedApi
let owner: Client
beforeAll(async () => {
  served = await serveApi()
  owner = served.as(served.owner.session_token)
})
afterAll(() => served.close())

const store = () => served.api.services.store

async function published(body: object = {}): Promise<string> {
  const { id, slug } = await makeStatusPage(owner, body)
  await owner.post(`/v1/status-pages/${id}/publish`)
  return slug
}

/** Instead of a statement of the store, which is called with the text and the values of each. */
type Before = (sql: string, values: readonly unknown[]) => Promise<void> | void

/** Status pages that read the real store, with the number of their statements. Their clock stands until it is moved. */
function counted({
  bounds = {},
  before = () => {},
}: { readonly bounds?: StatusBounds; readonly before?: Before } = {}) {
  const { store, log, baseUrl } = served.api.services
  const state = { statements: 0, now: 1_000_000 }
  const counting = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return async (query: { readonly sql: string; readonly values: readonly unknown[] }) => {
        state.statements += 1
        await before(query.sql, query.values)
        return Reflect.apply(value, target, [query])
      }
    },
  }) as Store
  const pages = new StatusPages({
    ...{ store: counting, log, baseUrl, bounds: { roundMs: 0, ...bounds } },
    now: () => state.now,
  })
  return { pages, state }
}

/** Holds statements that read what pages show back, until they are let go. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return {
    before: (text: string) => (text.includes('from status_pages p join teams') ? promise : undefined),
    open: resolve,
  }
}

const slugsOf = (values: readonly unknown[]) => values.flat().filter((value) => typeof value === 'string')

describe('status pages that many look at', () => {
  test('cost the store two statements for all who look at once, and none while they are fresh', async () => {
    const slug = await published()
    const { pages, state } = counted()
    const all = await Promise.all(Array.from({ length: 500 }, async () => pages.find(slug, 'page')))
    expect(new Set(all).size).toBe(1)
    expect(state.statements).toBe(2)
    state.now += STATUS_LIMITS.renewMs - 1
    for (let nth = 0; nth < 500; nth += 1) await pages.find(slug, 'page')
    expect(state.statements).toBe(2)
  })

  test('are read together, whichever they are', async () => {
    const { id } = await createMonitor(owner)
    const shows = { by: 'monitors', monitors: [{ monitor_id: id, name: 'Prices' }] }
    const slugs = [await published({ shows }), await published({ shows }), 'there-is-none']
    const { pages, state } = counted()
    const found = async (slug: string, part: StatusPart) => pages.find(slug, part)
    await pages.find('begins-a-round', 'page')
    const before = state.statements
    const asked = slugs.flatMap((slug) => [found(slug, 'page'), found(slug, 'feed')])
    const files = await Promise.all(asked)
    expect(files.map((file) => file !== null && file !== 'busy')).toEqual([true, true, true, true, false, false])
    // Pages, monitors, changes.
    expect(state.statements - before).toBe(3)
  })

  test('are renewed behind a request before they are old, and waited for when they are', async () => {
    const { id, slug } = await makeStatusPage(owner, { title: 'Before' })
    await owner.post(`/v1/status-pages/${id}/publish`)
    const { pages, state } = counted()
    const titleNow = async () => {
      const file = await pages.find(slug, 'page')
      if (file === null || file === 'busy') return file
      return /<bdi>(.*?)<\/bdi>/.exec(file.content.toString())?.[1]
    }
    expect(await titleNow()).toBe('Before')
    await owner.patch(`/v1/status-pages/${id}`, { title: 'After' })
    state.now += STATUS_LIMITS.renewMs
    expect(await titleNow()).toBe('Before')
    await pages.find('waits-for-the-round', 'page')
    expect(await titleNow()).toBe('After')
    await owner.post(`/v1/status-pages/${id}/unpublish`)
    state.now += STATUS_LIMITS.freshMs
    expect(await titleNow()).toBeNull()
  })

  test('wait for their turn up to a number, and are refused beyond it', async () => {
    const { pages } = counted()
    const first = pages.find('first', 'page')
    const asked = Array.from({ length: STATUS_LIMITS.waiting + 1 }, (_, nth) => pages.find(`none-${nth}`, 'page'))
    expect(asked.filter((one) => one === 'busy')).toHaveLength(1)
    for (const one of [first, ...asked.slice(0, 3)]) expect(await one).toBeNull()
    expect(await asked.at(-2)).toBeNull()
  })
})

describe('one status page', () => {
  test('that is changed leaves the others as they are kept', async () => {
    const [changed, other] = [await published(), await published()]
    const { pages, state } = counted()
    const [before, kept] = [await pages.find(changed, 'page'), await pages.find(other, 'page')]
    const { statements } = state
    pages.forget(changed)
    expect(await pages.find(other, 'page')).toBe(kept)
    expect(state.statements).toBe(statements)
    expect(await pages.find(changed, 'page')).not.toBe(before)
    expect(state.statements).toBe(statements + 2)
  })

  test('that cannot be read fails alone, and is not read again for a while', async () => {
    const [broken, whole] = [await published(), await published()]
    const id = await store().oneFirst(sql.type(identified)`select id from status_pages where slug = ${broken}`)
    const { pages, state } = counted({
      before: (_text, values) => {
        if (values.flat().includes(id)) throw new Error('the statement failed')
      },
    })
    await pages.find('begins-a-round', 'page')
    const found = await Promise.all([broken, whole].map(async (slug) => pages.find(slug, 'page')))
    expect([found[0], typeof found[1]]).toEqual(['busy', 'object'])
    const { statements } = state
    expect(await pages.find(broken, 'page')).toBe('busy')
    // Only whether it is there.
    expect(state.statements).toBe(statements + 1)
    state.now += STATUS_LIMITS.heldBackMs
    await pages.find(broken, 'page')
    expect(state.statements).toBe(statements + 3)
  })

  test('is waited for no longer than some seconds', async () => {
    const slug = await published()
    const { before, open } = gate()
    const { pages } = counted({ bounds: { waitMs: 1 }, before })
    expect(await pages.find(slug, 'page')).toBe('busy')
    open()
  })
})

describe('a round', () => {
  test('reads those that wait longest first, and what somebody waits for before what is renewed', async () => {
    const many = [await published(), await published(), await published()]
    const [renewed, waited] = [await published(), await published()]
    const order: string[] = []
    const { pages, state } = counted({
      bounds: { perRound: many.length },
      before: (text, values) => {
        if (text.includes('with asked')) order.push(...slugsOf(values))
      },
    })
    await pages.find(renewed, 'page')
    state.now += STATUS_LIMITS.renewMs
    const first = pages.find('begins-a-round', 'page')
    order.length = 0
    const asked = [renewed, ...many, waited].map(async (slug) => pages.find(slug, 'page'))
    await first
    await Promise.all(asked)
    const ids = await store().any(sql.type(paged)`select id, slug from status_pages`)
    const slugs = order.map((id) => ids.find((one) => one.id === id)?.slug)
    expect(slugs).toEqual([...many, waited, renewed])
  })

  test('does not begin after the end, and leaves nobody waiting', async () => {
    const { pages } = counted({ bounds: { roundMs: 60_000 } })
    await pages.find('begins-a-round', 'page')
    const waiting = pages.find('comes-later', 'page')
    pages.close()
    expect(await waiting).toBe('busy')
    expect(pages.find('comes-after', 'page')).toBe('busy')
  })
})

describe('requests for status pages', () => {
  test('with a text that cannot be a slug are answered without a round', async () => {
    const { statusPages } = served.api.services
    const find = vi.spyOn(statusPages, 'find')
    try {
      for (const end of ['a', 'Shop', 'docs', 'a%20b', "x'%20or%201=1"])
        expect((await served.api.app.inject({ url: `/status/${end}` })).statusCode).toBe(404)
      expect(find).not.toHaveBeenCalled()
    } finally {
      find.mockRestore()
    }
  })

  test('have a limit a minute and address of their own, which no statement counts', async () => {
    const own = await serveApi()
    try {
      const slugs = ['one', 'two']
      const statuses: number[] = []
      for (let nth = 0; nth <= STATUS_LIMITS.perMinute; nth += 1) {
        // The same count for all pages, so that nobody tries addresses one by one.
        const at = nth === 0 ? '/status/one/feed.xml' : `/status/${slugs[nth % 2]}`
        statuses.push((await own.api.app.inject({ url: at })).statusCode)
        if (nth === 2) own.api.services.statusPages.find = () => Promise.resolve(null)
      }
      expect(new Set(statuses.slice(0, -1))).toEqual(new Set([404]))
      expect(statuses.at(-1)).toBe(429)
      expect(await own.api.services.store.anyFirst(sql.type(subject)`select subject from rate_limits`)).toEqual([])
      expect(await asStranger(`${own.baseUrl}/sign-in`)).toMatchObject({ status: 200 })
    } finally {
      await own.close()
    }
  })
})
