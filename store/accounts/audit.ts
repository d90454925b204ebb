import { sql } from 'slonik'
import Type from 'typebox'
import {
  type Actor,
  AUDIT_ACTIONS,
  type AuditAction,
  AuditEvent,
  type AuditFilter,
} from '../../schema/account/audit.ts'
import type { Json } from '../../schema/shape/json.ts'
import type { Queryable, Transaction } from '../db/client.ts'
import type { Page } from '../db/page-statement.ts'
import { nothing, row, rowOf, unnest } from '../db/row.ts'
import { retentionCutoff } from '../quota/pool.ts'

const written = row({ id: Type.String() })

/** One line of the audit log, as provided by the action that it records. */
export interface AuditEntry {
  readonly teamId: string
  readonly actor: Actor
  readonly action: AuditAction
  readonly target: {
    /** Null when the action has no single target (a bulk action). */
    readonly id: string | null
    /** A monitor's name, a key's prefix, a member's address. */
    readonly label: string | null
  }
  /** Small data without secrets: changed fields, the role before and after. */
  readonly metadata?: { readonly [key: string]: Json }
}

/**
 * Writes the line in the transaction of the action, so that the action and its line always exist together. Returns the
 * id of the line.
 */
export async function recordAudit(tx: Transaction, entry: AuditEntry): Promise<string> {
  const [id] = await recordAudits(tx, [entry])
  if (id === undefined) throw new Error('a line of the audit log has an id')
  return id
}

/** Writes the lines of several actions in their transaction. Returns the ids of the lines. */
export async function recordAudits(tx: Transaction, entries: readonly AuditEntry[]): Promise<readonly string[]> {
  if (entries.length === 0) return []
  const rows = entries.map(({ teamId, actor, action, target, metadata = {} }) => ({
    team_id: teamId,
    action,
    target_type: AUDIT_ACTIONS[action],
    target_id: target.id,
    target_label: target.label,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_label: actor.label,
    ip_address: actor.ip,
    metadata: JSON.stringify(metadata),
  }))
  return tx.anyFirst(sql.prepared('record_audits', written)`
    insert into audit_events
      (team_id, action, target_type, target_id, target_label, actor_type, actor_id, actor_label, ip_address, metadata)
    select i.team_id, i.action, i.target_type, i.target_id, i.target_label, i.actor_type, i.actor_id, i.actor_label,
      i.ip_address, i.metadata::jsonb
    from ${unnest('i', rows, AUDIT_COLUMNS)}
    returning id`)
}

const AUDIT_COLUMNS = {
  team_id: 'uuid',
  action: 'text',
  target_type: 'text',
  target_id: 'text',
  target_label: 'text',
  actor_type: 'text',
  actor_id: 'uuid',
  actor_label: 'text',
  ip_address: 'text',
  metadata: 'text',
} as const

/** Replaces the metadata of a line, because its action goes on in this transaction. */
export async function amendAudit(tx: Transaction, id: string, metadata: { readonly [key: string]: Json }) {
  await tx.query(sql.type(nothing)`
    update audit_events set metadata = ${JSON.stringify(metadata)} where id = ${id}::uuid`)
}

/** The events of a team that a reader asks for. */
export interface AuditWanted {
  readonly teamId: string
  readonly filter: AuditFilter
}

/**
 * The events `e` that the team's retention and the filter let through. Instants are shown in milliseconds, so the range
 * includes the whole millisecond of `to`.
 */
function visible({ teamId, filter }: AuditWanted) {
  const { action, actor_user_id: user, actor_key_id: key, target_type: target, target_id: id, from, to } = filter
  const conditions = [sql.fragment`e.team_id = ${teamId}::uuid and e.created_at >= ${retentionCutoff(teamId)}`]
  if (action !== undefined) conditions.push(sql.fragment`e.action = ${action}`)
  if (user !== undefined) conditions.push(sql.fragment`e.actor_type = 'user' and e.actor_id = ${user}::uuid`)
  if (key !== undefined) conditions.push(sql.fragment`e.actor_type = 'api_key' and e.actor_id = ${key}::uuid`)
  if (id !== undefined) conditions.push(sql.fragment`e.target_id = ${id}`)
  if (target !== undefined) conditions.push(sql.fragment`e.target_type = ${target}`)
  if (from !== undefined) conditions.push(sql.fragment`e.created_at >= ${from}::timestamptz`)
  if (to !== undefined) conditions.push(sql.fragment`e.created_at < ${to}::timestamptz + interval '1 millisecond'`)
  return sql.join(conditions, sql.fragment` and `)
}

const event = rowOf(AuditEvent)
const EVENT = sql.fragment`
  e.id, e.action, e.target_type, e.target_id, e.target_label,
  json_build_object('type', e.actor_type, 'id', e.actor_id, 'label', e.actor_label) as actor,
  e.metadata, e.ip_address, e.created_at`

/** Returns a page of the events, newest first. */
export const listAudit = (
  store: Queryable,
  wanted: AuditWanted & { readonly page: Page },
): Promise<readonly AuditEvent[]> =>
  store.any(sql.type(event)`
    select ${EVENT} from audit_events e where ${visible(wanted)}
    order by e.created_at desc, e.id desc
    limit ${wanted.page.limit} offset ${wanted.page.offset}`)

export const countAudit = (store: Queryable, wanted: AuditWanted): Promise<number> =>
  store.oneFirst(sql.type(row({ count: Type.Integer() }))`
    select count(*) from audit_events e where ${visible(wanted)}`)

/** Returns every action that is recorded for the team. Each is looked up, so that a long log costs no more. */
export const recordedActions = (store: Queryable, teamId: string): Promise<readonly AuditAction[]> =>
  store.anyFirst(sql.type(row({ action: Type.Unsafe<AuditAction>({ enum: Object.keys(AUDIT_ACTIONS) }) }))`
    select action from unnest(${sql.array(Object.keys(AUDIT_ACTIONS), 'text')}) action
    where exists (
      select from audit_events e
      where e.team_id = ${teamId}::uuid and e.action = action.action and e.created_at >= ${retentionCutoff(teamId)})
    order by action`)

const exported = rowOf(Type.Object({ ...AuditEvent.properties, position: Type.String() }))
const BATCH = 500

/**
 * Yields the events in batches, newest first, at most `most`. A batch is read when it is asked for, and begins behind
 * the last event of the batch before, so that no connection waits for a slow reader.
 */
export async function* readAudit(
  store: Queryable,
  wanted: AuditWanted,
  most: number,
): AsyncGenerator<readonly AuditEvent[], void, void> {
  let after = sql.fragment`true`
  for (let left = most; left > 0;) {
    const batch = await store.any(sql.type(exported)`
      select ${EVENT}, e.created_at::text as position from audit_events e where ${visible(wanted)} and ${after}
      order by e.created_at desc, e.id desc
      limit ${Math.min(left, BATCH)}`)
    yield batch.map(({ position: _position, ...event }) => event)
    const last = batch.at(-1)
    if (!last || batch.length < BATCH) return
    left -= batch.length
    after = sql.fragment`(e.created_at, e.id) < (${last.position}::timestamptz, ${last.id}::uuid)`
  }
}
