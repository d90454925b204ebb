import { isUuid } from '../../core/is-uuid.ts'
import { destinationsOfApprise } from './apprise.ts'
import { messageOf, withMessage } from './changedetection-message.ts'
import { isRestock, restockOf } from './changedetection-restock.ts'
import {
  allOf,
  anyCase,
  headersOf,
  type Imported,
  type ImportedMonitor,
  isObject,
  isSet,
  labelsNamed,
  nameOf,
  type OtherTool,
  requestOf,
  textOf,
  textsOf,
  type Values,
} from './imported.ts'
import { linesPredicate, type LinesType } from './lines-predicate.ts'
import { ofLines, withTreated } from './treated.ts'

/** Settings of a watch that this service has no equivalent of, and how the report names them. */
const WITHOUT: Readonly<Record<string, string>> = {
  browser_steps: 'steps in the browser',
  conditions: 'conditions',
  extract_text: 'patterns applied to the text',
  ignore_status_codes: 'ignored status codes',
  notification_screenshot: 'pictures in notifications',
  price_change_custom_include_filters: 'filters for prices',
  price_change_threshold_percent: 'a least change of prices',
  proxy: 'a proxy of its own',
  text_should_not_be_present: 'texts that have to be absent',
  trigger_text: 'texts to wait for',
  webdriver_delay: 'a delay in the browser',
  webdriver_js_execute_code: 'code that runs in the page',
}

/** Changes that a watch takes for none; by default it takes all kinds of changes for changes. */
const KINDS_OF_CHANGES: Readonly<Record<string, string>> = {
  filter_text_added: 'no change for text that is added',
  filter_text_removed: 'no change for text that is gone',
  filter_text_replaced: 'no change for text that is replaced',
}

/** The predicate of a watch that leaves out these changes. */
const OF_LINES: Readonly<Record<string, LinesType>> = {
  filter_text_added: 'lines_removed',
  filter_text_removed: 'lines_added',
}

/** What a group of watches may set for all of them. */
const OF_GROUPS = [
  'include_filters',
  'subtractive_selectors',
  'ignore_text',
  'headers',
  'notification_urls',
  'trigger_text',
  'text_should_not_be_present',
  'extract_text',
  'overrides_watch',
]

/** changedetection.io: `url-watches.json` of its folder or of a backup, one `watch.json`, or several by their ids. */
export const CHANGEDETECTION: OtherTool = {
  what: 'url-watches.json of the data folder or of a backup, or a watch.json',
  isOf: (documents) => documents.length === 1 && watchesIn(documents[0]) !== null,
  read: ([value]) => importWatches(value),
}

function importWatches(value: unknown): Imported {
  const watches = watchesIn(value) ?? []
  const settings = isObject(value) && isObject(value['settings']) ? value['settings'] : {}
  const report = reportOfAll(settings)
  const monitors = watches.flatMap(([id, watch]) => {
    if (isWatch(watch)) return [monitorOf(id, watch, { settings, report })]
    report.push(`watching.${id}: has no address, so it is left out`)
    return []
  })
  return { found: watches.length, monitors, report }
}

/** Returns a line for each setting of all watches, or of a group, that has no equivalent. */
function reportOfAll(settings: Values): string[] {
  const report: string[] = []
  if (isSet(part(settings, 'requests')['proxy'])) report.push('All watches: a proxy: no equivalent')
  for (const group of Object.values(part(part(settings, 'application'), 'tags')).filter(isObject))
    for (const key of OF_GROUPS.filter((one) => isSet(group[one])))
      report.push(`The group ${nameOf(textOf(group['title']))}: ${key} for all of its watches: no equivalent`)
  return report
}

/** Returns the watches with their ids, or null where a value has none. A watch by itself has its id in it. */
function watchesIn(value: unknown): readonly (readonly [string, unknown])[] | null {
  if (!isObject(value)) return null
  if (isObject(value['watching'])) return Object.entries(value['watching'])
  if (isWatch(value)) return isUuid(textOf(value['uuid'])) ? [[textOf(value['uuid']), value]] : null
  const watches = Object.entries(value).filter(([id, one]) => isUuid(id) && isWatch(one))
  return watches.length === 0 ? null : watches
}

const isWatch = (value: unknown): value is Values => isObject(value) && typeof value['url'] === 'string'

interface Reading {
  readonly settings: Values
  readonly report: string[]
}

