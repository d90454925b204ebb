import fc from 'fast-check'
import { BULK_KEYS, type BulkAction } from '../../schema/monitor/bulk.ts'
import { SERVICE_NAMES, SERVICE_TABLE, type ServiceName } from '../../schema/monitor/delivery-services.ts'
import { type ExtractConfig, fieldNames } from '../../schema/monitor/extract-config.ts'
import type { Json } from '../../schema/shape/json.ts'
import { mark, OLDEST } from './marks.ts'

type Bag = Readonly<Record<string, Json>>
type Hint = (plain: () => fc.Arbitrary<Json>) => fc.Arbitrary<Json>

const fieldName = fc.constantFrom(
  'price',
  'stock',
  'the price',
  'Größe',
  '😀',
  'toString',
  'constructor',
  'a.b',
  '["x"]',
  '0',
  'x'.repeat(100),
)
const address = fc.constantFrom(
  'https://example.com/',
  'http://example.com:8080/a?b=c#d',
  'https://bücher.example/ä?q=ö',
  'https://example.com/100%',
  'HTTPS://EXAMPLE.com/@name',
  'https://shop.example.net/kettles/blue',
)
const email = fc.constantFrom('name@example.com', 'first.last+tag@sub.example.co.uk')
const rules =
  (...texts: string[]): Hint =>
  () =>
    fc.dictionary(fieldName, fc.constantFrom(...texts), { minKeys: 1, maxKeys: 4, noNullPrototype: true })
const headers = fc.dictionary(
  fc.constantFrom('x-token', 'Accept', 'authorization', '!#$', 'x_y', 'User-Agent'),
  fc.constantFrom('', 'a', 'Bearer abc', 'text/html; q=0.5', 'tab\there ~'),
  { maxKeys: 4, noNullPrototype: true },
)
const labels = fc.dictionary(
  fc.constantFrom('env', 'A.b_c-d', 'x'.repeat(63), 'toString', '0'),
  fc.constantFrom('', 'prod', '0', 'a.b_c-d', 'x'.repeat(63)),
  { maxKeys: 4, noNullPrototype: true },
)
const hours = fc.constantFrom(
  { from: '22:00', until: '07:00', time_zone: 'Europe/Berlin' },
  { from: '00:00', until: '23:59', time_zone: 'UTC' },
)
const message = fc.constantFrom(
  { title: '{{monitor.name}}', text: '{{changes}} {{run.url}} {{monitor.labels["a b"]}}' },
  { text: 'it changed' },
  {},
)
const digest = fc.constantFrom(
  { daily_at: '08:00', time_zone: 'Europe/Berlin', days: ['mon', 'fri'] },
  { daily_at: '23:59', time_zone: 'UTC' },
  { every_seconds: 60 },
)
// Which monitors there are when it is sent is not known here.
const shows = fc.constantFrom(
  { by: 'label', label: 'env=prod', show_values: true },
  { by: 'label', label: 'a.b_c-d=', show_values: false },
  { by: 'monitors', monitors: [] },
)
const positive = fc.double({ min: 0.001, max: 1000, noNaN: true })
const paging = (plain: () => fc.Arbitrary<Json>) => plain().map((config) => mendRequest(bagOf(config)))

const pattern = () => fc.constantFrom('a', String.raw`^\d+$`, '(?:x|y)*', '😀')
const monitorFilter = fc.constantFrom({}, { label: 'env=prod,!muted' }, { kind: 'page', muted: false }, { q: 'a' })
const muteEnd = fc.constantFrom(null, '2060-12-31T23:59:59Z')

/** Mostly that of a monitor of the chain. */
const monitorId = fc.oneof(
  { weight: 4, arbitrary: fc.nat(2).map((at) => mark('monitor', at)) },
  { weight: 1, arbitrary: fc.uuid() },
)

/** The oldest run of a chain has ended. */
const runId = fc.oneof(
  { weight: 4, arbitrary: fc.constant(mark('run', OLDEST)) },
  { weight: 1, arbitrary: fc.nat(2).map((at) => mark('run', at)) },
)

/** Mostly what is right for the chain. */
const constantOrElse = (kind: string, ...others: readonly string[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(mark(kind)) }, { weight: 1, arbitrary: fc.constantFrom(...others) })

/**
 * What holds beyond the document, by component and key; `*` stands for whatever owns the key. Each narrows what the
 * document allows.
 */
