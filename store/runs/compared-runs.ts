import { type FragmentSqlToken as Fragment, sql } from 'slonik'
import Type, { type Static } from 'typebox'
import { runIdMonitor } from '../../core/run-id.ts'
import type { Diff, RunStatus } from '../../schema/run/run.ts'
import type { Values } from '../../schema/shape/json.ts'
import type { Queryable } from '../db/client.ts'
import { rowOf } from '../db/row.ts'
import { isOf, type Reader, seenOfAll } from '../overview/seen-until.ts'
import { retentionCutoff } from '../quota/pool.ts'
import { isKeptOf, storedRun, storedRuns } from './stored-runs.ts'

const ComparedRow = Type.Object({
  /** It is the run that was asked for, and not the one that it is compared with. */
  is_asked: Type.Boolean(),
  id: Type.String(),
  status: Type.Unsafe<RunStatus>({}),
  start_offset_ms: Type.Integer(),
  is_seen: Type.Boolean(),
  extracted: Type.Unsafe<Values | null>({}),
  /** The last difference up to this run, the first one after it and the baseline now, where they refer to texts. */
  last_diff: Type.Unsafe<Diff | null>({}),
  last_text: Type.Unsafe<Buffer | null>({}),
  next_diff: Type.Unsafe<Diff | null>({}),
  next_text: Type.Unsafe<Buffer | null>({}),
  kept: Type.Unsafe<Values | null>({}),
  kept_text: Type.Unsafe<Buffer | null>({}),
})
const comparedRun = rowOf(ComparedRow)

/** A stored run with its values, and where its text may be. */
export interface ComparedRun {
  readonly id: string
  readonly status: RunStatus
  readonly start_offset_ms: number
  /** The reader has marked it as seen. */
  readonly is_seen: boolean
  /** Null: its kind of monitor has no fields, or it failed. */
  readonly values: Values | null
  /** The key of the readable text of the page that was watched as a whole. Null: it was not kept. */
  readonly text: Buffer | null
}

interface ComparedQuery {
  readonly reader: Reader
  readonly id: string
  /** The id of a run; `seen`: the newest one with values up to the mark of the reader. */
  readonly against: string
}

/**
 * Returns two stored runs of one monitor of the team, inside its retention window; null for one that is not there. One
 * statement, that goes along indexes.
 */
export async function findComparedRuns(store: Queryable, query: ComparedQuery) {
  const { reader, id, against } = query
  const no = sql.fragment`${runIdMonitor(id)}::bigint`
  const seen = sql.fragment`coalesce(
    (select k.seen_id from seen_marks k
      where k.team_id = ${reader.teamId}::uuid and ${isOf(sql.fragment`k.user_id`, reader.userId)}
        and k.monitor_no = ${no}),
    ${seenOfAll(reader)})`
  const ofId = (run: string) => storedRun(no, sql.fragment`${run}::uuid`)
  const other = against === 'seen' ? lastSuccess(query, no, seen) : ofId(against)
  const rows = await store.any(sql.type(comparedRun)`
    with wanted as materialized (
      ${run(query, { stored: ofId(id), isAsked: true })}
      union all
      ${run(query, { stored: other, isAsked: false })}
    )
    select w.is_asked, w.id, w.status, w.start_offset_ms, w.id <= ${seen} as is_seen,
      case when w.reading_id is null then w.extracted else reading.extracted end as extracted,
      case when last.text_after is not null then last.diff end as last_diff, last.text_after as last_text,
      case when next.text_before is not null then next.diff end as next_diff, next.text_before as next_text,
      case when b.text_key is not null then b.extracted end as kept, b.text_key as kept_text
    from wanted w
    left join runs reading on reading.monitor_no = ${no} and reading.id = w.reading_id
    left join lateral (select d.diff, d.text_after from runs d
      where d.monitor_no = ${no} and d.id <= w.id and d.diff is not null order by d.id desc limit 1) last on true
    left join lateral (select d.diff, d.text_before from runs d
      where d.monitor_no = ${no} and d.id > w.id and d.diff is not null order by d.id limit 1) next on true
    left join baselines b on b.no = ${no}
  `)
  const found = (isAsked: boolean) => {
    const stored = rows.find(({ is_asked }) => is_asked === isAsked)
    return stored ? withText(stored) : null
  }
  return { run: found(true), other: found(false) }
}

const run = (
  { reader: { teamId } }: ComparedQuery,
  { stored, isAsked }: { readonly stored: Fragment; readonly isAsked: boolean },
) =>
  sql.fragment`
    select ${isAsked}::boolean as is_asked, s.id, s.status, s.start_offset_ms, s.reading_id, s.extracted
    from (${stored}) s
    where s.team_id = ${teamId}::uuid and s.id >= run_id_floor(${retentionCutoff(teamId)})`

/** Selects the last run up to an id that succeeded. */
const lastSuccess = ({ reader: { teamId } }: ComparedQuery, no: Fragment, until: Fragment): Fragment =>
  storedRuns({
    no,
    isAbove: isKeptOf(teamId),
    isBelow: (id) => sql.fragment`${id} <= ${until}`,
    direction: 'desc',
    limit: sql.fragment`1`,
    isSuccess: true,
  })

/**
 * Only a run that differs refers to its text. That of another one is found by its neighbours, and their hash says
 * whether it is the same: the configuration may have been changed between them.
 */
function withText({ extracted: values, ...stored }: Static<typeof ComparedRow>): ComparedRun {
  const hash = values?.['content_hash']
  const places: readonly (readonly [Values | null | undefined, Buffer | null])[] = [
    [stored.last_diff?.after as Values | undefined, stored.last_text],
    [stored.next_diff?.before as Values | undefined, stored.next_text],
    [stored.kept, stored.kept_text],
  ]
  const place = hash === undefined ? undefined : places.find(([there]) => there?.['content_hash'] === hash)
  return { ...stored, values, text: place?.[1] ?? null }
}