function monitorOf(id: string, watch: Values, { settings, report }: Reading): ImportedMonitor {
  // With this prefix the text of the source is compared.
  const [, source, url = ''] = /^(source:)?(.*)$/s.exec(textOf(watch['url'])) ?? []
  const name = nameOf(textOf(watch['title']) || textOf(watch['page_title']) || url)
  const miss = (what: string) => void report.push(`${name}: ${what}: no equivalent`)
  const application = part(settings, 'application')
  const deliveries = destinationsOf(watch, application, miss)
  const message = deliveries.length === 0 ? null : messageOf(watch, application, miss)
  if (message && deliveries.some((one) => 'body' in one)) miss('a text of notifications in the JSON of Apprise')
  const backend = textOf(watch['fetch_backend'])
  const layer = backend === 'system' || backend === '' ? textOf(application['fetch_backend']) : backend
  if (source !== undefined) miss('the source of the page in place of its text')
  if (/\{\{|\{%/.test(url)) miss('a template in the address')
  reportOf(watch, miss)
  return {
    id,
    isPaused: watch['paused'] === true || application['all_paused'] === true,
    body: {
      name,
      url,
      schedule_interval_seconds: intervalOf(watch, settings, (what) => report.push(`${name}: ${what}`)),
      ...readingOf(watch, application, miss),
      fetch_mode: /^(html_webdriver|extra_browser)/.test(layer) && !isPdf(watch) ? 'browser' : 'auto',
      request_headers: headersOf({ ...part(settings, 'headers'), ...part(watch, 'headers') }, miss),
      request_config: requestOf(textOf(watch['method']), textOf(watch['body']), miss),
      ...withMessage(deliveries, message),
      labels: labelsNamed(tagsOf(watch, application)),
    },
  }
}

/** Reports the settings of a watch that have no equivalent. */
function reportOf(watch: Values, miss: (what: string) => void): void {
  for (const [key, what] of Object.entries(WITHOUT)) if (isSet(watch[key])) miss(what)
  if (part(watch, 'time_schedule_limit')['enabled'] === true) miss('a schedule by the hours of a week')
  const processor = textOf(watch['processor'])
  if (!['', 'text_json_diff'].includes(processor) && !isRestock(watch)) miss(`the processor ${processor}`)
}

/** Returns what is read, and when it fires. */
function readingOf(watch: Values, application: Values, miss: (what: string) => void) {
  if (isRestock(watch)) {
    for (const key of kindsLeftOut(watch)) miss(KINDS_OF_CHANGES[key] ?? key)
    return restockOf(watch, miss)
  }
  const extract = extractOf(watch, application, miss)
  return {
    extract_config: treatedBy(watch, { extract, application }, miss),
    diff_predicate: predicateOf(watch, extract, miss),
  }
}

const kindsLeftOut = (watch: Values): readonly string[] =>
  Object.keys(KINDS_OF_CHANGES).filter((key) => watch[key] === false)

/**
 * Returns the predicate of a watch. A line that is replaced is removed and added, so it cannot be left out
 * by itself.
 */
function predicateOf(watch: Values, extract: object, miss: (what: string) => void): object {
  const left = kindsLeftOut(watch)
  const unseen = watch['check_unique_lines'] === true ? linesPredicate('list_gains_unseen_items', extract) : null
  if (watch['check_unique_lines'] === true && unseen === null) miss('only lines that were never seen')
  if (unseen) for (const key of left) miss(KINDS_OF_CHANGES[key] ?? key)
  if (unseen) return unseen
  const type = OF_LINES[left.filter((key) => key !== 'filter_text_replaced').join()]
  const predicate = type ? linesPredicate(type, extract) : null
  for (const key of left) if (predicate === null || key === 'filter_text_replaced') miss(KINDS_OF_CHANGES[key] ?? key)
  return predicate ?? { type: 'any_field_changes' }
}

/** Returns the extraction with what is done to the lines of its values. */
function treatedBy(
  watch: Values,
  { extract, application }: { readonly extract: object; readonly application: Values },
  miss: (what: string) => void,
): object {
  const kept = textsOf(watch['extract_lines_containing'])
  const keeps = ofLines('keep_lines', kept.map(anyCase))
  if (kept.length > 0 && keeps.length === 0) miss('only lines with a text')
  const ignored = 'fields' in extract ? ignoredOf(watch, application) : []
  const drops = ofLines('drop_lines', ignored)
  if (ignored.length > 0 && drops.length === 0) miss('texts to ignore in a filter')
  return withTreated(
    extract,
    [
      ...keeps,
      ...drops,
      ...(watch['remove_duplicate_lines'] === true ? [{ do: 'unique' }] : []),
      ...(watch['sort_text_alphabetically'] === true ? [{ do: 'sort' }] : []),
    ],
    miss,
  )
}

const part = (value: Values, key: string): Values => (isObject(value[key]) ? value[key] : {})

const UNITS = { weeks: 604_800, days: 86_400, hours: 3_600, minutes: 60, seconds: 1 } as const
const DEFAULT_SECONDS = 3 * 3_600
const LEAST_SECONDS = 60

function intervalOf(watch: Values, settings: Values, note: (text: string) => void): number {
  const own = secondsOf(part(watch, 'time_between_check'))
  const common = secondsOf(part(part(settings, 'requests'), 'time_between_check'))
  const isDefault = watch['time_between_check_use_default'] === true || own === 0
  const seconds = (isDefault ? common : own) || DEFAULT_SECONDS
  if (seconds < LEAST_SECONDS) note(`an interval of ${seconds} seconds is raised to ${LEAST_SECONDS}`)
  return Math.max(LEAST_SECONDS, seconds)
}

const secondsOf = (time: Values): number =>
  Object.entries(UNITS).reduce((sum, [unit, size]) => sum + size * (Number(time[unit]) || 0), 0)

type Method = keyof typeof allOf

function extractOf(watch: Values, application: Values, miss: (what: string) => void): object {
  const filters = textsOf(watch['include_filters']).map(filterOf)
  const removed = [...textsOf(application['global_subtractive_selectors']), ...textsOf(watch['subtractive_selectors'])]
  const [first] = filters.flatMap(({ method }) => (method === null ? [] : [method]))
  for (const { method, text } of filters)
    if (method === null) miss(`the filter ${text}`)
    else if (method !== first) miss(`the filter ${text} beside filters of another kind`)
  if (first === undefined)
    return {
      method: 'full_page',
      ...(isPdf(watch) && { read_as: 'document' }),
      ignore: { selectors: removed, patterns: ignoredOf(watch, application) },
    }
  if (removed.length > 0 && first === 'json_path') miss('elements to leave out of a filter')
  const kept = filters.filter(({ method }) => method === first)
  const fields = kept.map(({ text }, index) => [kept.length === 1 ? 'text' : `text_${index + 1}`, allOf[first](text)])
  const without = removed.length > 0 && first !== 'json_path' && { ignore: { selectors: removed } }
  return { method: first, fields: Object.fromEntries(fields) as object, ...without }
}

/** Returns the patterns of lines that are ignored. */
const ignoredOf = (watch: Values, application: Values): readonly string[] =>
  [...textsOf(application['global_ignore_text']), ...textsOf(watch['ignore_text'])].map(patternOf)

/** A file of this ending is read as text. */
const isPdf = (watch: Values): boolean => /^[^?#]*\.pdf(?:$|[?#])/i.test(textOf(watch['url']))

function filterOf(text: string): { readonly method: Method | null; readonly text: string } {
  const [, prefix = '', rest = text] = /^(xpath1?|json|jqraw|jq|css):(.*)$/s.exec(text) ?? []
  if (prefix.startsWith('xpath') || text.startsWith('/')) return { method: 'xpath', text: rest }
  if (prefix === 'json') return { method: 'json_path', text: rest }
  if (prefix.startsWith('jq')) return { method: null, text }
  return { method: 'css', text: rest }
}

/** A text is a part of a line in any case, and `/…/` is a pattern. */
function patternOf(text: string): string {
  const [, source, flags = ''] = /^\/(.+)\/([a-z]*)$/s.exec(text) ?? []
  if (source === undefined) return anyCase(text)
  return flags.includes('i') ? `(?i:${source})` : source
}

function destinationsOf(watch: Values, application: Values, miss: (what: string) => void): readonly object[] {
  if (watch['notification_muted'] === true || application['all_muted'] === true) return []
  const own = textsOf(watch['notification_urls'])
  const addresses = own.length > 0 ? own : textsOf(application['notification_urls'])
  return addresses.flatMap((address) => {
    const destinations = destinationsOfApprise(address)
    if (destinations.length === 0)
      miss(`a notification by ${/^[a-z0-9+.-]*/i.exec(address)?.[0] || 'an unknown service'}`)
    return destinations
  })
}

function tagsOf(watch: Values, application: Values): readonly string[] {
  const known = part(application, 'tags')
  const named = textsOf(watch['tags']).map((id) => textOf(part(known, id)['title']))
  // Old watches have their tags in one text.
  return [...named, ...textOf(watch['tag']).split(',')].filter((tag) => tag !== '')
}