export const HINTS: Readonly<Record<string, Hint>> = {
  '*.url': () => address,
  '*.webhookUrl': () => address,
  '*.to': () => email,
  'postAuthSignUpEmail.email': () => fc.uuid().map((id) => `${id}@example.com`),
  'postAuthSignInEmail.email': () => constantOrElse('email', 'nobody@example.com'),
  '*.email': () => fc.uuid().map((id) => `${id}@example.com`),
  'postAuthSignUpEmail.password': () => fc.constantFrom('correct horse', '😀'.repeat(8)),
  '*.password': () => constantOrElse('password', 'correct horse'),
  '*.currentPassword': () => constantOrElse('password', 'wrong horse'),
  '*.newPassword': () => fc.constant(mark('password')),
  '*.token': () => constantOrElse('token', 'none', 'a.b'),
  'MonitorBulk.ids[]': () => monitorId,
  // Its mute has an end, and other actions have no keys of it.
  MonitorBulk: (plain) => plain().map((asked) => mendBulk(bagOf(asked))),
  // A document does not know what is in the future.
  'MonitorBulk.until': () => muteEnd,
  'MonitorBulk.filter': () => monitorFilter,
  'MonitorBulk.labels': () => fc.record({ add: labels, remove: fc.constant(['env', 'unknown']) }, { requiredKeys: [] }),
  // Either ids, or a filter with a number.
  postDeliveriesReplay: (plain) => plain().map((asked) => mendReplay(bagOf(asked))),
  'postOverviewMute.until': () => muteEnd,
  'postOverviewMute.filter': () => monitorFilter,
  'postOverviewUnmute.filter': () => monitorFilter,
  'postOverviewSeen.filter': () => monitorFilter,
  'postOverviewSeen.until': () => runId,
  'postOverviewUnseen.filter': () => monitorFilter,
  'MuteRequest.until': () => muteEnd,
  'postChangesSeen.monitor_ids[]': () => monitorId,
  // A service takes its own options alone, and not each takes headers.
  DeliveryConfigWebhook: (plain) =>
    fc
      .tuple(plain(), fc.option(fc.constantFrom(...SERVICE_NAMES)))
      .map(([config, service]) => mendService(bagOf(config), service)),
  // No mail goes to those who are not members.
  DeliveryTestRequest: (plain) => plain().map((asked) => mendTest(bagOf(asked))),
  'postChangesSeen.until': () => runId,
  'postChangesUnseen.run_id': () => runId,
  RequestHeaders: () => headers,
  'ExtractConfigCss.fields': rules('.price', '#stock', 'h1', 'ul > li:first-child', 'a[href^="https"]', ':not(p)'),
  'ExtractConfigXpath.fields': rules('//h1', '//a/@href', 'string(//p[1])', 'count(//li)'),
  'ExtractConfigJsonPath.fields': rules('$', '$.price', '$..price', "$['a b'][0]", '$[?@.a > 1]'),
  'ExtractConfigRegex.fields': rules(String.raw`(\d+) EUR`, '.', 'a|b', '(?<name>x+)'),
  '*.keyword': () => fc.constantFrom('running shoes', 'Größe 😀'),
  '*.labels': () => labels,
  '*.label': () => fc.constantFrom('env=prod', '!muted,tier!=x', 'a.b_c-d'),
  '*.external_key': () => fc.uuid(),
  'StatusPageCreate.slug': () => fc.uuid(),
  'StatusPagePatch.slug': () => fc.uuid(),
  'StatusPageCreate.shows': () => shows,
  'StatusPagePatch.shows': () => shows,
  // Nothing starts pods here.
  '*.isolation': () => fc.constant('shared'),
  // A document does not know the names of zones, and that two times differ.
  '*.quiet_hours': () => hours,
  // Nor does it know the names in a message.
  '*.message': () => message,
  // Nor that a digest has a time of a day or seconds.
  '*.digest': () => digest,
  'DeliveryConfigWebhook.body': () => fc.constantFrom('{"a": "{{monitor.name}}"}', 'run={{run.id}}', '[]'),
  '*.location_code': () => fc.constantFrom('us', 'de'),
  '*.language_code': () => fc.constantFrom('en', 'de'),
  '*.target_domain': () => fc.constantFrom('example.com', 'shop.example.net'),
  '*.wait_for': () => fc.constantFrom('.price', '#ready'),
  '*.ignore': () => fc.constantFrom({}, { selectors: ['.ad'], patterns: [String.raw`^Updated \d+`] }),
  'ExtractConfigPrompt.schema': () =>
    fc.dictionary(fc.constantFrom('price', 'stock', '😀'), fc.constant({ type: 'string' }), {
      minKeys: 1,
      noNullPrototype: true,
    }),
  'DiffPredicateFieldIncreasesByPercent.threshold': () => positive,
  'DiffPredicateFieldDecreasesByPercent.threshold': () => positive,
  'DiffPredicateFieldMatchesRegex.pattern': pattern,
  'TreatmentKeepLines.pattern': pattern,
  'TreatmentDropLines.pattern': pattern,
  'TreatmentReplace.pattern': pattern,
  'DiffPredicateLinesAdded.pattern': pattern,
  'DiffPredicateLinesRemoved.pattern': pattern,
  'DiffPredicateFieldEquals.value': () => fc.oneof(fc.constantFrom('', 'sold out', true, false), fc.integer()),
  RequestConfig: paging,
  'VisualConfig.regions[]': (plain) => plain().map((region) => mendRegion(bagOf(region))),
  'VisualConfig.ignoreSelectors[]': () => fc.constantFrom('.ad', '#banner'),
  SerpMonitorCreate: (plain) => plain().map((search) => mendSearch(bagOf(search))),
  SerpMonitorPatch: (plain) => plain().map((search) => without(without(bagOf(search), 'mode'), 'target_domain')),
  MonitorCreate: (plain) => plain().map((monitor) => mendMonitor(bagOf(monitor))),
  // It is tried on a monitor that is there, whose fields are not known here.
  BacktestRequest: (plain) => fc.oneof(plain(), fc.constant({ diff_predicate: { type: 'any_field_changes' } })),
  // Full analysis has no site to look for.
  SerpBacktestRequest: (plain) =>
    plain().map((asked) => (bagOf(asked)['mode'] === 'full_analysis' ? without(bagOf(asked), 'target_domain') : asked)),
  // A page with a request of its own is not rendered, so that nothing is waited for.
  postLooks: (plain) => plain().map((asked) => mendLook(bagOf(asked))),
  // A document does not say what the monitor of a manifest has.
  WriteMonitor: (plain) =>
    fc.oneof(
      plain(),
      fc.constantFrom('manifest', 'pulumi', 'curl').map((as) => ({ kind: 'Monitor', spec: KETTLE, as })),
    ),
  postLooksByIdExtract: (plain) => plain().map((asked) => mendMonitor(bagOf(asked))),
  // No look is kept.
  MonitorPreview: (plain) => plain().map((monitor) => mendMonitor(without(bagOf(monitor), 'from_look'))),
  MonitorPatch: (plain) => plain().map((monitor) => mendMonitor(bagOf(monitor))),
}

