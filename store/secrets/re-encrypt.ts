import { sql } from 'slonik'
import Type from 'typebox'
import { sleep } from '../../concurrency/loops/sleep.ts'
import type { Store, Transaction } from '../db/client.ts'
import { nothing, row, unnest } from '../db/row.ts'
import { lockStorage } from '../quota/team-storage.ts'
import { SEALED_TABLES, sealedWith } from './sealed-tables.ts'
import { type SealedPlace, type SecretBox, UnreadableSecretError } from './secret-box.ts'

interface ReEncrypted {
  /** Rows that were looked at. */
  readonly seen: number
  /** Rows that were written again. */
  readonly rows: number
}

/** The rows that are done, of how many. */
interface Progress extends ReEncrypted {
  /** Rows that there were when it began. */
  readonly total: number
}

interface Done extends ReEncrypted {
  /** Rows that still need another key: their values do not open, so they were left as they are. */
  readonly unreadable: readonly string[]
  /** Others kept some rows locked: the older keys are still needed. */
  readonly isIncomplete: boolean
}

type Table = (typeof SEALED_TABLES)[number]

const locked = row({ got: Type.Boolean() })

/**
 * Does the work of a rotation while no other rotation is under way. Returns null when one is. The work gets a check
 * that rejects when it is no longer sure to be alone.
 */
export async function duringRotation<T>(
  store: Store,
  work: (ensureAlone: () => Promise<void>) => Promise<T>,
): Promise<T | null> {
  // The lock ends with its connection, so a rotation that is killed leaves none behind.
  return store.connect(async (connection) => {
    const lock = sql.type(locked)`select pg_try_advisory_lock(hashtext('tidemark.rotate_key')) as got`
    if (!(await connection.oneFirst(lock))) return null
    try {
      return await work(async () => void (await connection.query(sql.type(nothing)`select`)))
    } finally {
      await connection.query(sql.type(nothing)`select pg_advisory_unlock(hashtext('tidemark.rotate_key'))`)
    }
  })
}

/** Rows that one statement looks at. No row is locked for longer than it takes to write as many. */
const BATCH = 500
/** Documents of up to 13 MB each: all of a batch are in memory at once. */
const BATCH_OF: Partial<Record<Table['table'], number>> = { looks: 3, asked_work: 10 }
/** Rows that others had locked are looked at again, so many times. */
const PASSES = 10
const PASS_PAUSE_MS = 200
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * Encrypts all values again that were not encrypted with the newest key of the box. It may be stopped at any moment and
 * started again: each value names its key, so the rest is done then. Checks and deliveries may run at the same time: a
 * row that they have locked is done later, and no statement waits for them while it has locked rows itself.
 */
export async function reEncrypt(
  store: Store,
  secrets: SecretBox,
  onProgress: (soFar: Progress) => void,
): Promise<Done> {
  const sum = { seen: 0, rows: 0 }
  const total = await countRows(store)
  const report = (soFar: ReEncrypted) => onProgress({ ...soFar, total })
  const unreadable: string[] = []
  for (const table of SEALED_TABLES)
    for (let pass = 1; pass <= PASSES; pass++) {
      unreadable.push(...(await throughTable(store, secrets, { table, sum, isAgain: pass > 1, onProgress: report })))
      if (!(await hasOthers(store, table, secrets, unreadable))) break
      await sleep(PASS_PAUSE_MS)
    }
  // Once more for all: what was under way at the first look may have been written with an older key.
  let isIncomplete = false
  for (const table of SEALED_TABLES) isIncomplete ||= await hasOthers(store, table, secrets, unreadable)
  return { ...sum, unreadable: [...new Set(unreadable)], isIncomplete }
}

const counted = row({ count: Type.Integer() })

async function countRows(store: Store): Promise<number> {
  let total = 0
  for (const { table } of SEALED_TABLES)
    total += await store.oneFirst(sql.type(counted)`select count(*) from ${sql.identifier([table])}`)
  return total
}

interface Pass {
  readonly table: Table
  readonly sum: { seen: number; rows: number }
  readonly isAgain: boolean
  readonly onProgress: (soFar: ReEncrypted) => void
}

const bounds = row({ last: Type.Union([Type.String(), Type.Null()]), count: Type.Integer() })

