import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import { MOST_NAMED_CHANGES } from '../../schema/monitor/digest.ts'
import type { Queryable } from '../db/client.ts'
import { nothing, row, rowOf } from '../db/row.ts'

/**
 * A digest is a set of deliveries that are sent as one message. Each waits as any other held delivery does. The first
 * of them that is claimed takes all that wait: it leads them (`digest_of`), and they take its outcome.
 */

/** A delivery that one message names. */
const DigestRow = Type.Object({
  id: Type.String(),
  created_at: Type.String(),
  /** The sealed destination, with what its message may name. */
  target: Type.Unsafe<Buffer>({}),
  payload: Type.String(),
})

const Digest = Type.Object({
  /** The oldest of its deliveries, as many as a message names at most. */
  rows: Type.Array(DigestRow),
  /** How many it has, and of how many monitors. */
  count: Type.Integer(),
  monitors: Type.Integer(),
})
type Digest = Static<typeof Digest>

const digestRow = rowOf(Type.Object({ ...DigestRow.properties, count: Type.Integer(), monitors: Type.Integer() }))
const led = row({ id: Type.String() })

/** A delivery of a digest that its message does not name. */
const OtherRow = Type.Object({
  id: Type.String(),
  created_at: Type.String(),
  target: Type.Unsafe<Buffer>({}),
  /** Of its payload. */
  bytes: Type.Integer(),
})
export type OtherRow = Static<typeof OtherRow>

const otherRow = rowOf(OtherRow)
const payloadRow = row({ id: Type.String(), payload: Type.String() })

/** Bytes of payloads that are read for one message. The changes behind them are counted only. */
const MOST_BYTES = 2 ** 20

/** Others that are read at once, without their payloads. */
const OTHERS = 1_000

/** Deliveries that one message takes. The others are due still, for the next one. */
const MOST_ROWS = 10_000

/** Deliveries `d` that wait for a message that is not begun. */
const IS_OPEN = sql.fragment`d.digest_of is null and d.status = 'pending'`

/**
 * The end of the digest of a row that waits already; null: none does, or its time has come: it may be on its way. One
 * that is claimed has another due time. Both arguments are names of tables: with `team_id`, and with `digest`; `t` has
 * the time `at`.
 */
export const endOfOpenDigest = (team: string, row: string) => sql.fragment`
  (select min(d.due_at) from deliveries d
    where d.team_id = ${sql.identifier([team, 'team_id'])} and d.digest = ${sql.identifier([row, 'digest'])}
      and ${IS_OPEN} and d.due_at = d.next_attempt_at and d.due_at > t.at)`

/**
 * Makes a claimed delivery the one that leads its digest, in one statement: all that wait for it are part of it from
 * now on, and are due no more. Returns false when another one has taken it. A second call changes nothing.
 */
export async function leadDigest(
  store: Queryable,
  { id, fence }: { readonly id: string; readonly fence: number },
): Promise<boolean> {
  const rows = await store.any(sql.prepared('lead_digest', led)`
    with own as materialized (select team_id, digest, digest_of from deliveries where id = ${id}::uuid),
    -- Two that lead at once lock in the same order, so that the second one finds nothing.
    open as materialized (
      select d.id, d.fence
      from deliveries d join own o on o.team_id = d.team_id and o.digest = d.digest
      where o.digest_of is null and ${IS_OPEN}
      order by d.id
      limit ${MOST_ROWS}
      for update of d
    ),
    taken as (
      update deliveries d
      set digest_of = ${id}::uuid,
        fence = d.fence + case when d.id = ${id}::uuid then 0 else 1 end,
        due_at = case when d.id = ${id}::uuid then d.due_at end
      from open
      where d.id = open.id and exists (select from open where id = ${id}::uuid and fence = ${fence})
      returning d.id
    )
    select id from taken where id = ${id}::uuid
    union all
    select ${id}::uuid from deliveries d where d.id = ${id}::uuid and d.fence = ${fence} and d.digest_of = d.id
  `)
  return rows.length > 0
}

