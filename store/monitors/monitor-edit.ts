import { sql } from 'slonik'
import { shiftSeconds } from '../../core/schedule.ts'
import { WORK_LEVEL } from '../../schema/level.ts'
import type { EverySpec } from '../../schema/monitor/every-spec.ts'
import { MUTE_LEVEL } from '../../schema/monitor/mute.ts'
import type { Transaction } from '../db/client.ts'
import { bytes } from '../db/row.ts'
import { keysOf, withoutReplaced } from '../deliveries/replaced-destinations.ts'
import { WAS_FAILING } from '../queue/finished-check.ts'
import { forgetSeenItems } from '../queue/seen-items.ts'
import { hasRoom, lockedStorage } from '../quota/team-storage.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { isMonitor } from './is-monitor.ts'
import type { EditedSpec, KindTable } from './kinds/kind-table.ts'
import type { EveryRow } from './kinds/monitor-row.ts'
import { assignments, columnsOf, countedNames, editedNames, givenList } from './kinds/own-columns.ts'
import { labelsJson, sealSpec } from './monitor-create.ts'
import { firstSecret } from './signing-secret.ts'

/** Reads a monitor of the team and locks it against other edits. Returns null when there is no such monitor. */
export async function lockMonitor<Row extends EveryRow>(
  tx: Transaction,
  teamId: string,
  id: string,
  { kind, columns, row }: KindTable<unknown, Row>,
): Promise<Row | null> {
  return tx.maybeOne(sql.type(row)`
    select ${columns}
    from monitors m join checks c on c.no = m.no
    where ${isMonitor(teamId, id, kind)}
    for update of m
  `)
}

/** An edit of a monitor that the transaction has locked. */
interface MonitorEdit<Spec> extends EditedSpec<Spec> {
  readonly stored: Pick<EveryRow, 'id' | 'no' | 'team_id' | 'level' | 'mute'>
  /** A check in progress starts over. True where the baseline is reset: the next run has nothing to compare with. */
  readonly startsOver: boolean
}

/**
 * Stores an edited configuration and its consequences for the check. With its first webhook, a monitor gets its
 * signing secret. Returns null, and changes nothing, when the configuration grows and the team has no room for it.
 */
export async function saveMonitor<Spec extends EverySpec, Row extends EveryRow>(
  tx: Transaction,
  secrets: SecretBox,
  table: KindTable<Spec, Row>,
  edit: MonitorEdit<Spec>,
): Promise<Row | null> {
  const { stored, spec } = edit
  const { own } = table
  const place = { teamId: stored.team_id, id: stored.id }
  const sealed = sealSpec(place, spec, secrets)
  const names = editedNames(own)
  const saved = await tx.maybeOne(sql.type(table.row)`
    with t as (select clock() as at),
    own as materialized (${lockedStorage(sql.fragment`s.team_id = ${stored.team_id}::uuid`)}),
    n as (
      select v.*, configuration_bytes(array[v.name, ${columnsOf(countedNames(own), 'v')}, v.external_key,
        v.labels::text], array[v.request_headers, v.deliveries]) as bytes
      from (values (
        ${spec.name}, ${spec.external_key}::text, ${labelsJson(spec.labels)}::jsonb,
        ${bytes(sealed.requestHeaders)}::bytea, ${bytes(sealed.deliveries)}::bytea, ${givenList(own, names, spec)}
      )) v (name, external_key, labels, request_headers, deliveries, ${columnsOf(names)})
    ),
    m as (
      update monitors m
      set name = n.name, schedule_interval_seconds = ${spec.schedule_interval_seconds},
        notify_on = ${sql.array([...spec.notify_on], 'text')}, external_key = n.external_key, labels = n.labels,
        request_headers = n.request_headers, deliveries = n.deliveries, destination_keys = ${keysOf(spec.deliveries)},
        signing_secret = coalesce(signing_secret, ${bytes(firstSecret(place, spec, secrets))}),
        values_since = case when ${edit.resetsBaseline} then clock() else m.values_since end,
        labels_since = case when ${edit.changed.includes('labels')} then clock() else m.labels_since end,
        ${assignments(own, names, 'n')}
      from n, own
      where m.no = ${stored.no} and ${hasRoom(sql.fragment`n.bytes`)}
      returning m.*
    ),
    ${withoutReplaced(spec.deliveries)},
    c as (
      update checks c set ${checkSets(table, edit)} from t, m where c.no = m.no returning c.*
    )
    select ${table.columns} from m join c on c.no = m.no
  `)
  // After the check, as a recorder locks them, and only where the edit was stored.
  if (saved && edit.changed.includes('diff_predicate')) await forgetSeenItems(tx, stored.no)
  return saved
}

function checkSets<Spec extends EverySpec>(table: Pick<KindTable<Spec>, 'edited' | 'check'>, given: MonitorEdit<Spec>) {
  const { level: before, mute } = given.stored
  // Above the own level it stays: it has keys that this version does not know.
  const level = before > WORK_LEVEL ? before : levelWith(mute, table.check(given.spec).level)
  // A check in progress may be at a process that would misread the new configuration.
  const edit = { ...given, startsOver: given.startsOver || level > before }
  const sets = [...scheduleSets(edit), ...table.edited(edit)]
  if (level !== before) sets.push(sql.fragment`level = ${level}::smallint`)
  if (edit.resetsBaseline)
    sets.push(sql.fragment`
      was_failing = ${WAS_FAILING}, failures = 0, reading_id = null, reading_hash = null, body_hash = null`)
  return sql.join(sets, sql.fragment`, `)
}

/** Returns the level of a check that has another level without its mute. */
export const levelWith = (mute: EveryRow['mute'], level: number): number => Math.max(level, mute ? MUTE_LEVEL : 1)

/** Returns the assignments to `checks c` that an edit makes at `t.at`. */
function scheduleSets({ stored, spec, changed, startsOver }: MonitorEdit<EverySpec>) {
  const interval = spec.schedule_interval_seconds
  const isRescheduled = changed.includes('schedule_interval_seconds')
  const sooner = sql.fragment`case when c.next_run_at is null then null
    else least(c.next_run_at, t.at + make_interval(secs => ${interval})) end`
  // A check in progress is due when its lease ends, and a queued one at once: neither waits for the schedule. A check
  // in progress under the old configuration starts again with the same run id.
  const sets = [
    sql.fragment`
    due_at = case
      when c.run_id is not null then ${startsOver ? sql.fragment`t.at` : sql.fragment`c.due_at`}
      when c.queued_run_id is not null then c.due_at
      else ${isRescheduled ? sooner : sql.fragment`c.due_at`} end`,
  ]
  if (isRescheduled)
    sets.push(sql.fragment`
      interval_seconds = ${interval}, shift_seconds = ${shiftSeconds(stored.id, interval)}, next_run_at = ${sooner}`)
  if (startsOver) sets.push(sql.fragment`fence = c.fence + 1, holder = null`)
  return sets
}