/** Returns the rows that do not open. */
async function throughTable(store: Store, secrets: SecretBox, pass: Pass): Promise<readonly string[]> {
  const { table, sum, isAgain, onProgress } = pass
  const unreadable: string[] = []
  for (let after = FIRST_ID; ;) {
    const batch = BATCH_OF[table.table] ?? BATCH
    const { last, count } = await store.one(sql.type(bounds)`
      select (array_agg(id order by id desc))[1] as last, count(*) as count
      from (select id from ${sql.identifier([table.table])} where id > ${after}::uuid order by id limit ${batch}) batch
    `)
    if (last === null) return unreadable
    const done = await store.transaction((tx) => oneBatch(tx, secrets, { table, after, last }))
    unreadable.push(...done.unreadable)
    sum.rows += done.rows
    if (!isAgain) sum.seen += count
    onProgress(sum)
    after = last
  }
}

interface Range {
  readonly table: Table
  readonly after: string
  readonly last: string
}

const team = row({ team_id: Type.String() })

/** Returns the teams of answers: their storage is locked before their answers (store/maintenance). */
const teamsOf = (tx: Transaction, { after, last }: Omit<Range, 'table'>) =>
  tx.anyFirst(sql.type(team)`
    select distinct team_id from idempotent_answers where id > ${after}::uuid and id <= ${last}::uuid`)

const sealedRow = row({
  id: Type.String(),
  team_id: Type.String(),
  values: Type.Unsafe<Readonly<Record<string, string | null>>>({}),
})

async function oneBatch(tx: Transaction, secrets: SecretBox, { table, after, last }: Range) {
  const { table: name, columns, owner } = table
  if (name === 'idempotent_answers') await lockStorage(tx, await teamsOf(tx, { after, last }))
  const found = await tx.any(sql.type(sealedRow)`
    select id, ${sql.identifier([owner])} as team_id, json_build_object(${sql.join(
      columns.flatMap((column) => [
        sql.fragment`${sql.literalValue(column)}`,
        sql.fragment`encode(${sql.identifier([column])}, 'base64')`,
      ]),
      sql.fragment`, `,
    )}) as values
    from ${sql.identifier([name])}
    where id > ${after}::uuid and id <= ${last}::uuid and ${needsOther(table, secrets)}
    order by id
    for update skip locked
  `)
  const unreadable = new Set<string>()
  const written = new Set<string>()
  for (const column of columns) {
    const fresh: { readonly id: string; readonly value: Buffer }[] = []
    for (const { id, team_id: teamId, values } of found) {
      const sealed = values[column]
      if (sealed === null || sealed === undefined) continue
      const place = { teamId, column: `${name}.${column}` as SealedPlace['column'], rowId: id }
      const value = reSealed(secrets, place, Buffer.from(sealed, 'base64'))
      if (value === null) unreadable.add(`${name} ${id}`)
      else fresh.push({ id, value })
    }
    if (fresh.length === 0) continue
    for (const { id } of fresh) written.add(id)
    await tx.query(sql.type(nothing)`
      update ${sql.identifier([name])} t set ${sql.identifier([column])} = i.value
      from ${unnest('i', fresh, { id: 'uuid', value: 'bytea' })}
      where t.id = i.id
    `)
  }
  return { rows: written.size, unreadable: [...unreadable] }
}

/** Returns the value under the newest key; null when it does not open. */
function reSealed(secrets: SecretBox, place: SealedPlace, sealed: Buffer): Buffer | null {
  try {
    return secrets.seal(place, secrets.open(place, sealed))
  } catch (error) {
    if (error instanceof UnreadableSecretError) return null
    throw error
  }
}

/** Is true for a row with a value that another key than the newest encrypted. */
const needsOther = ({ columns }: Table, { keyIds: [newest = ''] }: SecretBox) =>
  sql.fragment`(${sql.join(
    columns.map((column) => sql.fragment`${sealedWith(sql.identifier([column]))} <> ${newest}`),
    sql.fragment` or `,
  )})`

const exists = row({ found: Type.Boolean() })

async function hasOthers(store: Store, table: Table, secrets: SecretBox, known: readonly string[]): Promise<boolean> {
  const ids = known.filter((text) => text.startsWith(`${table.table} `)).map((text) => text.split(' ')[1] ?? '')
  return store.oneFirst(sql.type(exists)`
    select exists (
      select from ${sql.identifier([table.table])}
      where ${needsOther(table, secrets)} and id <> all(${sql.array(ids, 'uuid')})
    ) as found
  `)
}
