import { ERRORS } from '../../../schema/error.ts'
import { MAX_BULK, MOST_CHANGED_LABELS } from '../../../schema/monitor/bulk.ts'
import { SERVICE_NAMES, SERVICE_TABLE } from '../../../schema/monitor/delivery-services.ts'
import { LABEL_WORD } from '../../../schema/monitor/labels.ts'
import { MAX_MUTE_REASON } from '../../../schema/monitor/mute.ts'
import { EVENT_LIMITS } from '../../../schema/overview/event-limits.ts'
import { MAX_COUNTED_DELIVERIES } from '../../../schema/overview/overview.ts'
import { RESOURCE_KINDS } from '../../../schema/resource-kind.ts'
import { MAX_RELEASED } from '../../../schema/run/delivery-release.ts'
import { MAX_REPLAYED } from '../../../schema/run/delivery-replay.ts'
import { adviceOf, RUN_FAULTS, type RunFaultCode } from '../../../schema/run/run-fault.ts'
import { FETCH_REASON_MEANINGS } from '../../../schema/run/run.ts'
import { MIN_SEARCH_INTERVAL_SECONDS } from '../../../schema/serp/serp-monitor.ts'
import { ENGINE_NAMES, SERP_ENGINES } from '../../../schema/serp/serp-search.ts'
import { typeOf } from './type-of.ts'

type Method = 'get' | 'post'

/** The parts of the OpenAPI document that the dashboard is told of. */
interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<Method, Operation>>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly schema: Parameter }[]
  readonly responses: Readonly<Record<string, { readonly content: Contents }>>
}

interface Contents {
  readonly 'application/json': Content
  readonly 'text/event-stream': { readonly 'x-events': Readonly<Record<string, object>> }
}

interface Content {
  readonly schema: object
}

interface Parameter {
  readonly enum?: readonly string[]
  readonly maxLength?: number
  readonly maximum?: number
}

