import Type from 'typebox'
import type { Static } from 'typebox'
import { sql } from 'slonik'
import type { DeliveryConfig } from '../../schema/monitor/delivery-config.ts'
import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import type { ExtractConfig } from '../../schema/monitor/extract-config.ts'
import type { FETCH_MODES, ListedStatus, Monitor, MonitorSpec, MonitorStatus } from '../../schema/monitor/monitor.ts'
import type { Labels, Manager } from '../../schema/monitor/labels.ts'
import type { MonitorKind } from '../../schema/resource-kind.ts'
import type { RequestConfig } from '../../schema/monitor/request-config.ts'
import type { RequestHeaders } from '../../schema/monitor/request-headers.ts'
import type { VisualConfig } from '../../schema/monitor/visual-config.ts'
import type { SerpMonitor, SerpMonitorSpec } from '../../schema/serp/serp-monitor.ts'
import { jsonBytes, type ListedBytes, listedBytes, valuesOfPage } from '../db/listed-bytes.ts'
import { rowOf, type RowSchema } from '../db/row.ts'
import { poolOf, RUNS_RESET_AT } from '../quota/pool.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { FAILURES_UNTIL_ERROR } from '../../core/schedule.ts'

const Null = Type.Null()
const Bytes = Type.Unsafe<Uint8Array | null>({})
// The value was checked when it was written, and is not checked again at each read.
const Stored = <T>() => Type.Unsafe<T>({})

/** What the rows of both kinds of monitor have. */
const EVERY = {
  id: Type.String(),
  no: Type.Integer(),
  team_id: Type.String(),
  user_id: Type.String(),
  name: Type.String(),
  schedule_interval_seconds: Type.Integer(),
  deliveries: Bytes,
  paused: Type.Boolean(),
  suspended: Type.Boolean(),
  locked: Type.Boolean(),
  managed_by: Stored<Manager>(),
  declared_in: Type.Union([Type.String(), Null]),
  external_key: Type.Union([Type.String(), Null]),
  labels: Stored<Labels | null>(),
  created_at: Type.String(),
  failures: Type.Integer(),
  last_run_at: Type.Union([Type.String(), Null]),
  next_run_at: Type.Union([Type.String(), Null]),
}

/** A monitor of a page with the state of its check, as `MONITOR_COLUMNS` selects it. */
const MonitorRow = Type.Object({
  ...EVERY,
  kind: Type.Literal('page'),
  url: Type.String(),
  extract_config: Stored<ExtractConfig>(),
  diff_predicate: Stored<DiffPredicate>(),
  fetch_mode: Stored<(typeof FETCH_MODES)[number]>(),
  request_config: Stored<RequestConfig | null>(),
  visual_config: Stored<VisualConfig | null>(),
  template_slug: Type.Union([Type.String(), Null]),
  notify_on: Stored<MonitorSpec['notify_on']>(),
  isolation: Stored<MonitorSpec['isolation']>(),
  request_headers: Bytes,
})
export type MonitorRow = Static<typeof MonitorRow>
export const monitorRow = rowOf(MonitorRow)

/** A monitor of a search with the state of its check. */
const SerpMonitorRow = Type.Object({
  ...EVERY,
  kind: Type.Literal('serp'),
  keyword: Type.String(),
  engine: Stored<SerpMonitorSpec['engine']>(),
  mode: Stored<SerpMonitorSpec['mode']>(),
  pages: Type.Integer(),
  location_code: Type.String(),
  language_code: Type.String(),
  device: Stored<SerpMonitorSpec['device']>(),
  target_domain: Type.Union([Type.String(), Null]),
  rank_change_threshold: Type.Union([Type.Integer(), Null]),
  notify_on: Stored<SerpMonitorSpec['notify_on']>(),
})
export type SerpMonitorRow = Static<typeof SerpMonitorRow>
const serpMonitorRow = rowOf(SerpMonitorRow)

/** The row of each kind of monitor. */
export interface RowOfKind {
  readonly page: MonitorRow
  readonly serp: SerpMonitorRow
}

