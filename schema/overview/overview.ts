import Type, { type Static } from 'typebox'
import { identityQuery, Labels, ManagedBy } from '../monitor/labels.ts'
import { LISTED_STATUSES } from '../monitor/monitor.ts'
import { Mute, MuteRequest } from '../monitor/mute.ts'
import { pageQuery } from '../page-of.ts'
import { MONITOR_KINDS } from '../resource-kind.ts'
import { RUN_FAULTS, type RunFaultCode } from '../run/run-fault.ts'
import { RUN_STATUSES } from '../run/run.ts'
import { searchKeys } from '../serp/serp-search.ts'
import { Choice, Closed, Instant, Nullable, Text, Uuid, Whole } from '../shape/shape.ts'
import { MAX_SHOWN_TARGET, MAX_SHOWN_VALUE, MAX_SPARK } from './overview-limits.ts'

/** Largest number of labels that the counts have, as pairs of key and value. */
export const MAX_COUNTED_LABELS = 200
/** Deliveries that are missed are counted up to this number: the counts are read on every screen. */
export const MAX_COUNTED_DELIVERIES = 1_000

export const Kind = Choice(MONITOR_KINDS, { description: 'page: below /v1/monitors. serp: below /v1/serp-monitors.' })
const ErrorCode = Choice(Object.keys(RUN_FAULTS) as RunFaultCode[], { description: 'Why the last run failed.' })
const Shown = (description: string) => Nullable(Text(0, MAX_SHOWN_VALUE, description))

/**
 * The orders of the list. With a `-` in front the order is the reverse. Names are compared without upper and lower
 * case, and numbers in them as numbers. What was never changed or run is last in every order, and by `keyword` what is
 * no search.
 */
export const OVERVIEW_ORDERS = [
  'name',
  '-name',
  'last_change',
  '-last_change',
  'last_run',
  '-last_run',
  'failures',
  '-failures',
  'created',
  '-created',
  'keyword',
] as const
export type OverviewOrder = (typeof OVERVIEW_ORDERS)[number]

/** What narrows the list, its counts, and the list of changes. */
export const overviewFilters = {
  q: Type.Optional(Text(1, 200, 'A part of the name, address or keyword. Upper and lower case are the same.')),
  kind: Type.Optional(Kind),
  keyword: Type.Optional(Text(1, 2048, 'Only searches for exactly this.')),
  status: Type.Optional(Choice(LISTED_STATUSES)),
  failing: Type.Optional(
    Type.Boolean({ description: 'true: only monitors whose last run failed. false: all others.' }),
  ),
  error_code: Type.Optional(ErrorCode),
  managed_by: Type.Optional(ManagedBy),
  locked: Type.Optional(Type.Boolean({ description: 'true: only monitors that a cluster or a folder declares.' })),
  label: identityQuery.label,
  muted: Type.Optional(Type.Boolean({ description: 'true: only monitors that are muted now. false: all others.' })),
  unseen: Type.Optional(Type.Boolean({ description: 'Whether the last change is one that the caller has not seen.' })),
  changed_since: Type.Optional(Instant('Only monitors that changed since then.')),
}

/** Query parameters of `GET /v1/overview/counts`. */
export const countsQuery = {
  ...overviewFilters,
  count_errors: Type.Optional(
    Type.Boolean({ default: true, description: 'false: by_error is left out, for which last runs are read.' }),
  ),
  count_labels: Type.Optional(
    Type.Boolean({ default: true, description: 'false: labels is left out, for which every monitor is read.' }),
  ),
  count_destinations: Type.Optional(
    Type.Boolean({ default: true, description: 'false: failing_destinations and given_up_deliveries are left out.' }),
  ),
}

/** Query parameters of `GET /v1/overview`. */
export const overviewQuery = {
  ...pageQuery,
  ...overviewFilters,
  sort: Type.Optional(Choice(OVERVIEW_ORDERS, { default: '-last_change' })),
}

/** A field in a list. A value that was not there is `nothing`. Null: the value cannot be shown. */
const ShownChange = {
  field: Text(0, 100, 'Name of the first field that changed; empty if only pixels changed.'),
  before: Shown('Beginning of the value before; `nothing` where there was none. Null: it cannot be shown.'),
  after: Shown('The same of the value after.'),
  more: Whole(0, 200, { description: 'How many fields changed beside this one.' }),
}

