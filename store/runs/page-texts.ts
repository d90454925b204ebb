import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { sql } from 'slonik'
import Type from 'typebox'
import { runIdMonitor } from '../../core/run-id.ts'
import type { Diff } from '../../schema/run/run.ts'
import type { Queryable } from '../db/client.ts'
import { row, unnest, nothing } from '../db/row.ts'
import { retentionCutoff } from '../quota/pool.ts'
import { storedRun } from './stored-runs.ts'

/*
 * The readable texts of whole pages, to show what changed. A text has the hash of itself as its key. A team has each
 * text once, whatever the number of its monitors and runs that had it: a page of which only the scripts change keeps
 * one. A baseline refers to its text, and a run that found a difference refers to both.
 */

/** The text of a reading as it is kept. */
export interface PageText {
  readonly key: Buffer
  /** Compressed. Null: it is the text before, which is stored already. */
  readonly bytes: Buffer | null
  /** The key of the text of the reading before; null when there is none. */
  readonly before: Buffer | null
}

const deflate = promisify(deflateRaw)
const inflate = promisify(inflateRaw)
const KEY_BYTES = 16
/** More than the longest text that is kept. */
const MAX_BYTES = 4 * 1024 * 1024

/** Returns a text as it is kept. It is compressed outside of the main thread. */
export async function packPageText(text: string, before: Buffer | null): Promise<PageText> {
  const key = createHash('sha256').update(text).digest().subarray(0, KEY_BYTES)
  return { key, bytes: before?.equals(key) ? null : await deflate(text), before }
}

const unpack = async (bytes: Uint8Array) => (await inflate(bytes, { maxOutputLength: MAX_BYTES })).toString('utf8')

/**
 * Stores the texts of readings, before their runs are recorded. A text that is stored already is marked as used by the
 * run, and so is the text before it, so that both stay for as long as the run.
 */
export async function keepPageTexts(
  store: Queryable,
  runs: readonly { readonly no: number; readonly run_id: string; readonly text?: PageText | null }[],
): Promise<void> {
  const texts = runs.flatMap(({ no, run_id, text }) => (text ? [{ no, run_id, ...text }] : []))
  for (let from = 0; from < texts.length; from += AT_ONCE) await keep(store, texts.slice(from, from + AT_ONCE))
}

/** Texts in one statement, which holds them in memory. */
const AT_ONCE = 50

async function keep(store: Queryable, texts: readonly (PageText & { no: number; run_id: string })[]): Promise<void> {
  await store.query(sql.prepared('keep_page_texts', nothing)`
    with input as materialized (
      select c.team_id, i.*
      from ${unnest('i', texts, { no: 'int8', run_id: 'uuid', key: 'bytea', bytes: 'bytea', before: 'bytea' })}
      join checks c on c.no = i.no
    )
    insert into page_texts (team_id, key, text, last_run_id)
    select distinct on (team_id, key) team_id, key, text, run_id
    from (
      select team_id, key, bytes as text, run_id from input where bytes <> ''
      union all
      select i.team_id, p.key, p.text, i.run_id
      from input i join page_texts p on p.team_id = i.team_id and p.key = i.before
    ) texts
    order by team_id, key, run_id desc
    on conflict (team_id, key) do update
    set last_run_id = greatest(page_texts.last_run_id, excluded.last_run_id)
  `)
}

const stored = row({ text: Type.Unsafe<Uint8Array>({}) })

/** Returns a text of the team; null when it is not kept any more. */
export async function findPageText(store: Queryable, teamId: string, key: Buffer): Promise<string | null> {
  const found = await store.maybeOne(sql.prepared('find_page_text', stored)`
    select text from page_texts where team_id = ${teamId}::uuid and key = ${sql.binary(key)}
  `)
  return found && unpack(found.text)
}

const storedByKey = row({ key: Type.Unsafe<Buffer>({}), text: Type.Unsafe<Uint8Array>({}) })

/** Returns two texts of the team, in one statement; each is null when it is not kept any more. */
export async function findPageTexts(
  store: Queryable,
  teamId: string,
  [one, other]: readonly [Buffer, Buffer],
): Promise<readonly [string | null, string | null]> {
  const found = await store.any(sql.prepared('find_page_texts', storedByKey)`
    select key, text from page_texts
    where team_id = ${teamId}::uuid and key in (${sql.binary(one)}, ${sql.binary(other)})
  `)
  const textOf = async (wanted: Buffer) => {
    const stored = found.find(({ key }) => wanted.equals(key))
    return stored ? unpack(stored.text) : null
  }
  return [await textOf(one), await textOf(other)]
}

/** The difference that a run found, with the texts of a whole page. */
export interface RunTexts {
  readonly diff: Diff | null
  /** Null: the run refers to no texts. `gone`: they are not kept any more. */
  readonly texts: { readonly before: string; readonly after: string } | 'gone' | null
}

const runTexts = row({
  diff: Type.Unsafe<Diff | null>({}),
  has_texts: Type.Boolean(),
  before: Type.Unsafe<Uint8Array | null>({}),
  after: Type.Unsafe<Uint8Array | null>({}),
})

/** Returns the difference of a recorded run of the team inside its retention window, or null. */
export async function findRunTexts(store: Queryable, teamId: string, id: string): Promise<RunTexts | null> {
  const found = await store.maybeOne(sql.prepared('find_run_texts', runTexts)`
    select r.diff, r.text_after is not null as has_texts, b.text as before, a.text as after
    from (${storedRun(sql.fragment`${runIdMonitor(id)}::bigint`, sql.fragment`${id}::uuid`)}) r
    left join page_texts b on b.team_id = r.team_id and b.key = r.text_before
    left join page_texts a on a.team_id = r.team_id and a.key = r.text_after
    where r.team_id = ${teamId}::uuid and r.id >= run_id_floor(${retentionCutoff(teamId)})
  `)
  if (!found) return null
  const { diff, has_texts: hasTexts, before, after } = found
  if (!hasTexts) return { diff, texts: null }
  if (!before || !after) return { diff, texts: 'gone' }
  return { diff, texts: { before: await unpack(before), after: await unpack(after) } }
}
