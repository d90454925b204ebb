import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { SerpEngine } from '../../schema/serp/serp-search.ts'
import type { Queryable, Store } from '../db/client.ts'
import { nothing, rowOf } from '../db/row.ts'
import type { ObjectStore } from './object-store.ts'

interface Places {
  readonly store: Store
  readonly objects: ObjectStore
}

/** A page of a search engine that was not recognized. */
interface NewUnreadPage {
  readonly engine: SerpEngine
  /** The reason for the outcome, in words for the admin. */
  readonly marker: string
  readonly runId: string
  /** Compressed with gzip. It comes from a runner: nobody opens it but the admin of the installation. */
  readonly page: Uint8Array
}

const UnreadPage = Type.Object({
  engine: Type.String(),
  marker: Type.String(),
  run_id: Type.String(),
  seen_at: Type.String(),
})

const unreadPage = rowOf(UnreadPage)

/** Days for which such a page is kept. */
const DAYS = 7

const nameOf = (engine: string) => `serp/unparsed/${engine}.gz`

/** Keeps the page, in place of the engine's last one. */
export async function keepUnreadPage({ store, objects }: Places, page: NewUnreadPage): Promise<void> {
  await objects.put(nameOf(page.engine), page.page)
  await store.query(sql.type(nothing)`
    insert into serp_unread (engine, marker, run_id, seen_at)
    values (${page.engine}, ${page.marker}, ${page.runId}::uuid, clock())
    on conflict (engine) do update
    set marker = excluded.marker, run_id = excluded.run_id, seen_at = excluded.seen_at
  `)
}

/** Returns what is known of the pages that are kept, the newest first. */
export const listUnreadPages = (store: Queryable): Promise<readonly Static<typeof UnreadPage>[]> =>
  store.any(sql.type(unreadPage)`
    select engine, marker, run_id, seen_at from serp_unread
    where seen_at > clock() - make_interval(days => ${DAYS})
    order by seen_at desc, engine
  `)

/** Returns the page of an engine, compressed with gzip; null: none is kept. */
export async function findUnreadPage({ store, objects }: Places, engine: string): Promise<Uint8Array | null> {
  const pages = await listUnreadPages(store)
  return pages.some((page) => page.engine === engine) ? objects.get(nameOf(engine)) : null
}

/** Deletes pages whose days are over. Throws when the object store is unavailable: the next sweep does the rest. */
export async function sweepUnreadPages({ store, objects }: Places): Promise<void> {
  const old = await store.any(sql.type(unreadPage)`
    select engine, marker, run_id, seen_at from serp_unread
    where seen_at <= clock() - make_interval(days => ${DAYS})
  `)
  for (const { engine, seen_at: seenAt } of old) {
    await objects.remove(nameOf(engine))
    await store.query(sql.type(nothing)`
      delete from serp_unread where engine = ${engine} and seen_at = ${seenAt}::timestamptz
    `)
  }
}
