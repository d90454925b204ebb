import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import { FAILURES_UNTIL_ERROR, FAILURES_UNTIL_PAUSED, READINGS_UNTIL_NOTICE } from '../../core/schedule.ts'
import { searchUrl } from '../../core/serp/search-url.ts'
import { NOTICE_KINDS, type NoticeKind } from '../../schema/monitor/delivery-config.ts'
import { SerpSearch } from '../../schema/serp/serp-search.ts'
import { Choice } from '../../schema/shape/shape.ts'
import type { Queryable, Store, Transaction } from '../db/client.ts'
import { nothing, row, rowOf, unnest } from '../db/row.ts'
import { isStoreAway } from '../db/store-fault.ts'
import { searchOf } from '../queue/claim.ts'
import { CUTOFF } from '../quota/pool.ts'
import type { DeliveryRow } from './delivery-row.ts'
import { GIVEN_UP } from './given-up.ts'

/** A notice that a run causes. */
export interface RunNotice {
  readonly kind: Extract<NoticeKind, 'failing' | 'recovered' | 'field_missing'>
  /** Of `field_missing`: the fields. Null: every field is empty, which is trouble of the monitor itself. */
  readonly fields: readonly string[] | null
}

/** A finished check, and the notices that it causes: in nearly all cases none. */
export interface Noticed {
  readonly no: number
  readonly run_id: string
  readonly notices: readonly RunNotice[]
}

/** The health of a monitor before a run. */
export interface HealthBefore {
  /** Failures in a row. */
  readonly failures: number
  /** It was failing when a user or an edit set its failures to 0. */
  readonly wasFailing: boolean
}

/**
 * Returns the notice that a run causes by its outcome. Only the run that crosses the threshold causes one: the fifth
 * failure in a row, and the first success after it, whatever set the count to 0 between.
 */
export function noticesAfter({ failures, wasFailing }: HealthBefore, hasFailed: boolean): readonly RunNotice[] {
  if (hasFailed) return failures === FAILURES_UNTIL_ERROR - 1 ? FAILING : NO_NOTICES
  return wasFailing || failures >= FAILURES_UNTIL_ERROR ? RECOVERED : NO_NOTICES
}

const NO_NOTICES: readonly RunNotice[] = []
/** A search that fails so often that it is paused causes this notice a second time. */
export const FAILING: readonly RunNotice[] = [{ kind: 'failing', fields: null }]
const RECOVERED: readonly RunNotice[] = [{ kind: 'recovered', fields: null }]

/**
 * Records a batch. When a run in it causes a notice, the event is written in the same transaction. A crash therefore
 * loses no notice, and a record that is retried because its outcome was unknown creates no second one. A batch without
 * notices costs nothing extra. Returns true when an event may have been written.
 */
export async function recordWithNotices<T extends Noticed>(
  store: Store,
  runs: readonly T[],
  record: (on: Queryable, runs: readonly T[]) => Promise<{ has(no: number): boolean }>,
): Promise<boolean> {
  const withNotice = runs.filter(({ notices }) => notices.length > 0)
  if (withNotice.length === 0) {
    await record(store, runs)
    return false
  }
  await store.transaction(async (tx) => {
    const recorded = await record(tx, runs)
    const recordedWithNotice = withNotice.filter(({ no }) => recorded.has(no))
    if (recordedWithNotice.length > 0) await insertRunEvents(tx, recordedWithNotice)
  })
  return true
}

/** Is true for an event about the health of a monitor. Trouble is reported once, and its end only after it. */
const isHealth = (event: 'e' | 'later') => {
  const [kind, detail] = [sql.identifier([event, 'kind']), sql.identifier([event, 'detail'])]
  return sql.fragment`(
  ${kind} in ('failing', 'recovered') or ${kind} = 'field_missing' and ${detail}->'fields' is null)`
}

/** Is true after the run of a search `i` that paused its monitor. The caller gives no other failing run to a search. */
const HAS_PAUSED_ITSELF = sql.fragment`
  (m.kind = 'serp' and i.kind = 'failing' and c.next_run_at is null and c.failures >= ${FAILURES_UNTIL_PAUSED})`

