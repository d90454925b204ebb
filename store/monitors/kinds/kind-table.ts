import { sql } from 'slonik'
import Type from 'typebox'
import type { Static, TObject, TProperties } from 'typebox'
import type { CheckQueue } from '../../../core/check-queue.ts'
import type { MonitorKind } from '../../../schema/resource-kind.ts'
import { jsonBytes, type ListedBytes, listedBytes, valuesOfPage } from '../../db/listed-bytes.ts'
import { rowOf, type RowSchema } from '../../db/row.ts'
import type { RunsOfKind } from '../../queue/runs-of-kind.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { EVERY_COLUMN, EVERY_ROW, type EveryRow, Sealed } from './monitor-row.ts'
import { columnsOf, jsonNames, type OwnColumns, schemasOf, smallNames } from './own-columns.ts'

type Fragment = ReturnType<typeof sql.fragment>

/** The columns of `checks` that follow from a configuration. */
interface CheckOf {
  readonly queue: CheckQueue
  /** The runs that it uses. */
  readonly cost: number
  /** It is done by its own pod. */
  readonly is_isolated: boolean
  /** The level of the work (schema/level.ts). */
  readonly level: number
}

export interface EditedSpec<Spec> {
  readonly spec: Spec
  readonly changed: readonly string[]
  readonly resetsBaseline: boolean
}

/** The columns that a statement selects of a monitor, and the shape of its rows. */
interface Selected<Row> {
  readonly columns: Fragment
  readonly row: RowSchema<Row>
}

/** A monitor of a list. Its large columns are null where they are too large for one answer (`hasValues`). */
export type Listed<Row> = Row & ListedBytes

interface SelectedList<Row> {
  /** Of `monitors m`, which has `bytes` and `page_bytes`, and `checks c`. */
  readonly columns: Fragment
  /** An expression for the bytes of `monitors m`. */
  readonly bytes: Fragment
  readonly row: RowSchema<Listed<Row>>
  /** Its own columns of JSON, which the form of the API shows as they are stored. */
  readonly shownAsStored: readonly string[]
  /** Columns with JSON as text for each of `shownAsStored`, and rows of these. */
  readonly texts: Selected<Row>
}

/** SQL for the status of a custom resource: the values now, and the last change. */
interface ResultsOfKind {
  /** The expression for the values now, of `checks c join monitors m left join baselines b`. */
  readonly values: Fragment
  /** The condition under which a run `r` is the last change. */
  readonly isChange: Fragment
  /** The expression for what that run, as `d`, found: a `Diff`. */
  readonly change: Fragment
}

/** Of a kind whose runs store values and their differences. */
export const PLAIN_RESULTS: ResultsOfKind = {
  values: sql.fragment`b.extracted`,
  isChange: sql.fragment`r.diff is not null`,
  change: sql.fragment`d.diff`,
}

/** A kind of monitor in the store: its columns, and the statements that differ from those of other kinds. */
interface KindColumns<Spec, Own extends OwnColumns> {
  /** The value of `monitors.kind`. */
  readonly kind: MonitorKind
  readonly own: Own
  /** It sends headers with its requests. They are encrypted. */
  readonly hasHeaders: boolean
  /** The expression for `next_run_at`, of `monitors m join checks c`. */
  readonly nextRunAt: Fragment
  /** The expression for what it watches, of `monitors m`: one line for people. */
  readonly target: Fragment
  /** The expression for what a search asks for, of `monitors m`: JSON for lists. Only searches have it. */
  readonly search?: Fragment
  /** Selects from `teams t`: `at`, `id`, and whether a new monitor of it is `locked`. */
  readonly teams: Fragment
  readonly runs: RunsOfKind
  readonly results: ResultsOfKind
  check(spec: Spec): CheckOf
  /** Returns further assignments to `checks c`, as the part `t.at` of the statement has the time. */
  edited(edit: EditedSpec<Spec>): readonly Fragment[]
}

