import { createHash } from 'node:crypto'
import {
  allOf,
  anyCase,
  type Besides,
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
import { ofLines, ofReplaced, type Treated, withTreated } from './treated.ts'

/** Keys that change nothing here: comments, and what every monitor does anyway. */
const SILENT: ReadonlySet<string> = new Set([
  'kind',
  'name',
  'note',
  'url',
  'navigate',
  'index_number',
  'ignore_cached',
])
const READ: ReadonlySet<string> = new Set([
  'filter',
  'filters',
  'headers',
  'data',
  'method',
  'use_browser',
  'wait_for_selector',
  'enabled',
  'tags',
])
/** Keys that tell one kind of changes alone. */
const OF_LINES: readonly (readonly [key: string, type: LinesType])[] = [
  ['additions_only', 'lines_added'],
  ['deletions_only', 'lines_removed'],
]
/** Filters that make text of what was selected: a monitor stores text anyway. */
const TEXT_FILTERS: ReadonlySet<string> = new Set(['html2text', 'strip', 'striplines', 'beautify', 'format_json'])

/** Filters that make text of a file. */
const FILE_FILTERS: ReadonlySet<string> = new Set(['pdf2text', 'ical2text'])

const jobsIn = (documents: readonly unknown[]) => documents.filter((job) => job !== null && job !== undefined)

/** Returns the tool whose documents are jobs: one document for each. */
const toolOf = (what: string): OtherTool => ({
  what,
  isOf: (documents) => jobsIn(documents).length > 0 && jobsIn(documents).every(isJob),
  read: (documents, besides) => importJobs(jobsIn(documents).filter(isJob), besides),
  hasReporters: true,
})

export const URLWATCH = toolOf('urls.yaml')
export const WEBCHANGES = toolOf('jobs.yaml')

/** Returns the jobs. These tools have no intervals, because cron starts them, so all monitors get the same. */
function importJobs(jobs: readonly Values[], { intervalSeconds, reporters }: Besides): Imported {
  const report = [`All monitors are checked every ${intervalSeconds} seconds: the jobs have no interval (--interval)`]
  report.push(...(reporters?.report ?? ['Destinations are in another file: name it with --reporters']))
  const deliveries = reporters?.deliveries ?? []
  const taken = new Set<string>()
  const monitors = jobs.flatMap((job) => {
    const monitor = monitorOf(job, { intervalSeconds, deliveries, report })
    return monitor ? [{ ...monitor, id: freeId(monitor.id, job, taken) }] : []
  })
  return { found: jobs.length, monitors, report }
}

/** Returns an id that no job before has: several jobs may read different parts of one page. */
function freeId(byPage: string, job: Values, taken: Set<string>): string {
  const byFilter = () => hashOf(`${byPage} ${JSON.stringify(job['filter'] ?? job['filters'] ?? null)}`)
  let id = taken.has(byPage) ? byFilter() : byPage
  for (let nth = 2; taken.has(id); nth++) id = hashOf(`${byPage} ${nth}`)
  taken.add(id)
  return id
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

const isJob = (job: unknown): job is Values =>
  isObject(job) && ['url', 'navigate', 'command'].some((key) => typeof job[key] === 'string')

interface Reading {
  readonly intervalSeconds: number
  readonly deliveries: readonly object[]
  readonly report: string[]
}

function monitorOf(job: Values, { intervalSeconds, deliveries, report }: Reading): ImportedMonitor | null {
  const url = textOf(job['url']) || textOf(job['navigate'])
  const name = nameOf(textOf(job['name']) || url || textOf(job['command']))
  const miss = (what: string) => void report.push(`${name}: ${what}: no equivalent`)
  if (url === '') return (miss('a command of the shell, so it is left out'), null)
  if (url.startsWith('file:')) return (miss('a file of this machine, so it is left out'), null)
  const extract = extractOf(job['filter'] ?? job['filters'], miss)
  const predicate = predicateOf(job, extract)
  for (const [key, value] of Object.entries(job)) if (!isRead(key, predicate) && isSet(value)) miss(key)
  const isBrowser = typeof job['navigate'] === 'string' || job['use_browser'] === true
  const waitFor = textOf(job['wait_for_selector'])
  return {
    id: hashOf(`${url} ${name}`),
    isPaused: job['enabled'] === false,
    body: {
      name,
      url,
      schedule_interval_seconds: intervalSeconds,
      extract_config: {
        ...extract,
        ...(waitFor !== '' && { wait_for: waitFor }),
      },
      diff_predicate: predicate.body,
      fetch_mode: isBrowser ? 'browser' : 'auto',
      labels: labelsNamed(textsOf(job['tags'])),
      ...(deliveries.length > 0 && { deliveries }),
      ...sentOf(job, miss),
    },
  }
}

/** A predicate, and the key of a job that it follows from. */
interface OfKey {
  /** Null: from none. */
  readonly key: string | null
  readonly body: object
}

function predicateOf(job: Values, extract: object): OfKey {
  for (const [key, type] of OF_LINES) {
    const body = isSet(job[key]) ? linesPredicate(type, extract) : null
    if (body) return { key, body }
  }
  return { key: null, body: { type: 'any_field_changes' } }
}

const isRead = (key: string, predicate: OfKey) => SILENT.has(key) || READ.has(key) || key === predicate.key

/** Returns what is sent: a map is sent as a form, and a body without a type is taken for one. */
function sentOf(job: Values, miss: (what: string) => void): object {
  const data = job['data']
  const form = isObject(data) ? Object.entries(data).map(([key, one]): [string, string] => [key, String(one)]) : null
  if (Array.isArray(data)) miss('data that is a list')
  const body = form ? String(new URLSearchParams(form)) : textOf(data)
  const headers = headersOf(job['headers'], miss)
  const isForm = body !== '' && !Object.keys(headers ?? {}).some((one) => one.toLowerCase() === 'content-type')
  return {
    request_headers: isForm ? { 'Content-Type': 'application/x-www-form-urlencoded', ...headers } : headers,
    request_config: requestOf(textOf(job['method']) || (body === '' ? '' : 'POST'), body, miss),
  }
}

/** A filter: its name with underscores, and its parameters. */
interface Filter {
  readonly name: string
  readonly value: unknown
}

/** Filters are a list of names and of maps with one name; old jobs have a text `css:…,html2text`. */
function filtersOf(given: unknown): readonly Filter[] {
  // One filter needs no list.
  const list = typeof given === 'string' ? given.split(',') : Array.isArray(given) ? given : [given]
  return (list as readonly unknown[]).flatMap((one): readonly Filter[] => {
    if (isObject(one)) return Object.entries(one).map(([name, value]) => ({ name: plain(name), value }))
    const [, name = '', value = ''] = /^([^:]*):?(.*)$/s.exec(textOf(one)) ?? []
    return name === '' ? [] : [{ name: plain(name), value }]
  })
}

const plain = (name: string) => name.trim().replaceAll('-', '_')

/** What is known of the filters of a job so far. */
interface Filtered {
  selected: Selection | null
  isFile: boolean
  /** Of lines that are left out before the treatments. */
  readonly patterns: string[]
  readonly treatments: Treated[]
}

function extractOf(given: unknown, miss: (what: string) => void): object {
  const filtered: Filtered = { selected: null, isFile: false, patterns: [], treatments: [] }
  for (const filter of filtersOf(given)) {
    const selection = selectionOf(filter, miss)
    if (selection) select(selection, filter.name, { filtered, miss })
    else addFilter(filter, { filtered, miss })
  }
  const { selected, isFile, treatments } = filtered
  const left = filtered.patterns.filter((pattern) => pattern !== '')
  const file = isFile && { read_as: 'document' }
  if (!selected) return withTreated({ method: 'full_page', ignore: { patterns: left }, ...file }, treatments, miss)
  const drops = ofLines('drop_lines', left)
  if (left.length > 0 && drops.length === 0) miss('lines to leave out of a selection')
  const { firsts, ...rules } = selected
  return withTreated({ ...rules, ...file }, [...firsts, ...drops, ...treatments], miss)
}

interface Adding {
  readonly filtered: Filtered
  readonly miss: (what: string) => void
}

function select(selection: Selection, name: string, { filtered, miss }: Adding): void {
  if (filtered.selected) miss('a second selection in one filter')
  else if (filtered.treatments.length > 0) miss(`the filter ${name} behind one of lines`)
  else filtered.selected = selection
}

function addFilter({ name, value }: Filter, { filtered, miss }: Adding): void {
  const dropped = droppedBy({ name, value })
  if (dropped !== null && filtered.treatments.length === 0) {
    filtered.patterns.push(dropped)
    return
  }
  const made = dropped === null ? treatmentsOf({ name, value }) : ofLines('drop_lines', [dropped])
  if (made) filtered.treatments.push(...made)
  if (FILE_FILTERS.has(name)) {
    filtered.isFile = true
    if (isObject(value) && isSet(value['password'])) miss('a password of a file')
  } else if (made?.length === 0 || (made === null && !TEXT_FILTERS.has(name))) miss(`the filter ${name}`)
}

/** Returns the pattern of the lines that a filter leaves out; null: it leaves out none. */
function droppedBy({ name, value }: Filter): string | null {
  if (name === 'grepi') return textIn(value, 're', 'pattern')
  return name === 'delete_lines_containing' ? linesOf(value) : null
}

const treatmentsOf = ({ name, value }: Filter): readonly Treated[] | null =>
  Object.hasOwn(OF_TEXT, name) ? (OF_TEXT[name]?.(value) ?? []) : null

/** Filters of the lines of a text. Those with parameters that are not read here are left out. */
const OF_TEXT: Readonly<Record<string, (value: unknown) => readonly Treated[]>> = {
  grep: (value) => ofLines('keep_lines', [textIn(value, 're', 'pattern')]),
  keep_lines_containing: (value) => ofLines('keep_lines', [linesOf(value)]),
  're.sub': (value) =>
    isObject(value) ? ofReplaced(textOf(value['pattern']), textOf(value['repl'])) : ofReplaced(textOf(value), ''),
  sort: (value) => (isSet(value) ? [] : [{ do: 'sort' }]),
  remove_duplicate_lines: (value) => (isSet(value) ? [] : [{ do: 'unique' }]),
}

function linesOf(value: unknown): string {
  const pattern = isObject(value) ? textOf(value['re']) : ''
  return pattern === '' ? anyCase(textIn(value, 'text')) : pattern
}

/** A selection of elements, and how many of them are taken. */
interface Selection {
  readonly method: string
  readonly fields: object
  readonly ignore?: { readonly selectors: readonly string[] }
  readonly firsts: readonly Treated[]
}

function selectionOf({ name, value }: Filter, miss: (what: string) => void): Selection | null {
  const quoted = JSON.stringify(textIn(value, 'id', 'class', 'tag', 'style', 'value'))
  const given = isObject(value) ? value : {}
  const excluded = name === 'css' ? textOf(given['exclude']) : ''
  const most = isSet(given['skip']) ? 0 : Number(given['maxitems'] ?? 0)
  const firsts = most >= 1 && most <= 1_000 ? [{ do: 'first', count: Math.trunc(most) }] : []
  const taken = { firsts, ...(excluded !== '' && { ignore: { selectors: [excluded] } }) }
  const css = (selector: string) => ({ method: 'css', fields: { text: allOf.css(selector) }, ...taken })
  const isTaken = (key: string) => (key === 'exclude' && excluded !== '') || (key === 'maxitems' && firsts.length > 0)
  const more = ['exclude', 'skip', 'maxitems', 'namespaces', 'sort'].filter((key) => given[key] && !isTaken(key))
  for (const key of more) miss(`${key} of the filter ${name}`)
  switch (name) {
    case 'css':
      return css(textIn(value, 'selector'))
    case 'xpath':
      return { method: 'xpath', fields: { text: allOf.xpath(textIn(value, 'path')) }, ...taken }
    case 'element_by_id':
      return css(`[id=${quoted}]`)
    case 'element_by_class':
      return css(`[class=${quoted}]`)
    case 'element_by_style':
      return css(`[style=${quoted}]`)
    case 'element_by_tag':
      return css(JSON.parse(quoted) as string)
    default:
      return null
  }
}

/** Returns the parameter of a filter: the text itself, or one of these keys. */
const textIn = (value: unknown, ...keys: readonly string[]): string =>
  isObject(value) ? (keys.map((key) => textOf(value[key])).find((text) => text !== '') ?? '') : textOf(value)