/** A monitor of any kind, as lean as a list needs it. No secret is opened for it. */
export const OverviewRow = Closed({
  id: Uuid(),
  kind: Kind,
  name: Text(1, 200),
  target: Text(0, MAX_SHOWN_TARGET, 'The beginning of the address; of a search, its keyword and engine.'),
  search: Nullable(
    Closed({
      keyword: searchKeys.keyword,
      engine: searchKeys.engine,
      location_code: searchKeys.location_code,
      language_code: searchKeys.language_code,
      device: searchKeys.device,
      pages: searchKeys.pages,
      target_domain: Nullable(Text(1, 2048, 'What is looked for.')),
    }),
    { description: 'What a search asks for. Null: it is no search.' },
  ),
  status: Choice(LISTED_STATUSES),
  labels: Labels,
  managed_by: ManagedBy,
  mute: Nullable(Closed({ until: Mute.properties.until, drop: Mute.properties.drop }), {
    description: 'What fires is not sent until then. Null: it is not muted now.',
  }),
  schedule_interval_seconds: Whole(1, 31_536_000),
  consecutive_failures: Whole(0, 2_147_483_647),
  last_run: Nullable(
    Closed({
      id: Nullable(Uuid('Null: the run is no longer stored, or older than the plan shows.')),
      at: Instant('When it ended.'),
      status: Choice(RUN_STATUSES),
      error_code: Nullable(ErrorCode),
    }),
    { description: 'The last check that ended.' },
  ),
  next_run_at: Nullable(Instant('When the next check is due. Null: none is scheduled.')),
  value: Nullable(Closed({ field: Text(1, 100), text: Text(0, MAX_SHOWN_VALUE) }), {
    description: 'The first field now; of a search, its rank or the number of results.',
  }),
  last_change: Nullable(
    Closed({
      run_id: Nullable(Uuid('Null: the run is older than the plan shows.')),
      at: Instant('When the run that found it ended.'),
      ...ShownChange,
    }),
  ),
  spark: Type.Array(Type.Number(), {
    maxItems: MAX_SPARK,
    description: 'The last values of the first field that is a number, the newest last. Empty: there is none.',
  }),
  unseen: Type.Boolean({ description: 'Whether the caller has not seen the last change.' }),
})
export type OverviewRow = Static<typeof OverviewRow>

/** Most monitors that a filter may leave, to be muted by one request. */
export const MAX_MUTED = 100_000
/** So many are muted in one transaction. */
export const MUTE_BATCH = 2_000

/** Body of `POST /v1/overview/mute`. */
export const MuteMatching = Closed({
  ...MuteRequest.properties,
  filter: Closed(overviewFilters, { description: 'As of `GET /v1/overview`.' }),
  expected: Whole(1, MAX_MUTED, { description: 'How many monitors it leaves. Another number is a CONFLICT.' }),
})

/** Body of `POST /v1/overview/unmute`. */
export const UnmuteMatching = Closed({
  filter: MuteMatching.properties.filter,
  expected: MuteMatching.properties.expected,
})

/** The changes of so many monitors are marked in one statement. */
export const MARK_BATCH = 10_000

/** Body of `POST /v1/overview/seen`. */
export const SeenMatching = Closed({
  ...UnmuteMatching.properties,
  until: Uuid('A run. Changes up to it are seen. One of a run that begins later is not.'),
})

/** Body of `POST /v1/overview/unseen`. */
export const UnseenMatching = UnmuteMatching

/** Response of `POST /v1/overview/seen` and `/v1/overview/unseen`. */
export const MatchingChanged = Closed({
  changed: Type.Integer({
    minimum: 0,
    description: 'Of how many the mark was moved. One that was like that before stays so.',
  }),
})

const Count = Type.Integer({ minimum: 0 })

/** Response of `POST /v1/overview/mute` and `/v1/overview/unmute`. */
export const MatchingMuted = Closed({
  changed: Type.Integer({ minimum: 0, description: 'How many were muted or unmuted. One that is not muted stays so.' }),
})

/** Response of `GET /v1/overview/counts`: how many monitors each filter would leave. */
export const OverviewCounts = Closed({
  total: Count,
  unseen: Count,
  failing: Count,
  muted: Count,
  locked: Type.Integer({ minimum: 0, description: 'Monitors that a cluster or a folder declares.' }),
  by_status: Type.Array(Closed({ status: Choice(LISTED_STATUSES), count: Count })),
  by_kind: Type.Array(Closed({ kind: Kind, count: Count })),
  failing_destinations: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Destinations of all monitors of the team that take no deliveries, whatever the filters.',
    }),
  ),
  given_up_deliveries: Type.Optional(
    Whole(0, MAX_COUNTED_DELIVERIES, {
      description:
        "Deliveries of the team inside the plan's window that are not tried again, and whose destination is still " +
        'one of their monitor. Counted up to 1,000.',
    }),
  ),
  by_error: Type.Optional(Type.Array(Closed({ error_code: ErrorCode, count: Count }))),
  labels: Type.Optional(
    Type.Array(Closed({ key: Text(1, 63), value: Text(0, 63), count: Count }), {
      maxItems: MAX_COUNTED_LABELS,
      description: 'The most frequent ones first.',
    }),
  ),
})
export type OverviewCounts = Static<typeof OverviewCounts>