/** The columns of each kind of `monitors m` that may be large: json, and what is encrypted. */
const LARGE = {
  page: {
    json: ['extract_config', 'diff_predicate', 'request_config', 'visual_config', 'labels'],
    sealed: ['request_headers', 'deliveries'],
  },
  serp: { json: ['labels'], sealed: ['deliveries'] },
} as const satisfies Record<MonitorKind, { readonly json: readonly string[]; readonly sealed: readonly string[] }>

/** Large columns that the form of the API shows as they are stored. */
const SHOWN_AS_STORED = ['extract_config', 'diff_predicate', 'request_config', 'visual_config'] as const
/** These columns as JSON. */
export type MonitorTexts = { readonly [Column in (typeof SHOWN_AS_STORED)[number]]?: string | null | undefined }

const ofMonitor = (columns: readonly string[]) =>
  sql.join(
    columns.map((column) => sql.identifier(['m', column])),
    sql.fragment`, `,
  )

const EVERY_COLUMN = sql.fragment`
  m.id, m.no, m.kind, m.team_id, m.user_id, m.name, m.schedule_interval_seconds, m.notify_on,
  m.paused, m.suspended, m.locked, m.managed_by, m.declared_in, m.external_key, m.created_at,
  c.failures, c.last_run_at`

/** Columns of `monitors m join checks c` for a page that are always small. */
const MONITOR_HEAD = sql.fragment`
  m.url, m.fetch_mode, m.template_slug, m.isolation, ${EVERY_COLUMN},
  -- Without runs, the next one is when there are runs again.
  case when c.next_run_at is not null then greatest(c.next_run_at, (
    select ${RUNS_RESET_AT}
    from team_usage u join teams t on t.id = u.team_id ${poolOf(sql.fragment`c.queue`)}
    where u.team_id = m.team_id and c.cost > pool.remaining
  )) end as next_run_at`

// Without runs, each check that is due is a skipped run.
const SERP_HEAD = sql.fragment`
  m.keyword, m.engine, m.mode, m.pages, m.location_code, m.language_code, m.device, m.target_domain,
  m.rank_change_threshold, ${EVERY_COLUMN}, c.next_run_at`

/** All columns of `monitors m join checks c` for a page. */
export const MONITOR_COLUMNS = sql.fragment`${MONITOR_HEAD}, ${largeOf('page')}`

function largeOf(kind: MonitorKind) {
  return ofMonitor([...LARGE[kind].json, ...LARGE[kind].sealed])
}

/** What a statement selects of a monitor, and the rows that it gets. */
interface Selected<Row> {
  readonly columns: typeof EVERY_COLUMN
  readonly row: RowSchema<Row>
}

/** A monitor of a list. Its large columns are null where they are too large for one answer (`hasValues`). */
export type ListedMonitor<K extends MonitorKind> = RowOfKind[K] & ListedBytes

/** What a statement selects of a list of monitors. */
interface SelectedList<Row> {
  /** Of `monitors m`, which has `bytes` and `page_bytes`, and `checks c`. */
  readonly columns: typeof EVERY_COLUMN
  /** An expression for the bytes of `monitors m`. */
  readonly bytes: typeof EVERY_COLUMN
  readonly row: RowSchema<Row & ListedBytes>
  /** Columns with JSON for each of those in `MonitorTexts`, and rows of these. */
  readonly texts: Selected<Row>
}

