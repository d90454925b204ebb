import { type FragmentSqlToken, sql } from 'slonik'
import type { LabelSelector, Manager } from '../../schema/monitor/labels.ts'
import type { ListedStatus } from '../../schema/monitor/monitor.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { RunFaultCode } from '../../schema/run/run-fault.ts'
import type { KindTable } from '../monitors/kinds/kind-table.ts'
import { statusOf } from '../monitors/monitor-status.ts'
import { hasLabels } from '../monitors/monitors.ts'
import { retentionCutoff } from '../quota/pool.ts'
import type { Reader } from './seen-until.ts'
import { joinMarks, seenOfAll } from './seen-until.ts'

export type OverviewKind = Pick<KindTable, 'kind' | 'nextRunAt' | 'target' | 'search' | 'runs'>

/** Which monitors of a team are wanted. */
export interface WantedMonitors {
  /** Part of the name or the target, whatever its case. */
  readonly q?: string | undefined
  readonly kind?: MonitorKind | undefined
  /** The whole keyword of a search. */
  readonly keyword?: string | undefined
  readonly status?: ListedStatus | undefined
  readonly failing?: boolean | undefined
  readonly errorCode?: RunFaultCode | undefined
  readonly managedBy?: Manager | undefined
  /** A cluster or a folder declares it. */
  readonly locked?: boolean | undefined
  readonly labels?: LabelSelector | undefined
  readonly muted?: boolean | undefined
  readonly unseen?: boolean | undefined
  readonly changedSince?: string | undefined
}

/** A reader's monitors. */
export interface OverviewQuery {
  readonly reader: Reader
  readonly kinds: readonly OverviewKind[]
  readonly wanted: WantedMonitors
}

/** Selects by the kind of `monitors m`. */
const byKind = (kinds: readonly OverviewKind[], name: 'nextRunAt' | 'target' | 'search') =>
  sql.fragment`case m.kind ${sql.join(
    kinds.map((of) => sql.fragment`when ${sql.literalValue(of.kind)} then ${of[name]}`),
    sql.fragment` `,
  )} end`

/** Returns what the monitor watches, in one line. */
export const targetOf = (kinds: readonly OverviewKind[]) => byKind(kinds, 'target')
/** Returns what a search asks for, as JSON. Null: it is a page. */
export const searchOf = (kinds: readonly OverviewKind[]) => byKind(kinds, 'search')
export const nextRunOf = (kinds: readonly OverviewKind[]) => byKind(kinds, 'nextRunAt')

/** True where a cluster or a folder declares `monitors m`. */
export const IS_LOCKED = sql.fragment`m.managed_by <> 'api'`

/** True where `checks c` is muted now: a mute whose time is over stays in its row. */
export const IS_MUTED = sql.fragment`
  (c.mute is not null and coalesce((c.mute->>'until')::timestamptz > clock(), true))`

/** True where the last run of `checks c` failed. Errors of ours are not counted. */
export const IS_FAILING = sql.fragment`c.failures > 0`

/** Joins the last run `r` of `monitors m` that is stored and inside the window that `floor_id` of `w` begins. */
export const LAST_RUN = sql.fragment`
  left join lateral (
    select l.id, l.status, l.start_offset_ms, l.duration_ms, l.error_code from runs l
    where l.monitor_no = m.no and l.id >= w.floor_id
    order by l.id desc limit 1
  ) r on true`

/** Selects `w`: where the plan's window begins, and what the reader has seen of all. */
export const windowOfReader = (reader: Reader) => sql.fragment`
  select run_id_floor(${retentionCutoff(reader.teamId)}) as floor_id, ${seenOfAll(reader)} as seen_id`

/** True where the last change is one that the reader has not seen, and that the plan still shows. */
export const IS_UNSEEN = sql.fragment`
  coalesce(c.last_change_id > coalesce(s.seen_id, w.seen_id) and c.last_change_id >= w.floor_id, false)`

/** True where some filter is asked for. */
export const isFiltered = (wanted: WantedMonitors): boolean =>
  Object.values(wanted).some((filter) => filter !== undefined)

/**
 * Tables that a statement reads beside the wanted monitors. Without it, each is joined only where a filter needs it: a
 * join is work for each monitor.
 */
interface Beside {
  /** It reads `checks c`. */
  readonly hasChecks: boolean
  /** It reads `w`, and marks `s`. */
  readonly hasWindow: boolean
  /** Further sources. */
  readonly joined?: FragmentSqlToken
}

/** Returns `from … where …`: the wanted monitors `m`, and what is needed beside. */
export function wantedMonitors(
  { reader, kinds, wanted }: OverviewQuery,
  { hasChecks, hasWindow, joined = sql.fragment`` }: Beside,
) {
  const { q, kind, keyword, status, failing, errorCode, managedBy, locked, labels, muted, unseen, changedSince } =
    wanted
  const conditions = [sql.fragment`m.team_id = ${reader.teamId}::uuid and m.deleted_at is null`]
  if (kind !== undefined) conditions.push(sql.fragment`m.kind = ${kind}`)
  if (keyword !== undefined) conditions.push(sql.fragment`m.keyword = ${keyword}`)
  if (q !== undefined)
    conditions.push(sql.fragment`strpos(lower(m.name || chr(10) || ${targetOf(kinds)}), lower(${q}::text)) > 0`)
  if (status !== undefined) conditions.push(sql.fragment`${statusOf(kinds)} = ${status}`)
  if (failing !== undefined) conditions.push(sql.fragment`(${IS_FAILING}) = ${failing}`)
  if (errorCode !== undefined)
    conditions.push(sql.fragment`${IS_FAILING} and ${errorCode} = (
      select l.error_code from runs l where l.monitor_no = m.no and l.id >= w.floor_id order by l.id desc limit 1)`)
  if (managedBy !== undefined) conditions.push(sql.fragment`m.managed_by = ${managedBy}`)
  if (locked !== undefined) conditions.push(sql.fragment`(${IS_LOCKED}) = ${locked}`)
  if (labels !== undefined) conditions.push(hasLabels(labels))
  if (muted !== undefined) conditions.push(sql.fragment`${IS_MUTED} = ${muted}`)
  if (unseen !== undefined) conditions.push(sql.fragment`${IS_UNSEEN} = ${unseen}`)
  if (changedSince !== undefined)
    conditions.push(sql.fragment`c.last_change_id >= run_id_floor(${changedSince}::timestamptz)`)
  const window = sql.fragment`w cross join`
  const checks = sql.fragment`join checks c on c.no = m.no`
  return sql.fragment`
    from ${given(window, hasWindow, [errorCode, unseen])} monitors m
    ${given(checks, hasChecks, [status, failing, errorCode, muted, unseen, changedSince])}
    ${given(joinMarks(reader), hasWindow, [unseen])} ${joined}
    where ${sql.join(conditions, sql.fragment` and `)}`
}

/** Returns a source that the statement reads, or that one of the filters needs. */
const given = (source: FragmentSqlToken, isRead: boolean, filters: readonly unknown[]): FragmentSqlToken =>
  isRead || filters.some((filter) => filter !== undefined) ? source : sql.fragment``