/**
 * Inserts events only when somebody wants them and the monitor is scheduled: a monitor that a user paused causes no
 * notices. A recovery is reported only when the trouble before it was, and when a field has a value. Empty fields are
 * reported only once until then. Trouble is written down for the recovery alone too, and then nobody is notified of it.
 *
 * A search that has just paused itself causes another notice. It is for the destinations: the owner has a mail of its
 * own about the pause.
 */
export async function insertRunEvents(
  tx: Transaction,
  runs: readonly Pick<Noticed, 'no' | 'run_id' | 'notices'>[],
): Promise<void> {
  const events = runs.flatMap(({ no, run_id, notices }) =>
    notices.map(({ kind, fields }) => ({ no, run_id, kind, fields: fields && JSON.stringify(fields) })),
  )
  await tx.query(sql.type(nothing)`
    with t as (select clock() as at)
    insert into notice_events (id, team_id, monitor_no, run_id, kind, detail, key, due_at, created_at)
    select uuid_v7(t.at), c.team_id, c.no, i.run_id, i.kind, jsonb_strip_nulls(jsonb_build_object(
        'fields', i.fields, 'consecutive_failures', case when i.kind = 'failing' then c.failures end)),
      concat_ws(' ', i.kind, i.run_id, case when i.fields is not null then 'fields' end), t.at, t.at
    from t, ${unnest('i', events, { no: 'int8', run_id: 'uuid', kind: 'text', fields: 'json' })}
    join checks c on c.no = i.no
    join monitors m on m.no = c.no
    join teams team on team.id = c.team_id
    left join lateral (
      select e.kind from notice_events e where e.monitor_no = c.no and ${isHealth('e')} order by e.run_id desc limit 1
    ) last on true
    where (c.next_run_at is not null or ${HAS_PAUSED_ITSELF})
      and (i.kind = any(m.notify_on)
        or i.fields is null and not ${HAS_PAUSED_ITSELF}
          and (team.error_notifications or 'recovered' = any(m.notify_on)))
      and case
        when i.kind = 'failing' then c.failures = ${FAILURES_UNTIL_ERROR} or ${HAS_PAUSED_ITSELF}
        when i.kind = 'recovered' then last.kind in ('failing', 'field_missing')
          and not exists (select from baselines b where b.no = c.no and b.empty = ${READINGS_UNTIL_NOTICE})
        else i.fields is not null or last.kind is distinct from 'field_missing'
      end
    on conflict (key) do nothing
  `)
}

/**
 * Further parts of the statement that records attempts of deliveries, after its part `done`: they keep the state of
 * each destination, and write an event when one turns dead. While no destination is dead, the table is empty.
 */
export const DEAD_DESTINATIONS = sql.fragment`,
    alive as (
      delete from dead_destinations x using (
        -- Batches of several processes lock in the same order.
        select k.monitor_no, k.target_key from dead_destinations k
        where exists (
          select from done d
          where d.status = 'success' and d.monitor_no = k.monitor_no and d.target_key = k.target_key)
        order by k.monitor_no, k.target_key
        for update
      ) d
      where x.monitor_no = d.monitor_no and x.target_key = d.target_key
    ),
    dead as (
      insert into dead_destinations (monitor_no, target_key, response_status)
      select distinct on (d.monitor_no, d.target_key) d.monitor_no, d.target_key, d.response_status from done d
      where ${GIVEN_UP}
      order by d.monitor_no, d.target_key, d.id
      on conflict do nothing
      returning monitor_no, target_key
    ),
    noted as (
      insert into notice_events (team_id, monitor_no, run_id, kind, detail, key)
      select distinct on (d.monitor_no, d.target_key) d.team_id, d.monitor_no, d.run_id, 'delivery_dead',
        jsonb_build_object('delivery_id', d.id, 'target_key', d.target_key, 'delivery_type', d.type,
          'host', split_part(d.host, ' ', 1), 'status', d.status, 'response_status', d.response_status),
        concat_ws(' ', 'delivery_dead', d.id, d.fence)
      from dead
      join done d using (monitor_no, target_key)
      join monitors m on m.no = d.monitor_no and m.deleted_at is null
      join teams team on team.id = d.team_id
      where ${GIVEN_UP}
        and (team.error_notifications or 'delivery_dead' = any(m.notify_on))
      order by d.monitor_no, d.target_key, d.id
      on conflict (key) do nothing
    )`

