import { sql } from 'slonik'
import Type from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type StatusPart, StatusPages } from '../../../api/status/status-pages.ts'
import { STATUS_LIMITS } from '../../../schema/status/status-limits.ts'
import type { Store } from '../../../store/db/client.ts'
import { row } from '../../../store/db/row.ts'
import { createMonitor } from '../../support/api/monitor-requests.ts'
import { type Client, type ServedApi, serveApi } from '../../support/api/served-api.ts'
import { asStranger, makeStatusPage } from './strangers.ts'

const subject = row({ subject: Type.String() })

let served: ServedApi
let owner: Client
beforeAll(async () => {
  served = await serveApi()
  owner = served.as(served.owner.session_token)
})
afterAll(() => served.close())

async function published(body: object = {}): Promise<string> {
  const { id, slug } = await makeStatusPage(owner, body)
  await owner.post(`/v1/status-pages/${id}/publish`)
  return slug
}

/** Status pages that read the real store, with the number of their statements. Their clock stands until it is moved. */
function counted(roundMs = 0) {
  const { store, log, baseUrl } = served.api.services
  const state = { statements: 0, now: 1_000_000 }
  const counting = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...parts: unknown[]) => {
        state.statements += 1
        return Reflect.apply(value, target, parts)
      }
    },
  }) as Store
  const pages = new StatusPages({ store: counting, log, baseUrl, bounds: { roundMs }, now: () => state.now })
  return { pages, state }
}

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

describe('requests for status pages', () => {
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
