import Type, { type Static } from 'typebox'
import { DeliveryConfig, SEARCH_NOTICE_KINDS, notifyOn } from '../monitor/delivery-config.ts'
import { ExternalKey, identityQuery, Labels } from '../monitor/labels.ts'
import {
  digest,
  MAX_INTERVAL_SECONDS,
  message,
  ofMonitorQuery,
  quietHours,
  stateOfMonitor,
} from '../monitor/monitor.ts'
import { Choice, Closed, Nullable, RuledText, Text, Whole } from '../shape/shape.ts'
import { searchKeys } from './serp-search.ts'

/** The shortest interval is the same on every plan. */
export const MIN_SEARCH_INTERVAL_SECONDS = 600

/**
 * What is done with the results: `rank_tracking` looks up one site in them, `full_analysis` compares the whole list
 * with the one before.
 */
export const SERP_MODES = ['rank_tracking', 'full_analysis'] as const

const { keyword, ...market } = searchKeys

const needed = {
  name: Text(1, 200, 'Name for people. Messages show it.'),
  keyword,
  schedule_interval_seconds: Whole(MIN_SEARCH_INTERVAL_SECONDS, MAX_INTERVAL_SECONDS, {
    description: 'Seconds between two checks.',
  }),
}
const given = {
  mode: Choice(SERP_MODES, {
    default: 'rank_tracking',
    description: 'rank_tracking: where target_domain stands. full_analysis: any change of the list of results.',
  }),
  ...market,
  target_domain: Nullable(
    RuledText(
      2048,
      ['search_target'],
      'What to look for: a domain, which its subdomains belong to; the beginning of an address, as in ' +
        'example.com/blog; a word, which is a whole part of a domain, as amazon is of amazon.co.uk; or a part of an ' +
        'address that begins with / or ?, as in /blog. Without it rank_tracking keeps the results, and ' +
        'there is no rank. Not allowed with full_analysis.',
    ),
    { default: null },
  ),
  rank_change_threshold: Nullable(
    Whole(1, 1000, {
      description:
        'Positions of movement that fire, with rank_tracking. Without it only entering and leaving the results fire. ' +
        'full_analysis ignores it.',
    }),
    { default: null },
  ),
  deliveries: Type.Array(DeliveryConfig, { maxItems: 25, default: [], description: 'The plan may allow fewer.' }),
  notify_on: notifyOn(SEARCH_NOTICE_KINDS),
  quiet_hours: quietHours,
  message,
  digest,
  external_key: ExternalKey,
  labels: Labels,
}
const optional = {
  mode: Type.Optional(given.mode),
  engine: Type.Optional(given.engine),
  location_code: Type.Optional(given.location_code),
  language_code: Type.Optional(given.language_code),
  device: Type.Optional(given.device),
  pages: Type.Optional(given.pages),
  target_domain: Type.Optional(given.target_domain),
  rank_change_threshold: Type.Optional(given.rank_change_threshold),
  deliveries: Type.Optional(given.deliveries),
  notify_on: Type.Optional(given.notify_on),
  quiet_hours: Type.Optional(given.quiet_hours),
  message: Type.Optional(given.message),
  digest: Type.Optional(given.digest),
  external_key: Type.Optional(given.external_key),
  labels: Type.Optional(given.labels),
}

/** Rules over several keys. On PATCH they apply to the merged record. */
const SERP_RULES = ['target_unused', 'search_names'] as const

/**
 * The complete configuration of a SERP monitor as a user writes it: in the record, and in the spec of the custom
 * resource `SerpMonitor`. The search that a check makes of it is `SerpSearch`.
 */
export const SerpMonitorSpec = Closed({ ...needed, ...given }, { rules: SERP_RULES })
export type SerpMonitorSpec = Static<typeof SerpMonitorSpec>

/** Body of `POST /v1/serp-monitors`. */
export const SerpMonitorCreate = Closed({ ...needed, ...optional }, { rules: SERP_RULES })

/** Body of `POST /v1/serp-monitors/preview`: that of a create, of which only the keyword is needed. */
export const SerpMonitorPreview = Closed(
  { ...Type.Partial(Closed({ ...needed, ...optional })).properties, keyword },
  { rules: SERP_RULES },
)

/** Body of `PATCH /v1/serp-monitors/{id}`. A top-level key replaces the complete value, and `{}` changes nothing. */
export const SerpMonitorPatch = Type.Partial(Closed({ ...needed, ...given }), { additionalProperties: false })

export type SerpMonitorPatch = Static<typeof SerpMonitorPatch>

/** A SERP monitor in the form of the API. It never contains the signing secret. */
export const SerpMonitor = Closed({
  id: stateOfMonitor.id,
  user_id: stateOfMonitor.user_id,
  ...needed,
  ...given,
  status: Choice(['active', 'paused', 'billing_paused', 'deleted'], {
    description:
      'active: scheduled. paused: by a user, or after ten failed checks in a row. billing_paused: by the plan. ' +
      'deleted: final.',
  }),
  consecutive_failures: stateOfMonitor.consecutive_failures,
  last_run_at: stateOfMonitor.last_run_at,
  next_run_at: stateOfMonitor.next_run_at,
  created_at: stateOfMonitor.created_at,
  managed_by: stateOfMonitor.managed_by,
  declared_in: stateOfMonitor.declared_in,
  mute: stateOfMonitor.mute,
  warnings: stateOfMonitor.warnings,
})

export type SerpMonitor = Static<typeof SerpMonitor>

/** Query parameters of lists of SERP monitors. */
export const serpMonitorQuery = {
  status: Type.Optional(
    Choice(['active', 'paused', 'billing_paused'], {
      description: 'Beyond the contract: only monitors of this status.',
    }),
  ),
  ...ofMonitorQuery,
  ...identityQuery,
}