const Null = Type.Null()
const Bytes = Type.Unsafe<Uint8Array | null>({})

/** A monitor whose destinations are to be notified. */
const NotifiedMonitor = Type.Object({
  no: Type.Integer(),
  id: Type.String(),
  name: Type.String(),
  kind: Type.String(),
  /** The address of the page; of a search, its address at the engine. */
  url: Type.String(),
  /** The sealed destinations (`monitors.deliveries`). */
  deliveries: Bytes,
  /** That of its check. */
  level: Type.Integer(),
})
export type NotifiedMonitor = Static<typeof NotifiedMonitor>

/** An event that somebody is to be notified of, with what its messages need. */
const NoticeEvent = Type.Object({
  id: Type.String(),
  team_id: Type.String(),
  /** Earlier attempts to make its messages. */
  tries: Type.Integer(),
  kind: Choice(NOTICE_KINDS),
  detail: Type.Unsafe<Readonly<Record<string, unknown>>>({}),
  monitor_no: Type.Union([Type.Integer(), Null]),
  run_id: Type.Union([Type.String(), Null]),
  occurred_ms: Type.Number(),
  /** The store's time. */
  now_ms: Type.Number(),
  error_code: Type.Union([Type.String(), Null]),
  error_message: Type.Union([Type.String(), Null]),
  /** The address of the team's owner; null when the account is gone. */
  owner_email: Type.Union([Type.String(), Null]),
  /** The owner gets mails about the health of monitors. */
  error_notifications: Type.Boolean(),
})
export type NoticeEvent = Static<typeof NoticeEvent>
const noticeEvent = rowOf(NoticeEvent)
const notifiedMonitor = rowOf(
  Type.Object({
    ...NotifiedMonitor.properties,
    url: Type.Union([Type.String(), Null]),
    search: Type.Union([SerpSearch, Null]),
    notify_on: Type.Array(Choice(NOTICE_KINDS)),
  }),
)

/** A notice that is ready to send: a delivery's row, and whose secret signs it. */
export interface NoticeRow extends DeliveryRow {
  readonly team_id: string
  /** Null: it is not signed. */
  readonly monitor_no: number | null
  readonly kind: NoticeKind
}

/** An event, and the monitors whose destinations are to be notified of it. */
export interface EventToNotify {
  readonly event: NoticeEvent
  /** The monitor that the event is about. Null: it is about the team, or the monitor is deleted. */
  readonly monitor: NotifiedMonitor | null
  readonly monitors: readonly NotifiedMonitor[]
}

/** Events that one transaction makes messages of. */
const EVENTS = 20
/** Monitors of a team whose destinations are notified about the team. Most name the same few destinations. */
const MAX_MONITORS = 1_000

const ROW_COLUMNS = {
  id: 'uuid',
  team_id: 'uuid',
  monitor_no: 'int8',
  kind: 'text',
  type: 'text',
  target: 'bytea',
  host: 'text',
  payload: 'text',
  level: 'int2',
} as const

/** Attempts to make the messages of an event, a minute and more apart. */
const MAX_TRIES = 5

/** Called for each event whose messages could not be made. `isGivenUp`: it is not tried again. */
type OnRefused = (event: NoticeEvent, error: unknown, isGivenUp: boolean) => void

/**
 * Makes the messages of due events, the oldest first, in one transaction: an event has all of its messages or is due
 * again. One whose messages cannot be made holds up no other. Returns how many events were looked at.
 */
export async function notifyOfEvents(
  store: Store,
  messagesOf: (about: EventToNotify) => readonly NoticeRow[],
  onRefused: OnRefused,
): Promise<number> {
  const refused: Parameters<OnRefused>[] = []
  const count = await store.transaction(async (tx) => {
    const events = await tx.any(sql.type(noticeEvent)`
      select e.id, e.team_id, e.tries, e.kind, e.detail, e.monitor_no, e.run_id,
        (extract(epoch from e.created_at) * 1000)::float8 as occurred_ms,
        (extract(epoch from clock()) * 1000)::float8 as now_ms,
        r.error_code, r.error_message, u.email as owner_email, team.error_notifications
      from notice_events e
      join teams team on team.id = e.team_id
      left join auth.users u on u.id = team.owner_user_id
      left join runs r on r.monitor_no = e.monitor_no and r.id = e.run_id
      where e.due_at <= clock()
      order by e.due_at, e.id
      limit ${EVENTS}
      for update of e skip locked
    `)
    for (const event of events) {
      try {
        await tx.transaction((nested) => notifyOfEvent(nested, event, messagesOf))
      } catch (error) {
        if (isStoreAway(error)) throw error
        refused.push([event, error, event.tries + 1 >= MAX_TRIES])
        await putOff(tx, event)
      }
    }
    return events.length
  })
  for (const one of refused) onRefused(...one)
  return count
}

