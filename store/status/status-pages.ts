import { sql } from 'slonik'
import Type, { type Static } from 'typebox'
import type { Queryable, Transaction } from '../db/client.ts'
import { nothing, row, rowOf, unnest } from '../db/row.ts'
import { Stored, TextOrNull } from '../monitors/kinds/monitor-row.ts'

interface ShownMonitor {
  readonly monitor_id: string
  readonly name: string
  readonly show_value: boolean
}

const StoredStatusPage = Type.Object({
  id: Type.String(),
  slug: Type.String(),
  title: Type.String(),
  /** Null: the monitors of the list are shown. */
  label_key: TextOrNull,
  label_value: TextOrNull,
  show_values: Type.Boolean(),
  indexed: Type.Boolean(),
  published: Type.Boolean(),
  /** Those that are not deleted. */
  monitors: Stored<readonly ShownMonitor[]>(),
  created_at: Type.String(),
  updated_at: Type.String(),
})
/** A status page as its team sees it. */
export type StoredStatusPage = Static<typeof StoredStatusPage>
const storedStatusPage = rowOf(StoredStatusPage)

/** The columns of a status page that its team writes. */
export interface StatusPageParts {
  readonly slug: string
  readonly title: string
  readonly label_key: string | null
  readonly label_value: string | null
  readonly show_values: boolean
  readonly indexed: boolean
}

const PAGE = sql.fragment`
  p.id, p.slug, p.title, p.label_key, p.label_value, p.show_values, p.indexed, p.published, p.created_at, p.updated_at,
  (
    select coalesce(json_agg(
      json_build_object('monitor_id', m.id, 'name', s.name, 'show_value', s.show_value) order by s.position), '[]')
    from status_page_monitors s
    join monitors m on m.no = s.monitor_no and m.team_id = p.team_id and m.deleted_at is null
    where s.page_id = p.id
  ) as monitors`

/** Returns the status pages of a team, the oldest first. */
export const listStatusPages = (store: Queryable, teamId: string): Promise<readonly StoredStatusPage[]> =>
  store.any(sql.type(storedStatusPage)`
    select ${PAGE} from status_pages p where p.team_id = ${teamId}::uuid order by p.created_at, p.id`)

export const findStatusPage = (store: Queryable, teamId: string, id: string): Promise<StoredStatusPage | null> =>
  store.maybeOne(sql.type(storedStatusPage)`
    select ${PAGE} from status_pages p where p.team_id = ${teamId}::uuid and p.id = ${id}::uuid`)

/** Returns a status page that nobody else changes until the transaction ends. */
export const lockStatusPage = (tx: Transaction, teamId: string, id: string): Promise<StoredStatusPage | null> =>
  tx.maybeOne(sql.type(storedStatusPage)`
    select ${PAGE} from status_pages p where p.team_id = ${teamId}::uuid and p.id = ${id}::uuid for update of p`)

const counted = row({ count: Type.Integer() })

export const countStatusPages = (store: Queryable, teamId: string): Promise<number> =>
  store.oneFirst(sql.type(counted)`
    select count(*)::int as count from status_pages where team_id = ${teamId}::uuid`)

const identified = row({ id: Type.String() })

/**
 * Returns whether another status page of the installation has this slug. Serializes those who ask for the same one
 * until the end of the transaction: a page that does not exist yet cannot be locked.
 */
export async function isSlugTaken(tx: Transaction, slug: string, exceptId: string | null): Promise<boolean> {
  const text = `tidemark status page ${slug}`
  await tx.query(sql.type(nothing)`select pg_advisory_xact_lock(hashtextextended(${text}, 0))`)
  const found = await tx.maybeOne(sql.type(identified)`
    select id from status_pages where slug = ${slug} and id is distinct from ${exceptId}::uuid`)
  return found !== null
}

/** Makes a status page that is not published. Returns its id. */
export const insertStatusPage = (tx: Transaction, teamId: string, parts: StatusPageParts): Promise<string> =>
  tx.oneFirst(sql.type(identified)`
    insert into status_pages (team_id, slug, title, label_key, label_value, show_values, indexed)
    values (${teamId}::uuid, ${parts.slug}, ${parts.title}, ${parts.label_key}, ${parts.label_value},
      ${parts.show_values}, ${parts.indexed})
    returning id`)

export async function updateStatusPage(
  tx: Transaction,
  { teamId, id, parts }: { readonly teamId: string; readonly id: string; readonly parts: StatusPageParts },
): Promise<void> {
  await tx.query(sql.type(nothing)`
    update status_pages set slug = ${parts.slug}, title = ${parts.title}, label_key = ${parts.label_key},
      label_value = ${parts.label_value}, show_values = ${parts.show_values}, indexed = ${parts.indexed},
      values_since = case
        when row(label_key, label_value, show_values)
          is distinct from row(${parts.label_key}::text, ${parts.label_value}::text, ${parts.show_values}::bool)
        then clock() else values_since end,
      updated_at = clock()
    where team_id = ${teamId}::uuid and id = ${id}::uuid`)
}

/** A monitor of the list of a status page, by its number. */
interface Listed {
  readonly monitor_no: number
  readonly name: string
  readonly show_value: boolean
}

/** Replaces the list of a status page. Since when a value is shown stays as it is. */
export async function listOnStatusPage(tx: Transaction, pageId: string, listed: readonly Listed[]): Promise<void> {
  const rows = listed.map((one, position) => ({ ...one, position }))
  const kept = sql.array(
    listed.map(({ monitor_no }) => monitor_no),
    'int8',
  )
  await tx.query(sql.type(nothing)`
    delete from status_page_monitors where page_id = ${pageId}::uuid and monitor_no <> all(${kept})`)
  await tx.query(sql.type(nothing)`
    insert into status_page_monitors as before (page_id, monitor_no, position, name, show_value)
    select ${pageId}::uuid, i.monitor_no, i.position, i.name, i.show_value
    from ${unnest('i', rows, { monitor_no: 'int8', position: 'int2', name: 'text', show_value: 'bool' })}
    on conflict (page_id, monitor_no) do update set position = excluded.position, name = excluded.name,
      show_value = excluded.show_value,
      values_since = case when before.show_value then before.values_since else excluded.values_since end`)
}

export async function publishStatusPage(
  tx: Transaction,
  { teamId, id, published }: { readonly teamId: string; readonly id: string; readonly published: boolean },
): Promise<void> {
  await tx.query(sql.type(nothing)`
    update status_pages set published = ${published}, updated_at = clock()
    where team_id = ${teamId}::uuid and id = ${id}::uuid`)
}

export async function deleteStatusPageRow(tx: Transaction, teamId: string, id: string): Promise<void> {
  await tx.query(sql.type(nothing)`
    delete from status_pages where team_id = ${teamId}::uuid and id = ${id}::uuid`)
}

const numbered = row({ id: Type.String(), no: Type.Integer() })

/** Returns the numbers of those of the monitors that the team has, by their ids. */
export async function numbersById(
  store: Queryable,
  teamId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const found = await store.any(sql.type(numbered)`
    select id, no from monitors
    where team_id = ${teamId}::uuid and deleted_at is null and id = any(${sql.array([...ids], 'uuid')})`)
  return new Map(found.map(({ id, no }) => [id, no]))
}