function selectedList<Row>(
  kind: MonitorKind,
  head: typeof EVERY_COLUMN,
  rows: { readonly row: RowSchema<Row>; readonly listed: RowSchema<Row & ListedBytes> },
): SelectedList<Row> {
  const { json, sealed } = LARGE[kind]
  const column = (name: string) => sql.fragment`${sql.identifier(['m', name])}`
  const isText = (name: string) => (SHOWN_AS_STORED as readonly string[]).includes(name)
  const large = [...json, ...sealed].map((name) =>
    isText(name) ? sql.fragment`${column(name)}::text as ${sql.identifier([name])}` : column(name),
  )
  const sizes = [
    ...json.map((name) => jsonBytes(column(name))),
    ...sealed.map((name) => sql.fragment`coalesce(octet_length(${column(name)}), 0)`),
  ]
  return {
    columns: sql.fragment`${head}, m.bytes, m.page_bytes, ${valuesOfPage('m', [...json, ...sealed])}`,
    bytes: sql.fragment`${sql.join(sizes, sql.fragment` + `)}`,
    row: rows.listed,
    texts: {
      columns: sql.fragment`${head}, ${sql.join(large, sql.fragment`, `)}`,
      row: rows.row,
    },
  }
}

const LISTED: { readonly [K in MonitorKind]: SelectedList<RowOfKind[K]> } = {
  page: selectedList('page', MONITOR_HEAD, {
    row: monitorRow,
    listed: rowOf(Type.Object({ ...MonitorRow.properties, ...listedBytes })),
  }),
  serp: selectedList('serp', SERP_HEAD, {
    row: serpMonitorRow,
    listed: rowOf(Type.Object({ ...SerpMonitorRow.properties, ...listedBytes })),
  }),
}

/** Returns what a statement selects for a list of monitors of this kind. */
export const selectedInList = <K extends MonitorKind>(kind: K): SelectedList<RowOfKind[K]> => LISTED[kind]

const SELECTED: { readonly [K in MonitorKind]: Selected<RowOfKind[K]> } = {
  page: { columns: MONITOR_COLUMNS, row: monitorRow },
  serp: { columns: sql.fragment`${SERP_HEAD}, ${largeOf('serp')}`, row: serpMonitorRow },
}

/** Returns what a statement selects from `monitors m join checks c` for a monitor of this kind. */
export const selected = <K extends MonitorKind>(kind: K): Selected<RowOfKind[K]> => SELECTED[kind]

/**
 * Returns the configuration in a row, with its secrets decrypted. A value that a tolerant box cannot open is absent.
 */
export function monitorSpec(stored: MonitorRow, secrets: SecretBox): MonitorSpec {
  const { team_id: teamId, request_headers: headers } = stored
  const place = { teamId, column: 'monitors.request_headers', rowId: stored.id } as const
  return {
    name: stored.name,
    url: stored.url,
    schedule_interval_seconds: stored.schedule_interval_seconds,
    extract_config: stored.extract_config,
    diff_predicate: stored.diff_predicate,
    deliveries: openDeliveries(stored, secrets),
    template_slug: stored.template_slug,
    fetch_mode: stored.fetch_mode,
    request_headers: headers ? (secrets.open(place, headers) as RequestHeaders | null) : null,
    request_config: stored.request_config,
    visual_config: stored.visual_config,
    notify_on: stored.notify_on,
    isolation: stored.isolation,
    ...identityOf(stored),
  }
}

/** Does the same for a search. */
export function serpMonitorSpec(stored: SerpMonitorRow, secrets: SecretBox): SerpMonitorSpec {
  return {
    name: stored.name,
    keyword: stored.keyword,
    schedule_interval_seconds: stored.schedule_interval_seconds,
    mode: stored.mode,
    engine: stored.engine,
    location_code: stored.location_code,
    language_code: stored.language_code,
    device: stored.device,
    pages: stored.pages,
    target_domain: stored.target_domain,
    rank_change_threshold: stored.rank_change_threshold,
    deliveries: openDeliveries(stored, secrets),
    notify_on: stored.notify_on,
    ...identityOf(stored),
  }
}

const identityOf = ({ external_key, labels }: Pick<MonitorRow, 'external_key' | 'labels'>) => ({
  external_key,
  labels: labels ?? {},
})

/** Returns the destinations of a stored monitor. */
export function openDeliveries(
  { team_id: teamId, id, deliveries }: Pick<MonitorRow, 'team_id' | 'id' | 'deliveries'>,
  secrets: SecretBox,
): DeliveryConfig[] {
  if (deliveries === null) return []
  const place = { teamId, column: 'monitors.deliveries', rowId: id } as const
  return (secrets.open(place, deliveries) as DeliveryConfig[] | null) ?? []
}