async function notifyOfEvent(
  tx: Transaction,
  event: NoticeEvent,
  messagesOf: (about: EventToNotify) => readonly NoticeRow[],
): Promise<void> {
  const rows = messagesOf(await withMonitors(tx, event))
  await tx.query(sql.type(nothing)`
    insert into notices (
      id, team_id, monitor_no, kind, type, target, host, payload, level, due_at, next_attempt_at, created_at)
    select i.id, i.team_id, i.monitor_no, i.kind, i.type, i.target, i.host, i.payload, i.level, t.at, t.at, t.at
    from ${unnest('i', rows, ROW_COLUMNS)}, (select clock() as at) t
  `)
  await tx.query(sql.type(nothing)`update notice_events set due_at = null where id = ${event.id}::uuid`)
}

const putOff = (tx: Transaction, { id }: NoticeEvent) =>
  tx.query(sql.type(nothing)`
    update notice_events
    set tries = tries + 1,
      due_at = case when tries + 1 < ${MAX_TRIES} then clock() + make_interval(mins => tries + 1) end
    where id = ${id}::uuid
  `)

async function withMonitors(tx: Transaction, event: NoticeEvent): Promise<EventToNotify> {
  const rows = await tx.any(sql.type(notifiedMonitor)`
    select m.no, m.id, m.name, m.kind, m.url, m.deliveries, m.notify_on, coalesce(c.level, 1) as level,
      ${searchOf(sql.fragment`m.pages`)} as search
    from monitors m left join checks c on c.no = m.no
    where m.deleted_at is null and m.team_id = ${event.team_id}::uuid
      and case when ${event.monitor_no}::bigint is null then ${event.kind} = any(m.notify_on)
        else m.no = ${event.monitor_no}::bigint end
    order by m.created_at, m.no
    limit ${MAX_MONITORS}
  `)
  const found = rows.map(({ search, url, ...monitor }) => ({
    ...monitor,
    url: url ?? (search ? searchUrl(search) : ''),
  }))
  const monitors = found.filter(({ notify_on }) => notify_on.includes(event.kind))
  return { event, monitor: event.monitor_no === null ? null : (found[0] ?? null), monitors }
}

const counted = row({ count: Type.Integer() })

/** Largest number of rows that one statement of the purge deletes, as in store/maintenance/retention.ts. */
const NOTICE_BATCH = 5_000

/**
 * Deletes messages that have ended and events that were reported, where the plan's window hides things of their age.
 * The last event about the health of a monitor stays, because the next one depends on it. Returns how many rows of the
 * larger batch were deleted.
 */
export const deleteNotices = (connection: Queryable): Promise<number> =>
  connection.oneFirst(sql.type(counted)`
    with sent as (
      delete from notices where id in (
        select n.id
        from teams t cross join lateral team_limits(t.id) l cross join lateral (
          select id from notices n
          where n.team_id = t.id and n.due_at is null and n.created_at < ${CUTOFF}
          limit ${NOTICE_BATCH}
        ) n
        limit ${NOTICE_BATCH}
      )
      returning 1
    ),
    handled as (
      delete from notice_events where id in (
        select e.id
        from notice_events e cross join lateral team_limits(e.team_id) l
        where e.due_at is null and e.created_at < ${CUTOFF}
          and (not ${isHealth('e')} or e.monitor_no is null or exists (
            select from notice_events later
            where later.monitor_no = e.monitor_no and later.run_id > e.run_id and ${isHealth('later')}))
        limit ${NOTICE_BATCH}
      )
      returning 1
    )
    select greatest((select count(*) from sent), (select count(*) from handled)) as count
  `)
