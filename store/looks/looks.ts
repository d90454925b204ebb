import { sql } from 'slonik'
import Type from 'typebox'
import { LOOK_LIMITS } from '../../schema/monitor/look-limits.ts'
import type { Queryable, Store } from '../db/client.ts'
import { nothing, row } from '../db/row.ts'

/** A look to be kept. Buffers are encrypted. */
interface NewLook {
  readonly id: string
  readonly teamId: string
  /** Of its picture, whose object is stored already. Null: there is none. */
  readonly image: { readonly id: string; readonly no: number; readonly bytes: number } | null
  readonly seconds: number
  readonly answer: Buffer
  readonly fetched: Buffer | null
  readonly rendered: Buffer | null
}

const kept = row({
  /** In ms since the epoch, by the store's clock, as the time below. */
  now_ms: Type.Number(),
  expires_ms: Type.Number(),
})

/** Announces a picture before its object is stored: what is not kept with a look is swept as any picture. */
export async function announceLookImage(
  store: Queryable,
  {
    teamId,
    id,
    no,
    bytes,
  }: { readonly teamId: string; readonly id: string; readonly no: number; readonly bytes: number },
): Promise<void> {
  await store.query(sql.type(nothing)`
    insert into images (id, team_id, monitor_no, bytes)
    values (${id}::uuid, ${teamId}::uuid, ${no}::bigint, ${bytes}::int)
  `)
}

/** Keeps a look, and returns until when. Those that the team has too many of with it end now, the oldest first. */
export async function keepLook(store: Queryable, look: NewLook) {
  const bytes = (value: Buffer | null) =>
    value === null ? sql.fragment`null::bytea` : sql.fragment`${sql.binary(value)}`
  const size = [look.answer, look.fetched, look.rendered].reduce((sum, part) => sum + (part?.byteLength ?? 0), 0)
  return store.one(sql.type(kept)`
    with sized as (
      select id, created_at, octet_length(answer) + coalesce(octet_length(fetched), 0)
        + coalesce(octet_length(rendered), 0) as bytes
      from looks where team_id = ${look.teamId}::uuid and expires_at > clock()
    ),
    ended as (
      update looks l set expires_at = clock()
      from (select id, row_number() over w as n, sum(bytes) over w as total from sized
        window w as (order by created_at desc, id)) newest
      where l.id = newest.id
        and (newest.n >= ${LOOK_LIMITS.perTeam} or newest.total + ${size} > ${LOOK_LIMITS.bytesPerTeam})
    )
    insert into looks (id, team_id, image_id, expires_at, answer, fetched, rendered)
    values (${look.id}::uuid, ${look.teamId}::uuid, ${look.image?.id ?? null}::uuid,
      clock() + make_interval(secs => ${look.seconds}), ${sql.binary(look.answer)}, ${bytes(look.fetched)},
      ${bytes(look.rendered)})
    returning (extract(epoch from clock()) * 1000)::float8 as now_ms,
      (extract(epoch from expires_at) * 1000)::float8 as expires_ms
  `)
}

const stored = row({
  /** How long it is still kept, in ms. */
  left_ms: Type.Number(),
  /** Encrypted, as the two below. */
  answer: Type.Unsafe<Buffer>({}),
  fetched: Type.Unsafe<Buffer | null>({}),
  rendered: Type.Unsafe<Buffer | null>({}),
})

/** Returns a look of the team. Null: there is none, or its time is over. */
export const findLook = (store: Queryable, { teamId, id }: { readonly teamId: string; readonly id: string }) =>
  store.maybeOne(sql.type(stored)`
    select (extract(epoch from expires_at - clock()) * 1000)::float8 as left_ms, answer, fetched, rendered
    from looks where id = ${id}::uuid and team_id = ${teamId}::uuid and clock() < expires_at
  `)

/** Returns whether the team has a look whose time is not over. */
export const isLookCurrent = (
  store: Queryable,
  { teamId, id }: { readonly teamId: string; readonly id: string },
): Promise<boolean> =>
  store.exists(sql.type(nothing)`
    select from looks where id = ${id}::uuid and team_id = ${teamId}::uuid and clock() < expires_at
  `)

const counted = row({ count: Type.Integer() })
const BATCH = 500

/** Deletes looks whose time is over. */
export const sweepLooks = (store: Store): Promise<number> =>
  deleteLooks(
    store,
    sql.fragment`id in (
      select id from looks where expires_at <= clock() order by expires_at limit ${BATCH} for update skip locked
    )`,
  )

/** Deletes looks. Nothing shows their pictures from then on; the sweep of pictures deletes them. */
export const deleteLooks = (store: Queryable, which: ReturnType<typeof sql.fragment>): Promise<number> =>
  store.oneFirst(sql.type(counted)`
    with gone as (delete from looks where ${which} returning image_id),
    doomed as (update images i set doomed = true from gone where i.id = gone.image_id and not i.doomed)
    select count(*)::int as count from gone
  `)
