import { sql } from 'slonik'
import Type from 'typebox'
import type { SeenItems } from '../../core/seen/seen-items.ts'
import type { Queryable, Transaction } from '../db/client.ts'
import { nothing, row, unnest } from '../db/row.ts'

/** The items that a field of a monitor has shown. */
export interface SeenField extends SeenItems {
  readonly field: string
}

const stored = row({ field: Type.String(), key: Type.Unsafe<Buffer>({}), items: Type.Unsafe<Buffer>({}) })

/**
 * Returns what fields of a monitor have shown, by their names. No lock is needed, as with baselines: what is decided by
 * it is written under the same fence, and an edit that deletes it raises the fence.
 */
export async function findSeenItems(
  store: Queryable,
  { teamId, no, fields }: { readonly teamId: string; readonly no: number; readonly fields: readonly string[] },
): Promise<ReadonlyMap<string, SeenItems>> {
  const rows = await store.any(sql.prepared('find_seen_items', stored)`
    select field, key, items from seen_items
    where no = ${no}::bigint and team_id = ${teamId}::uuid and field = any(${sql.array([...fields], 'text')})
  `)
  return new Map(rows.map(({ field, ...seen }) => [field, seen]))
}

/** Fields in one statement, which holds what they have shown in memory: up to 120 KB each. */
const AT_ONCE = 50

/** Keeps what fields have shown, in the transaction that records the runs. */
export async function keepSeenItems(
  tx: Transaction,
  fields: readonly (SeenField & { readonly no: number; readonly team_id: string })[],
): Promise<void> {
  for (let from = 0; from < fields.length; from += AT_ONCE)
    await tx.query(sql.prepared('keep_seen_items', nothing)`
      insert into seen_items (no, field, team_id, key, items)
      select no, field, team_id, key, items
      from ${unnest('i', fields.slice(from, from + AT_ONCE), {
        no: 'int8',
        field: 'text',
        team_id: 'uuid',
        key: 'bytea',
        items: 'bytea',
      })}
      on conflict (no, field) do update set key = excluded.key, items = excluded.items
    `)
}

/** Forgets what the fields of a monitor have shown. */
export async function forgetSeenItems(tx: Transaction, no: number): Promise<void> {
  await tx.query(sql.type(nothing)`delete from seen_items where no = ${no}::bigint`)
}
