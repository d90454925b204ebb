import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import { searchUrl } from '../../core/serp/search-url.ts'
import { NOTICE_KINDS, type NoticeKind } from '../../schema/monitor/delivery-config.ts'
import type { DigestConfig } from '../../schema/monitor/digest.ts'
import type { Mute } from '../../schema/monitor/mute.ts'
import type { QuietHours } from '../../schema/monitor/quiet-hours.ts'
import { SerpSearch } from '../../schema/serp/serp-search.ts'
import { Choice } from '../../schema/shape/shape.ts'
import type { Store, Transaction } from '../db/client.ts'
import { nothing, rowOf, unnest } from '../db/row.ts'
import { isStoreAway } from '../db/store-fault.ts'
import { searchOf } from '../queue/claim.ts'
import type { DeliveryRow } from './delivery-row.ts'
import { lastMoment } from './last-moment.ts'
import { afterMuted } from './muted-messages.ts'

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
  /** Of destinations that name none. */
  quiet_hours: Type.Unsafe<QuietHours | null>({}),
  digest: Type.Unsafe<DigestConfig | null>({}),
  mute: Type.Unsafe<Mute | null>({}),
  labels: Type.Unsafe<Readonly<Record<string, string>>>({}),
  /** Of a search. */
  engine: Type.Optional(SerpSearch.properties.engine),
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
  /** The monitor whose mute holds it. Null: none does. */
  readonly muted_no: number | null
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
  held: 'text',
  held_until: 'timestamptz',
  muted_no: 'int8',
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
      id, team_id, monitor_no, kind, type, target, host, payload, level, held, muted_no, due_at,
      next_attempt_at, created_at)
    select i.id, i.team_id, i.monitor_no, i.kind, i.type, i.target, i.host, i.payload, i.level, i.held,
      i.muted_no, due.at, due.at, t.at
    from ${unnest('i', rows, ROW_COLUMNS)}
    cross join (select clock() as at) t
    cross join lateral (
      select case when i.held is null then t.at
        else least(i.held_until, ${lastMoment(sql.fragment`i.team_id`, sql.fragment`t.at`)}) end as at
    ) base
    cross join lateral (
      select greatest(base.at, ${afterMuted('notices', sql.fragment`i.muted_no`, sql.fragment`base.at`)}) as at
    ) due
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
    select m.no, m.id, m.name, m.kind, m.url, m.deliveries, m.quiet_hours, m.digest, m.notify_on,
      coalesce(m.labels, '{}') as labels, c.mute, coalesce(c.level, 1) as level,
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
    ...(search && { engine: search.engine }),
  }))
  const monitors = found.filter(({ notify_on }) => notify_on.includes(event.kind))
  return { event, monitor: event.monitor_no === null ? null : (found[0] ?? null), monitors }
}