/** What the pages ask for, by the names of the answers. */
const ANSWERS: Readonly<Record<string, Wanted>> = {
  Me: { path: '/v1/me' },
  Overview: { path: '/v1/overview' },
  OverviewCounts: { path: '/v1/overview/counts' },
  Changes: { path: '/v1/changes' },
  Monitor: {
    path: '/v1/monitors/{id}',
    keys: [
      'id',
      'name',
      'url',
      'schedule_interval_seconds',
      'labels',
      'status',
      'consecutive_failures',
      'last_run_at',
      'next_run_at',
      'managed_by',
      'declared_in',
      'warnings',
      'diff_predicate',
      'visual_config',
      'mute',
    ],
  },
  SerpMonitor: {
    path: '/v1/serp-monitors/{id}',
    keys: [
      'keyword',
      'engine',
      'device',
      'location_code',
      'language_code',
      'pages',
      'target_domain',
      'mode',
      'rank_change_threshold',
    ],
  },
  Run: {
    path: '/v1/runs/{id}',
    keys: [
      'id',
      'monitor_id',
      'started_at',
      'completed_at',
      'status',
      'extracted',
      'diff',
      'fired',
      'held',
      'delivery_triggered',
      'fetch_method',
      'fetch_reason',
      'without_media',
      'duration_ms',
      'error_message',
      'error_code',
      'warnings',
      'visual_change_pct',
      'organic_results',
      'target_rank',
      'rank_delta',
      'serp_check',
      'ai_overview_present',
      'featured_snippet_present',
    ],
  },
  Series: { path: '/v1/monitors/{id}/series' },
  SerpEngines: { path: '/v1/serp-engines' },
  RunDiff: { path: '/v1/runs/{id}/diff' },
  RunImages: { path: '/v1/run-images/{id}' },
  RunDeliveries: { path: '/v1/runs/{id}/deliveries' },
  Deliveries: { path: '/v1/deliveries', keys: ['data', 'pagination'] },
  Delivery: { path: '/v1/deliveries/{id}' },
  DeliveryCounts: { path: '/v1/deliveries/counts' },
  FailingDestinations: { path: '/v1/deliveries/destinations' },
  DeliveryRequest: { path: '/v1/deliveries/{id}/request' },
  DeliveriesReplayed: { method: 'post', path: '/v1/deliveries/replay' },
  DeliveriesReleased: { method: 'post', path: '/v1/deliveries/release' },
  BulkDone: { method: 'post', path: '/v1/monitors/bulk', keys: ['results'] },
  Look: { method: 'post', path: '/v1/looks' },
  LookCandidates: { method: 'post', path: '/v1/looks/{id}/candidates' },
  LookExtracted: { method: 'post', path: '/v1/looks/{id}/extract' },
  PredicateTrial: { method: 'post', path: '/v1/predicates/try', keys: ['fires', 'why', 'conditions', 'warnings'] },
  DeliveryTest: {
    method: 'post',
    path: '/v1/deliveries/test',
    keys: ['status', 'response_status', 'response_body', 'duration_ms', 'request'],
  },
  SerpPreview: {
    method: 'post',
    path: '/v1/serp-monitors/preview',
    keys: ['status', 'url', 'organic_results', 'target_rank', 'warnings', 'error_message'],
  },
  WrittenMonitor: { method: 'post', path: '/v1/manifests' },
  Backtest: { method: 'post', path: '/v1/monitors/{id}/backtest', keys: ['changes', 'would_fire', 'runs'] },
  Usage: { path: '/v1/usage' },
  UsageDays: { path: '/v1/usage/days' },
  UsageMonitors: { path: '/v1/usage/monitors' },
  Billing: { path: '/v1/billing' },
  PaymentPage: { method: 'post', path: '/v1/billing/checkout' },
  TeamMembers: { path: '/v1/team/members' },
  InvitationSent: { method: 'post', path: '/v1/team/members/invite', status: '201' },
  TeamSettings: { path: '/v1/settings' },
  AccountSessions: { path: '/v1/account/sessions' },
  AuditPage: { path: '/v1/team/audit' },
  ApiKeys: { path: '/v1/keys' },
  StatusPages: { path: '/v1/status-pages' },
  ApiKeyIssued: { method: 'post', path: '/v1/keys', status: '201' },
}

/** Schemas that contain themselves, or that the page writes. */
const NAMED_SCHEMAS = [
  'DiffPredicate',
  'ExtractConfig',
  'Treatment',
  'DeliveryConfig',
  'MonitorCreate',
  'SerpMonitorCreate',
  'Template',
]

/** The types of choices, by their values. Of a refusal the page shows the message. */
const NAMED_CHOICES = { [Object.keys(RUN_FAULTS).join()]: 'FaultCode', [Object.keys(ERRORS).join()]: 'string' }

/** An answer, of an object only these keys: the page is told of what it shows. */
interface Wanted {
  readonly method?: Method
  readonly path: string
  readonly keys?: readonly string[]
  /** By default 200. */
  readonly status?: string
}