/** The deliveries of the digest of `own`; before one leads it, those that would be part of it now. */
const MEMBERS = sql.fragment`
  select d.id, d.monitor_no, d.created_at, octet_length(d.payload) as bytes
  from own o join deliveries d on d.digest_of = o.digest_of
  union all
  select d.id, d.monitor_no, d.created_at, octet_length(d.payload)
  from own o join deliveries d on d.team_id = o.team_id and d.digest = o.digest
  where o.digest_of is null and ${IS_OPEN}`

/** Returns what a message is made of that this delivery leads; before it leads one, what it would be made of now. */
export async function readDigest(store: Queryable, id: string): Promise<Digest> {
  const rows = await store.any(sql.prepared('read_digest', digestRow)`
    with own as materialized (select team_id, digest, digest_of from deliveries where id = ${id}::uuid),
    members as materialized (${MEMBERS}),
    named as (
      select id, n
      from (
        select id, row_number() over w as n, sum(bytes) over w - bytes as before
        from members window w as (order by created_at, id)
      ) numbered
      where n <= ${MOST_NAMED_CHANGES} and before < ${MOST_BYTES}
    )
    select d.id, d.created_at, d.target, d.payload, (select count(*) from members) as count,
      (select count(distinct monitor_no) from members) as monitors
    from named join deliveries d using (id)
    order by named.n
  `)
  const { count = 0, monitors = 0 } = rows[0] ?? {}
  return { rows: rows.map(({ count: _count, monitors: _monitors, ...one }) => one), count, monitors }
}

/** Returns deliveries of the digest of `id` in their order, behind the one of `after`. None: there are no more. */
export const readOthers = (store: Queryable, id: string, after: string): Promise<readonly OtherRow[]> =>
  store.any(sql.prepared('read_others_of_digest', otherRow)`
    with own as materialized (select team_id, digest, digest_of from deliveries where id = ${id}::uuid),
    members as materialized (${MEMBERS})
    select d.id, d.created_at, d.target, m.bytes
    from members m join deliveries d using (id)
    where (m.created_at, m.id) > (select created_at, id from deliveries where id = ${after}::uuid)
    order by m.created_at, m.id
    limit ${OTHERS}`)

/** Returns the payloads of deliveries by their ids. */
export async function readPayloads(store: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await store.any(sql.prepared('read_payloads', payloadRow)`
    select id, payload from deliveries where id = any(${sql.array([...ids], 'uuid')})`)
  return new Map(rows.map(({ id, payload }) => [id, payload]))
}

/**
 * Gives a digest that waits for its next attempt another delivery that leads it, before the one that does is sent by
 * itself. Of these deliveries none leads it then. Call it in the transaction that sends them.
 */
export async function handOverDigests(tx: Queryable, teamId: string, ids: readonly string[]): Promise<void> {
  const given = sql.array([...ids], 'uuid')
  await tx.query(sql.type(nothing)`select from teams where id = ${teamId}::uuid for share`)
  const found = await tx.anyFirst(sql.type(led)`
    select distinct digest_of as id from deliveries
    where id = any(${given}) and team_id = ${teamId}::uuid and digest_of is not null`)
  const leaders = sql.array([...found], 'uuid')
  // As those who lock the same: a team that ends its deliveries, and an attempt first the one that leads.
  await tx.query(sql.type(nothing)`select from deliveries where id = any(${leaders}) order by id for update`)
  await tx.query(sql.type(nothing)`
    select from deliveries
    where (id = any(${given}) and team_id = ${teamId}::uuid)
      or (digest_of = any(${leaders}) and next_attempt_at is not null)
    order by id
    for update`)
  await tx.query(sql.type(nothing)`
    with parted as materialized (
      select l.id as was, (
        select f.id from deliveries f
        where f.digest_of = l.id and not f.id = any(${given}) and f.next_attempt_at is not null
        order by f.id limit 1
      ) as heir
      from deliveries l
      where l.id = any(${given}) and l.team_id = ${teamId}::uuid and l.digest_of = l.id
        and l.status in ('failed', 'dead')
    )
    update deliveries f
    set digest_of = p.heir, due_at = case when f.id = p.heir then f.next_attempt_at end
    from parted p
    where f.digest_of = p.was and f.id <> p.was and p.heir is not null and f.next_attempt_at is not null
  `)
}
