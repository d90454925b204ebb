import Type, { type Static } from 'typebox'
import { LIST_LIMITS } from '../list-limits.ts'
import { HOLD_REASONS } from '../monitor/quiet-hours.ts'
import { presentKeys } from '../serp/search-reading.ts'
import { SerpCheck } from '../serp/serp-check.ts'
import { SerpResult } from '../serp/serp-result.ts'
import { Choice, Closed, Dictionary, Instant, JsonObject, Nullable, Text, Uuid } from '../shape/shape.ts'
import { RUN_FAULTS, type RunFaultCode } from './run-fault.ts'

/**
 * The status of a run.
 *
 *     running   from the moment it is queued or claimed; if its worker is lost, the run continues under a new lease
 *     success   fetched and extracted, whether or not anything differs or fires
 *     error     could not be fetched, extracted or judged, or its monitor was deleted during the run
 *     skipped   never started: a SERP check that needs more runs than are left
 *
 * A run begins as `running` or `skipped`, and `running` ends as `success` or `error`. Except for `running`, each status
 * is final: a late writer changes nothing.
 */
export const RUN_STATUSES = ['running', 'success', 'error', 'skipped'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

/** The fetch layer that answered. */
export const FETCH_METHODS = ['static', 'browser', 'proxy'] as const
export type FetchMethod = (typeof FETCH_METHODS)[number]

/**
 * The meanings of the reasons why a run was fetched by another layer than the first one, the direct request. A monitor
 * whose layer is remembered keeps the reason of the check that chose it.
 */
export const FETCH_REASON_MEANINGS = {
  configured: 'The monitor is set to use the browser, or takes pictures.',
  search_results: 'The address is a page of search results.',
  needs_scripts: 'The direct answer looked empty or full of scripts, or it led on by a meta refresh.',
  encoding: 'The direct answer was compressed with br, which only the browser reads.',
  refused: 'The site refused the layer before.',
  no_match: 'A rule had no match in the direct answer, and scripts of the page may write what it selects.',
} as const
export type FetchReason = keyof typeof FETCH_REASON_MEANINGS
export const FETCH_REASONS = Object.keys(FETCH_REASON_MEANINGS) as FetchReason[]

/**
 * The difference from the previous successful run. Names are in the order of the extract config, and values are as
 * extracted.
 */
export const Diff = Closed({
  fields_changed: Type.Array(Text(1, 100), { maxItems: 200 }),
  before: Dictionary(Type.Unknown(), { maxProperties: 200 }),
  after: Dictionary(Type.Unknown(), { maxProperties: 200 }),
})
export type Diff = Static<typeof Diff>

/** What a list says of the values that it has cut. */
export const Truncated = (paths: string, whole: string) =>
  Type.Optional(
    Type.Array(Text(1, 200), {
      minItems: 1,
      maxItems: 600,
      description:
        `Beyond the contract: in lists, the paths of values over ${LIST_LIMITS.valueBytes / 1024} KiB, such as ` +
        `${paths}. The list has only their beginning; ${whole} has all of it.`,
    }),
  )

/** Whether a run found a change that its monitor is to tell of. */
export const Fired = Nullable(
  Type.Boolean({
    description:
      'Beyond the contract: whether the predicate or the pictures fired, even if there was no destination. Null: the ' +
      'run has not ended, or an earlier version recorded it and no delivery shows it.',
  }),
)

/** What a run says of deliveries that wait, or of those that are not sent. */
export const Held = Choice([...HOLD_REASONS, 'dropped'], {
  description:
    'Beyond the contract: why its deliveries waited for a later hour. Absent: none did. dropped: somebody decided ' +
    'that none is sent.',
})
export type Held = Static<typeof Held>

/** One check. Descriptions that begin with "Beyond the contract" get a mark in OpenAPI (api/openapi). */
export const Run = Closed({
  id: Uuid(),
  monitor_id: Uuid(),
  user_id: Uuid(),
  started_at: Instant(),
  completed_at: Nullable(Instant()),
  status: Choice(RUN_STATUSES),
  extracted: JsonObject('Field name to value; empty while running and on an error.'),
  diff: Type.Union([Diff, Closed({})], { description: 'Empty object if nothing was compared or nothing differs.' }),
  fired: Fired,
  delivery_triggered: Type.Boolean(),
  held: Type.Optional(Held),
  fetch_method: Nullable(Choice(FETCH_METHODS)),
  fetch_reason: Nullable(
    Choice(FETCH_REASONS, {
      description: 'Beyond the contract: why this layer; null for a direct request, which is the first layer.',
    }),
  ),
  without_media: Type.Optional(
    Type.Literal(true, {
      description:
        'Beyond the contract: the page was rendered without its images, fonts, video and sound. Absent: with them, ' +
        'or not at all.',
    }),
  ),
  duration_ms: Type.Integer({ minimum: 0 }),
  error_message: Nullable(Text(0, 2000)),
  visual_change_pct: Type.Optional(
    Type.Number({ description: 'Changed area in percent; present only if the run took pictures.' }),
  ),
  error_code: Nullable(
    Choice(Object.keys(RUN_FAULTS) as RunFaultCode[], {
      description: 'Beyond the contract: the reason of the failure, for programs.',
    }),
  ),
  warnings: Type.Array(Text(1, 500), {
    maxItems: 50,
    description: 'Beyond the contract: problems that did not fail the run.',
  }),
  organic_results: Type.Optional(
    Type.Array(SerpResult, {
      maxItems: 1_000,
      description: 'On runs of SERP monitors: the results. Empty where the check obtained none.',
    }),
  ),
  target_rank: Type.Optional(
    Nullable(Type.Integer({ minimum: 1 }), {
      description:
        'On runs of SERP monitors: the position of target_domain. Null: not listed, none was given, or full_analysis.',
    }),
  ),
  rank_delta: Type.Optional(
    Nullable(Type.Integer(), {
      description: 'On runs of SERP monitors: previous rank − rank. Null when either is, and in full_analysis.',
    }),
  ),
  ...Type.Partial(
    Closed(
      presentKeys({
        description: 'On runs of mode rank_tracking. Null: the page of the engine does not tell, or the check failed.',
      }),
    ),
  ).properties,
  serp_check: Type.Optional(Nullable(SerpCheck)),
  truncated: Truncated('`extracted.body` or `diff.before.body`', '`GET /v1/runs/{id}`'),
})
export type Run = Static<typeof Run>

/** Response of run-now. */
export const RunQueued = Closed({ run_id: Uuid(), queued: Type.Literal(true) })
export type RunQueued = Static<typeof RunQueued>
