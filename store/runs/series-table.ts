import { type FragmentSqlToken as Fragment, sql } from 'slonik'
import { MAX_SERIES_COUNTED, MAX_SERIES_RUNS, MAX_SERIES_STEPS } from '../../schema/run/series.ts'
import { jsonBytes } from '../db/listed-bytes.ts'

/** Runs `s` that say something of a field. */
interface StepSource {
  /** Tables and condition. */
  readonly from: Fragment
  /** The field as the text of JSON. Null: the run says nothing of it. */
  readonly value: Fragment
  /** Is true when the run found a difference. */
  readonly isChange: Fragment
}

/** The columns of an export, of runs `s`. */
interface HistoryColumns {
  /** Is true of a run that is exported. */
  readonly isRow: Fragment
  /** The values, as JSON. */
  readonly values: Fragment
  /** About how many bytes they are. */
  readonly bytes: Fragment
}

/** How the series of a kind of monitor is read out of its runs. */
export interface SeriesTable {
  /** The fields of the last reading, with their values: pairs of texts, of `monitors m` and `baselines b`. */
  readonly values: Fragment
  /** The same of a run `s`, or of the run `reading` whose values it has again: the value of a field. */
  valueOf(field: string): Fragment
  /** Its runs say whether an engine shows blocks beside the results. */
  readonly hasBlocks: boolean
  /** The columns of an export. */
  readonly history: HistoryColumns
  /** How many of these runs are read, the newest first. */
  mostSteps(field: string): number
  /** Returns the runs that differ, of those that the condition of `runs s` names. */
  sources(isThere: Fragment, field: string): readonly StepSource[]
}

/** A longer text does not read as a number. */
const MOST_OF_VALUE = sql.literalValue('200')
/** Values are read out of JSON that is stored in at most so many bytes: a page has thousands of them. */
const MOST_OF_DIFF = sql.literalValue('32768')
/** A monitor that warns at each run stores its reading each time, so these are looked for in the last runs. */
const MOST_LOOKED = sql.literalValue(String(MAX_SERIES_RUNS))
const NULL = sql.fragment`null::text`
const NO = sql.fragment`false`
const YES = sql.fragment`true`

/** Postgres refuses to read NUL and halves of surrogate pairs, which old JSON may have. */
const readable = (json: Fragment) => sql.fragment`(
  strpos(${json}::text, '\\u0000') = 0 and ${json}::text !~* '\\\\ud[89a-f]')`

/** Returns the text of a value; of one that is too long for a number, that of null. */
const short = (value: Fragment) => sql.fragment`
  case when octet_length(${value}::text) <= ${MOST_OF_VALUE}::int then ${value}::text
    when ${value} is not null then 'null' end`

const extracted = sql.fragment`(case when s.reading_id is null then s.extracted else reading.extracted end)`

/** Fields of pages, out of their differences. */
export const PAGE_SERIES: SeriesTable = {
  hasBlocks: false,
  history: {
    isRow: sql.fragment`s.reading_id is null`,
    values: sql.fragment`s.extracted`,
    bytes: jsonBytes(sql.fragment`s.extracted`),
  },
  values: sql.fragment`(
    select json_agg(json_build_array(f.key, f.value::text))
    from json_each(case when ${readable(sql.fragment`b.extracted`)} then b.extracted end) f
    where octet_length(f.value::text) <= ${MOST_OF_VALUE}::int)`,
  valueOf: (field) => sql.fragment`
    case when ${readable(extracted)} then ${short(sql.fragment`(${extracted} -> ${field}::text)`)} end`,
  mostSteps: () => MAX_SERIES_STEPS,
  sources(isThere, field) {
    const after = sql.fragment`(s.diff -> 'after' -> ${field}::text)`
    const own = sql.fragment`(s.extracted -> ${field}::text)`
    // The row that lists show of a large difference has its first fields, and is small.
    const shown = sql.fragment`(
      select f.value -> 'after' from json_array_elements(s.change -> 'fields') f
      where f.value ->> 'field' = ${field}::text limit 1)`
    return [
      {
        from: sql.fragment`runs s where ${isThere} and s.diff is not null`,
        value: sql.fragment`
          case when pg_column_size(s.diff) <= ${MOST_OF_DIFF}::int and ${readable(sql.fragment`s.diff`)}
              then ${short(after)}
            when s.change is not null then ${short(shown)} end`,
        isChange: YES,
      },
      {
        from: sql.fragment`run_images v join runs s on s.monitor_no = v.monitor_no and s.id = v.run_id
          where ${isThere} and s.diff is null and v.has_changes`,
        value: NULL,
        isChange: YES,
      },
      // A baseline that an edit made has no difference.
      {
        from: sql.fragment`(select s.* from runs s where ${isThere} order by s.id desc limit ${MOST_LOOKED}) s
          where s.reading_id is null and s.diff is null and s.status = 'success'`,
        value: sql.fragment`
          case when pg_column_size(s.extracted) <= ${MOST_OF_DIFF}::int and ${readable(sql.fragment`s.extracted`)}
            then ${short(own)} end`,
        isChange: NO,
      },
    ]
  },
}
const resultsOf = (run: 's' | 'reading') =>
  sql.fragment`json_array_length(${sql.identifier([run, 'organic_results'])})::text`

const searchSteps = (field: string): number => (field === 'results' ? MAX_SERIES_COUNTED : MAX_SERIES_STEPS)

/** The rank of a search, or the number of its results. */
export const SEARCH_SERIES: SeriesTable = {
  hasBlocks: true,
  history: {
    // A block beside the results may come and go while they stay.
    isRow: sql.fragment`(s.reading_id is null or exists (
      select from (
        select p.ai_overview_present as ai, p.featured_snippet_present as snippet from runs p
        where p.monitor_no = s.monitor_no and p.id < s.id and p.status = 'success' order by p.id desc limit 1
      ) p
      where (p.ai, p.snippet) is distinct from (s.ai_overview_present, s.featured_snippet_present)))`,
    values: sql.fragment`json_build_object('rank', s.target_rank, 'results', json_array_length(coalesce(
        s.organic_results,
        (select f.organic_results from runs f where f.monitor_no = s.monitor_no and f.id = s.reading_id))),
      'ai_overview', s.ai_overview_present, 'featured_snippet', s.featured_snippet_present)`,
    bytes: sql.fragment`200`,
  },
  values: sql.fragment`
    case when m.target_domain is null then '[["results", "0"]]' else '[["rank", "0"], ["results", "0"]]' end::json`,
  valueOf(field) {
    if (field === 'rank') return sql.fragment`coalesce(s.target_rank::text, 'null')`
    if (field !== 'results') return NULL
    return sql.fragment`coalesce(${resultsOf('s')}, ${resultsOf('reading')}, 'null')`
  },
  mostSteps: searchSteps,
  sources(isThere, field) {
    const rank = sql.fragment`coalesce(s.target_rank::text, 'null')`
    const own = { rank, results: resultsOf('s') }[field] ?? NULL
    return [
      {
        from: sql.fragment`(
          select s.* from runs s where ${isThere} and s.organic_results is not null
          order by s.id desc limit ${sql.literalValue(String(searchSteps(field)))}) s where true`,
        value: own,
        isChange: sql.fragment`(s.change is not null)`,
      },
    ]
  },
}