/**
 * How the store keeps one kind of monitor: the columns of its configuration and what follows from them. Statements
 * about all kinds take `KindTable` without arguments.
 */
export interface KindTable<Spec = unknown, Row extends EveryRow = EveryRow> extends Selected<Row> {
  readonly kind: MonitorKind
  readonly own: OwnColumns
  readonly nextRunAt: Fragment
  readonly target: Fragment
  readonly search: Fragment
  readonly teams: Fragment
  readonly runs: RunsOfKind
  readonly results: ResultsOfKind
  readonly list: SelectedList<Row>
  check(spec: Spec): CheckOf
  edited(edit: EditedSpec<Spec>): readonly Fragment[]
  /** Returns the configuration in a row, decrypted. A value that a tolerant box cannot open is absent. */
  spec(stored: Row, secrets: SecretBox): Spec
}

/** Returns the properties of the rows of a kind. */
export const rowProperties = <Own extends OwnColumns, const More extends TProperties>(own: Own, more: More) => ({
  ...EVERY_ROW,
  ...schemasOf(own),
  ...more,
})

const NO_SEARCH = sql.fragment`null::json`

/** Returns the table of a kind whose rows have these properties (`rowProperties`). */
export function kindTable<Spec, Properties extends TProperties, Row extends EveryRow & Static<TObject<Properties>>>(
  differs: KindColumns<Spec, OwnColumns>,
  properties: Properties,
  spec: (stored: Row, secrets: SecretBox) => Spec,
): KindTable<Spec, Row> {
  const { kind, own, hasHeaders, nextRunAt, target, search = NO_SEARCH, teams, runs, results, check, edited } = differs
  const sealed = hasHeaders ? ['request_headers', 'deliveries'] : ['deliveries']
  const shownAsStored = jsonNames(own)
  const json = [...shownAsStored, 'labels', 'more']
  const large = [...json, ...sealed]
  const head = sql.fragment`${columnsOf(smallNames(own), 'm')}, ${EVERY_COLUMN}, ${nextRunAt} as next_run_at`
  const row = rowOf(Type.Object(properties)) as RowSchema<Row>
  const listed = rowOf(Type.Object({ ...properties, ...listedBytes })) as RowSchema<Listed<Row>>
  return {
    kind,
    own,
    nextRunAt,
    target,
    search,
    teams,
    runs,
    results,
    check,
    edited,
    spec: (stored, secrets) => ({ ...stored.more, ...spec(stored, secrets) }),
    row,
    columns: sql.fragment`${head}, ${columnsOf(large, 'm')}`,
    list: {
      columns: sql.fragment`${head}, m.bytes, m.page_bytes, ${valuesOfPage('m', large)}`,
      bytes: bytesOf(json, sealed),
      row: listed,
      shownAsStored,
      texts: { columns: sql.fragment`${head}, ${textsOf(shownAsStored, large)}`, row },
    },
  }
}

const bytesOf = (json: readonly string[], sealed: readonly string[]): Fragment =>
  sql.fragment`${sql.join(
    [
      ...json.map((name) => jsonBytes(sql.fragment`${sql.identifier(['m', name])}`)),
      ...sealed.map((name) => sql.fragment`coalesce(octet_length(${sql.identifier(['m', name])}), 0)`),
    ],
    sql.fragment` + `,
  )}`

/** Returns large columns, and those of JSON that are shown as they are stored as text. */
const textsOf = (shownAsStored: readonly string[], names: readonly string[]) =>
  sql.join(
    names.map((name) => {
      const column = sql.identifier(['m', name])
      return shownAsStored.includes(name)
        ? sql.fragment`${column}::text as ${sql.identifier([name])}`
        : sql.fragment`${column}`
    }),
    sql.fragment`, `,
  )

/** Encrypted headers of requests, in rows of kinds that have them. */
export const HEADERS = { request_headers: Sealed }