const bagOf = (value: Json): Bag =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Bag) : {}
const without = (bag: Bag, key: string): Bag => Object.fromEntries(Object.entries(bag).filter(([name]) => name !== key))

const KETTLE = {
  name: 'Kettle',
  url: 'https://example.com/',
  schedule_interval_seconds: 3600,
  extract_config: { method: 'css', fields: { price: '.price' } },
  diff_predicate: { type: 'any_field_changes' },
}

const mendLook = (asked: Bag): Bag => ((asked['request_config'] ?? null) === null ? asked : without(asked, 'wait_for'))

function mendBulk(asked: Bag): Bag {
  const own: readonly string[] = BULK_KEYS[asked['action'] as BulkAction] ?? []
  const others = Object.values(BULK_KEYS)
    .flat()
    .filter((key) => !own.includes(key))
  const [needed] = own
  return {
    ...mendReplay(asked),
    ...(needed !== undefined && { [needed]: NEEDED[needed] ?? null }),
    ...['ids', 'filter', 'expected', ...others].reduce(without, asked),
  }
}
const NEEDED: Bag = { until: null, labels: {}, schedule_interval_seconds: 3_600 }

function mendReplay({ ids, filter, expected }: Bag): Bag {
  return ids === undefined ? { filter: filter ?? {}, expected: expected ?? 1 } : { ids }
}

/** The mode decides whether there is a site to look for. */
const mendSearch = (search: Bag): Json =>
  search['mode'] === 'rank_tracking'
    ? { ...search, target_domain: 'example.com' }
    : { ...without(search, 'target_domain'), mode: 'full_analysis' }

function mendService(config: Bag, name: ServiceName | null): Bag {
  const {
    service: _service,
    options: _options,
    headers,
    message: said,
    digest: collected,
    body,
    method,
    ...plain
  } = config
  const sent = headers !== undefined && { headers }
  if (name === null) return { ...plain, ...sent }
  // A body is for one service, a message for people, and a digest for people with our words.
  const rest = {
    ...plain,
    ...(said !== undefined && name !== 'cloudevents' && { message: said }),
    ...(collected !== undefined && name !== 'cloudevents' && name !== 'custom' && { digest: collected }),
    ...(name === 'custom' && body !== undefined && { body }),
    ...(name === 'custom' && method !== undefined && { method }),
  }
  const { options, takesHeaders } = SERVICE_TABLE[name]
  const given = Object.fromEntries(Object.entries(options).map(([key, { example }]) => [key, example]))
  return { ...rest, ...(takesHeaders && sent), service: name, options: given }
}