/** Returns the file with what the dashboard knows of the API: types of answers, choices, limits and texts. */
export function apiTypes(document: object): string {
  const api = document as ApiDocument
  const named = { schemas: api.components.schemas, choices: NAMED_CHOICES, types: new Set(NAMED_SCHEMAS) }
  const types = NAMED_SCHEMAS.map(
    (name) => `/** \`${name}\` of the API. */\nexport type ${name} = ${typeOf(named.schemas[name] ?? {}, named)}\n`,
  )
  const answers = Object.entries(ANSWERS).map(([name, { method = 'get', path, keys, status = '200' }]) => {
    const schema = operation(api, path, method).responses[status]?.content['application/json'].schema ?? {}
    const comment = `/** The answer of \`${method.toUpperCase()} ${path}\`. */`
    return `${comment}\nexport type ${name} = ${typeOf(schema, named, keys)}\n`
  })
  const overview = new Map(operation(api, '/v1/overview').parameters.map(({ name, schema }) => [name, schema]))
  const meanings = Object.entries(RUN_FAULTS).map(([code, { meaning }]) => `  ${code}: ${quoted(meaning)},\n`)
  const advice = (Object.keys(RUN_FAULTS) as RunFaultCode[]).map((code) => `  ${code}: ${quoted(adviceOf(code))},\n`)
  const labels = SERVICE_NAMES.map((name) => `  ${name}: ${quoted(SERVICE_TABLE[name].label)},\n`)
  const reasons = Object.entries(FETCH_REASON_MEANINGS).map(([reason, text]) => `  ${reason}: ${quoted(text)},\n`)
  const engines = SERP_ENGINES.map((name) => `  ${name}: ${quoted(ENGINE_NAMES[name])},\n`)
  const collections = RESOURCE_KINDS.map(({ declares, collection }) => `  ${declares}: '${collection}',\n`)
  return [
    '// Generated from schema/ by `npm run gen`.\n',
    ...types,
    ...answers,
    eventTypes(operation(api, '/v1/events'), named),
    `/** Bounds of the stream of events. */\nexport const EVENTS = { watched: ${EVENT_LIMITS.watched} } as const\n`,
    `/** The orders of the list. */\nexport const ORDERS = ${list(overview.get('sort')?.enum)} as const\n`,
    `/** Limits of the API that the pages keep to. */\nexport const LIMITS = {
  rows: ${overview.get('limit')?.maximum},
  bulk: ${MAX_BULK},
  released: ${MAX_RELEASED},
  replayed: ${MAX_REPLAYED},
  countedDeliveries: ${MAX_COUNTED_DELIVERIES},
  search: ${overview.get('q')?.maxLength},
  changedLabels: ${MOST_CHANGED_LABELS},
  reason: ${MAX_MUTE_REASON},
  searchSeconds: ${MIN_SEARCH_INTERVAL_SECONDS},
} as const\n`,
    `/** A key of a label, or a value that is not empty. */\nexport const LABEL_WORD = /${LABEL_WORD}/\n`,
    `/** What the reasons mean for which a run fails. */\nexport const FAULTS = {
${meanings.join('')}} as const
type FaultCode = keyof typeof FAULTS\n`,
    `/** What a person can do about them. */\nexport const ADVICE = {
${advice.join('')}} as const\n`,
    `/** Why a run was fetched by another layer than the direct request. */\nexport const REASONS = {
${reasons.join('')}} as const\n`,
    `/** The names of the services that a webhook may have. */\nexport const SERVICE_LABELS = {
${labels.join('')}} as const\n`,
    `/** The names of the search engines. */\nexport const ENGINE_NAMES = {
${engines.join('')}} as const\n`,
    `/** Where monitors of a kind are, in addresses. */\nexport const COLLECTIONS = {
${collections.join('')}} as const\n`,
  ].join('\n')
}

function eventTypes({ responses }: Operation, named: Parameters<typeof typeOf>[1]): string {
  const events = Object.entries(responses['200']?.content['text/event-stream']['x-events'] ?? {})
  const properties = Object.fromEntries(events)
  const schema = { properties, required: events.map(([name]) => name) }
  return `/** What each event of \`GET /v1/events\` has. */\nexport type Events = ${typeOf(schema, named)}\n`
}

function operation({ paths }: ApiDocument, path: string, method: Method = 'get'): Operation {
  const found = paths[path]?.[method]
  if (!found) throw new Error(`the API has no ${method} ${path}`)
  return found
}

const quoted = (text: string): string => (text.includes("'") ? JSON.stringify(text) : `'${text}'`)
const list = (values: readonly string[] = []): string =>
  `[\n${values.map((value) => `  ${quoted(value)},\n`).join('')}]`
