import Type, { type Static } from 'typebox'
import { since } from '../level.ts'
import { MessageConfig } from '../message/message.ts'
import { Choice, Closed, Instant, Nullable, Text, Uuid, Whole } from '../shape/shape.ts'
import { WebAddress } from '../shape/web-address.ts'
import { DeliveryConfig, NOTICE_KINDS, notifyOn } from './delivery-config.ts'
import { DiffPredicate } from './diff-predicate.ts'
import { DigestConfig } from './digest.ts'
import { ExtractConfig } from './extract-config.ts'
import { ExternalKey, identityQuery, Labels, ManagedBy } from './labels.ts'
import { Mute } from './mute.ts'
import { QuietHours } from './quiet-hours.ts'
import { RequestConfig } from './request-config.ts'
import { RequestHeaders } from './request-headers.ts'
import { VisualConfig } from './visual-config.ts'

export const FETCH_MODES = ['auto', 'browser'] as const
const ISOLATIONS = ['shared', 'pod'] as const
/**
 * The shortest interval is the same on every plan. The longest is a year, which keeps the next due time a valid
 * timestamp.
 */
export const MIN_INTERVAL_SECONDS = 60
export const MAX_INTERVAL_SECONDS = 31_536_000

/** The status of a monitor. `store/monitors/monitor-record.ts` describes the transitions. */
export const MONITOR_STATUSES = ['active', 'paused', 'billing_paused', 'error', 'deleted'] as const
export type MonitorStatus = (typeof MONITOR_STATUSES)[number]

/** The statuses of monitors that lists have. */
export const LISTED_STATUSES = [
  'active',
  'paused',
  'billing_paused',
  'error',
] as const satisfies readonly MonitorStatus[]
export type ListedStatus = (typeof LISTED_STATUSES)[number]

/** The quiet hours of the destinations that name none. */
export const quietHours = since(2, Nullable(QuietHours, { default: null }))

/** When destinations that do not say it get all that changed as one message. */
export const digest = since(2, Nullable(DigestConfig, { default: null }))
/** The message of the destinations that have none. */
export const message = since(2, Nullable(MessageConfig, { default: null }))

/** Query parameters by which lists of monitors, and of what belongs to monitors, are filtered. */
export const ofMonitorQuery = {
  name: Type.Optional(
    Text(1, 200, "Beyond the contract: a part of the monitor's name. Upper and lower case are the same."),
  ),
  monitor_id: Type.Optional(Uuid('Beyond the contract: only this monitor.')),
}

/** The same, and the status of a monitor. */
export const monitorQuery = {
  status: Type.Optional(Choice(LISTED_STATUSES, { description: 'Beyond the contract: only monitors of this status.' })),
  ...ofMonitorQuery,
  ...identityQuery,
}

const needed = {
  name: Text(1, 200, 'Name for people. Messages show it.'),
  url: WebAddress('The page, API or feed to watch.'),
  schedule_interval_seconds: Whole(MIN_INTERVAL_SECONDS, MAX_INTERVAL_SECONDS, {
    description: 'Seconds between two checks.',
  }),
  extract_config: ExtractConfig,
  diff_predicate: DiffPredicate,
}
const given = {
  deliveries: Type.Array(DeliveryConfig, { maxItems: 25, default: [], description: 'The plan may allow fewer.' }),
  fetch_mode: Choice(FETCH_MODES, {
    default: 'auto',
    description: 'auto: plain HTTP, and a browser where the page needs one. browser: always a browser.',
  }),
  request_headers: Nullable(RequestHeaders, { default: null }),
  request_config: Nullable(RequestConfig, { default: null }),
  visual_config: Nullable(VisualConfig, { default: null }),
  notify_on: notifyOn(NOTICE_KINDS),
  quiet_hours: quietHours,
  message,
  digest,
  isolation: Choice(ISOLATIONS, {
    default: 'shared',
    description:
      'Beyond the contract. pod: each check is done by a pod of its own, in a cluster whose operator starts runner ' +
      'pods; it needs fetch_mode browser. shared: by any process.',
  }),
  external_key: ExternalKey,
  labels: Labels,
}
const TemplateSlug = Nullable(Text(1, 100, 'The template that filled in this configuration.'), { default: null })