const mendTest = ({ delivery }: Bag): Json => {
  const { type } = bagOf(delivery ?? null)
  return { delivery: delivery === undefined || type === 'email' ? WEBHOOK : delivery }
}
const WEBHOOK = { type: 'webhook', url: 'https://example.com/' }

/** Predicates name fields that there are; only one of a direct request and a picture. */
function mendMonitor(monitor: Bag): Json {
  const { extract_config: extract, diff_predicate: predicate, visual_config: visual, request_config: request } = monitor
  const names = extract === undefined ? ['price'] : fieldNames(bagOf(extract) as never as ExtractConfig)
  const hasLists = extract !== undefined && bagOf(extract)['method'] === 'json_path'
  const hasLines = extract !== undefined && bagOf(extract)['method'] !== 'full_page'
  // A file is read as it is sent, and data for machines by paths.
  const isFile = extract !== undefined && bagOf(extract)['read_as'] === 'document'
  return {
    ...(isFile ? without(without(monitor, 'fetch_mode'), 'visual_config') : monitor),
    ...(extract !== undefined && { extract_config: mendExtract(bagOf(extract)) }),
    ...(predicate !== undefined && { diff_predicate: withFields(bagOf(predicate), { names, hasLists, hasLines }) }),
    ...(visual && request && !isFile && { visual_config: { ...bagOf(visual), enabled: false } }),
  }
}

/** Without a browser that always renders, nothing can be waited for, and only whole pages have lines to leave out. */
function mendExtract(extract: Bag): Bag {
  const { method, ignore, clean } = extract
  const selectors = ignore !== undefined && method !== 'full_page' && { ignore: without(bagOf(ignore), 'patterns') }
  const treated = clean !== undefined && { clean: cleanOf(extract, Object.values(bagOf(clean))) }
  const config = { ...without(extract, 'wait_for'), ...selectors, ...treated }
  const isByPath = extract['method'] === 'json_path'
  return extract['read_as'] === 'structured_data' && !isByPath ? without(config, 'read_as') : config
}

/** Only what is extracted is treated. */
function cleanOf(extract: Bag, treatments: readonly Json[]): Bag {
  const names = fieldNames(extract as never as ExtractConfig)
  return Object.fromEntries(names.slice(0, treatments.length).map((name, nth) => [name, treatments[nth] ?? null]))
}

interface Fields {
  readonly names: readonly string[]
  /** Whether each field may be a list. */
  readonly hasLists: boolean
  /** Whether each field may have lines. */
  readonly hasLines: boolean
}

const isOfLists = (type: Json | undefined) => typeof type === 'string' && type.startsWith('list_')
const isOfLines = (type: Json | undefined) => type === 'lines_added' || type === 'lines_removed'

function withFields(predicate: Bag, fields: Fields): Bag {
  const { conditions, field, type } = predicate
  if (Array.isArray(conditions))
    return { ...predicate, conditions: conditions.map((one: Json) => withFields(bagOf(one), fields)) }
  if (typeof field !== 'string') return predicate
  const { names, hasLists, hasLines } = fields
  const isMended = isOfLists(type) && !hasLists
  return {
    ...(isMended ? without(predicate, 'forget_after_days') : predicate),
    ...(isMended && { type: 'field_changes' }),
    ...(isOfLines(type) && !hasLines && { type: 'field_matches_regex', pattern: 'a' }),
    field: names[field.length % names.length] ?? 'price',
  }
}

function mendRequest({ pagination, ...rest }: Bag): Json {
  const config = pagination === undefined ? rest : { ...rest, pagination: mendPaging(bagOf(pagination)) }
  if (bagOf(pagination ?? null)['in'] === 'body') return { ...config, method: 'POST', body: '{"page":{"number":1}}' }
  return (config['method'] ?? 'GET') === 'GET' ? without(config, 'body') : config
}

/** Dot paths have no empty steps. */
function mendPaging(pagination: Bag): Json {
  const paths = Object.keys(pagination).filter((key) => key.endsWith('_path'))
  return {
    ...pagination,
    ...Object.fromEntries(paths.map((key) => [key, key === 'items_path' ? 'data.items' : `meta.${key}`])),
    ...(pagination['in'] === 'body' && { param: 'page.number' }),
  }
}

function mendRegion(region: Bag): Json {
  if (region['selector'] !== undefined) return { ...without(region, 'rect'), selector: '#main' }
  return region['rect'] === undefined ? { ...region, selector: 'h1' } : region
}