/** Returns the monitor in the form of the API. */
export const toMonitor = (stored: MonitorRow, secrets: SecretBox): Monitor => ({
  id: stored.id,
  user_id: stored.user_id,
  ...monitorSpec(stored, secrets),
  status: monitorStatus(stored),
  ...stateOf(stored),
})

/** Does the same for a search. */
export const toSerpMonitor = (stored: SerpMonitorRow, secrets: SecretBox): SerpMonitor => ({
  id: stored.id,
  user_id: stored.user_id,
  ...serpMonitorSpec(stored, secrets),
  // A search is never in the status `error`.
  status: monitorStatus(stored) as SerpMonitor['status'],
  ...stateOf(stored),
})

const stateOf = (stored: MonitorRow | SerpMonitorRow) => ({
  consecutive_failures: stored.failures,
  last_run_at: stored.last_run_at,
  next_run_at: stored.next_run_at,
  created_at: stored.created_at,
  managed_by: stored.managed_by,
  ...(stored.declared_in !== null && { declared_in: stored.declared_in }),
})

/*
 * A monitor. Its status is derived, never stored.
 *
 *     active          scheduled
 *     error           scheduled, backing off: five checks failed in a row; the next success makes it active
 *     paused          not scheduled: a user paused it, or its manifest suspends it
 *     billing_paused  locked, whether paused or not; a pause stays after the lock ends
 *     deleted         final: not found, a run is read by its id
 *
 *     from            pause     resume          delete
 *     active          paused    active          deleted
 *     error           paused    active + run    deleted
 *     paused          paused    active + run    deleted
 *     billing_paused  refused   refused         deleted
 *
 * A monitor of a search is never in `error`: after ten failed checks in a row it is paused.
 *
 * A resume resets the count of failures. Otherwise a monitor that failed before would return as `error`.
 * test/spec/states.test.ts tests every row of the table.
 */

/** The facts that determine a status. */
interface StatusFacts {
  readonly kind: MonitorKind
  readonly locked: boolean
  readonly paused: boolean
  readonly suspended: boolean
  readonly failures: number
}

/**
 * Returns the status of a monitor that is not deleted. A lock by billing takes precedence over a pause, because the
 * lock is the reason why a resume is refused.
 */
export function monitorStatus({ kind, locked, paused, suspended, failures }: StatusFacts): MonitorStatus {
  if (locked) return 'billing_paused'
  if (paused || suspended) return 'paused'
  return kind === 'page' && failures >= FAILURES_UNTIL_ERROR ? 'error' : 'active'
}

/** Returns the condition of `monitors m` under which `monitorStatus` gives this status. */
export function hasStatus(status: ListedStatus) {
  const failures = sql.literalValue(String(FAILURES_UNTIL_ERROR))
  const failing = sql.fragment`m.kind = 'page' and exists (
    select from checks c where c.no = m.no and c.team_id = m.team_id and c.failures >= ${failures}::int)`
  switch (status) {
    case 'billing_paused':
      return sql.fragment`m.locked`
    case 'paused':
      return sql.fragment`(m.paused or m.suspended) and not m.locked`
    case 'error':
      return sql.fragment`not m.locked and not m.paused and not m.suspended and ${failing}`
    case 'active':
      return sql.fragment`not m.locked and not m.paused and not m.suspended and not (${failing})`
  }
}

/** Returns the condition of `monitors m` that it is this one: of the team and the kind, and not deleted. */
export const isMonitor = (teamId: string, id: string, kind: MonitorKind) => sql.fragment`
  m.id = ${id}::uuid and m.team_id = ${teamId}::uuid and m.kind = ${kind} and m.deleted_at is null`

/** Returns the condition of `monitors m` that the name contains a text, whatever its case. */
export const nameContains = (text: string) => sql.fragment`strpos(lower(m.name), lower(${text}::text)) > 0`