/** Rules over several fields of a monitor. On PATCH they apply to the merged record. */
const MONITOR_RULES = [
  'predicate_fields',
  'direct_or_visual',
  'wait_for_rendered',
  'document_as_sent',
  'pod_rendered',
  'page_names',
] as const

/**
 * The complete configuration of a monitor as a user writes it: in the record, and in the spec of the custom resource.
 */
export const MonitorSpec = Closed({ ...needed, ...given, template_slug: TemplateSlug }, { rules: MONITOR_RULES })
export type MonitorSpec = Static<typeof MonitorSpec>

/** Body of `POST /v1/monitors`. */
export const MonitorCreate = Closed(
  {
    ...needed,
    deliveries: Type.Optional(given.deliveries),
    template_slug: Type.Optional(TemplateSlug),
    fetch_mode: Type.Optional(given.fetch_mode),
    request_headers: Type.Optional(given.request_headers),
    request_config: Type.Optional(given.request_config),
    visual_config: Type.Optional(given.visual_config),
    notify_on: Type.Optional(given.notify_on),
    quiet_hours: Type.Optional(given.quiet_hours),
    message: Type.Optional(given.message),
    digest: Type.Optional(given.digest),
    isolation: Type.Optional(given.isolation),
    external_key: Type.Optional(given.external_key),
    labels: Type.Optional(given.labels),
  },
  { rules: MONITOR_RULES },
)

/** Body of `POST /v1/monitors/preview`: that of a create, of which only what is fetched and extracted is needed. */
export const MonitorPreview = Closed(
  {
    ...Type.Partial(MonitorCreate).properties,
    url: needed.url,
    extract_config: needed.extract_config,
    from_look: Type.Optional(
      Nullable(Uuid('A look of the same page, whose documents are read. Nothing is fetched, and no run is used.'), {
        default: null,
      }),
    ),
  },
  { rules: MONITOR_RULES },
)

/** A configuration to try, with the defaults filled in. */
export type PreviewSpec = Omit<
  MonitorSpec,
  'name' | 'schedule_interval_seconds' | 'diff_predicate' | 'template_slug' | 'external_key' | 'labels'
>

/**
 * Body of `PATCH /v1/monitors/{id}`. A top-level key replaces the complete value, `{}` changes nothing, and
 * `template_slug` cannot be changed.
 */
export const MonitorPatch = Type.Partial(Closed({ ...needed, ...given }), { additionalProperties: false })
export type MonitorPatch = Static<typeof MonitorPatch>

/** Of one monitor. */
export const MOST_WARNINGS = 10

/** What the record of a monitor of either kind says beside its configuration. */
export const stateOfMonitor = {
  id: Uuid(),
  user_id: Uuid('The user who created it.'),
  consecutive_failures: Type.Integer({
    minimum: 0,
    description: 'Checks that failed since the last one that succeeded.',
  }),
  last_run_at: Nullable(Instant('When the last check ended.')),
  next_run_at: Nullable(Instant('When the next check is due. Null: no check is scheduled.')),
  created_at: Instant('When the monitor was created.'),
  managed_by: ManagedBy,
  declared_in: Type.Optional(
    Text(
      1,
      1024,
      'Beyond the contract: the file in the folder of tidemark serve --config that declares the monitor. Only where ' +
        'managed_by is file.',
    ),
  ),
  mute: Type.Optional(Mute),
  warnings: Type.Optional(
    Type.Array(Text(1, 500), {
      maxItems: MOST_WARNINGS,
      description:
        'Beyond the contract: what does not refuse the monitor and should be known, such as a header that is never ' +
        'sent. Of a search, some are only in the answer to a create, an edit and a resume.',
    }),
  ),
}

/** A monitor in the form of the API. It never contains the signing secret. */
export const Monitor = Closed({
  id: stateOfMonitor.id,
  user_id: stateOfMonitor.user_id,
  ...needed,
  ...given,
  template_slug: TemplateSlug,
  status: Choice(MONITOR_STATUSES, {
    description:
      'active: scheduled. error: five checks failed in a row; still scheduled. paused: by a user. ' +
      'billing_paused: by the plan. deleted: final.',
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
export type Monitor = Static<typeof Monitor>
