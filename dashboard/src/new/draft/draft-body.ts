import type { DiffPredicate, ExtractConfig, MonitorCreate } from '../../api/types.ts'
import { differingKeysOf } from './differing-keys.ts'
import { type Draft, EMPTY, type Language, type More, namesOf, readsElements, type Treatments } from './draft.ts'
import { cleanOf } from './treatments.ts'

/** What a guess is made of, and a template. */
interface Preset {
  readonly extract_config: ExtractConfig
  readonly diff_predicate: DiffPredicate
}

/** Returns the draft with all that a preset says. */
export const withPreset = (draft: Draft, { extract_config: config, diff_predicate: predicate }: Preset): Draft => ({
  ...withConfig(draft, config),
  active: 0,
  predicate,
  isOwnCondition: false,
})

/** Returns the draft with an extraction. Parts of other methods stay. */
function withConfig(before: Draft, config: ExtractConfig): Draft {
  const draft = { ...before, readsDocument: config.read_as === 'document' }
  const waitFor = 'wait_for' in config ? (config.wait_for ?? '') : draft.waitFor
  const treated = config.clean ?? {}
  const without = ('ignore' in config && config.ignore?.selectors) || []
  if (config.method === 'prompt')
    return { ...draft, kind: 'prompt', prompt: config.prompt, schema: config.schema ?? null, without, treated, waitFor }
  if (config.method === 'full_page') {
    const { selectors = draft.ignore, patterns = draft.patterns } = config.ignore ?? {}
    return { ...draft, kind: 'full_page', ignore: selectors, patterns, treated, waitFor }
  }
  const fields = Object.entries(config.fields).map(([name, rule]) => ({
    name,
    isNamed: false,
    rule,
    clean: (Object.hasOwn(treated, name) && treated[name]) || [],
  }))
  return {
    ...draft,
    kind: 'fields',
    language: config.read_as === 'structured_data' ? config.read_as : config.method,
    fields,
    without,
    waitFor,
  }
}

/** Returns the extraction of a draft; null: there is nothing to extract yet. */
export function configOf(draft: Draft): ExtractConfig | null {
  const { kind, language, fields, prompt, schema } = draft
  const waiting = { ...cleanOf(draft, namesOf(draft)), ...waitingOf(draft) }
  if (kind === 'full_page') return { method: kind, ...ignoring(draft), ...waiting }
  if (kind === 'prompt') return { method: kind, prompt, ...(schema && { schema }), ...withoutOf(draft), ...waiting }
  const rules = fields.filter(({ rule }) => rule.trim() !== '')
  if (rules.length === 0) return null
  const named = Object.fromEntries(rules.map(({ name, rule }) => [name, rule]))
  const reading = { ...withoutOf(draft), ...waiting }
  return rulesOf(draft.readsDocument && language === 'structured_data' ? 'json_path' : language, named, reading)
}

/** A file is read as it is sent, so nothing is waited for. */
const waitingOf = ({ waitFor, readsDocument }: Draft): Reading =>
  readsDocument ? { read_as: 'document' } : waitFor.trim() === '' ? {} : { wait_for: waitFor.trim() }

interface Reading {
  readonly read_as?: 'document'
  readonly wait_for?: string
  readonly ignore?: { readonly selectors: readonly string[] }
  readonly clean?: Readonly<Record<string, Treatments>>
}

/** Returns the extraction of rules in a language. Nothing is waited for where JSON is read. */
function rulesOf(
  language: Language,
  fields: Readonly<Record<string, string>>,
  { read_as, clean, ...waiting }: Reading,
): ExtractConfig {
  const treated = clean && { clean }
  const reading = read_as && { read_as }
  if (language === 'structured_data') return { method: 'json_path', read_as: language, fields, ...treated }
  return language === 'json_path'
    ? { method: language, ...reading, fields, ...treated }
    : { method: language, fields, ...reading, ...treated, ...waiting }
}

const withoutOf = (draft: Draft): Pick<Reading, 'ignore'> =>
  readsElements(draft) && draft.without.length > 0 ? { ignore: { selectors: draft.without } } : {}

/** With `ignore`, even an empty one, a page is compared by its readable text. */
function ignoring({ ignore: selectors, patterns }: Draft) {
  if (selectors.length === 0 && patterns.length === 0) return {}
  return { ignore: { ...(selectors.length > 0 && { selectors }), ...(patterns.length > 0 && { patterns }) } }
}

interface Chosen {
  readonly suggestedName: string
  /** The fetched document does not have the values. */
  readonly needsBrowser: boolean
}

/** Returns the body of a create. What is missing is refused by the API, by its path. */
export function bodyOf(draft: Draft, { suggestedName, needsBrowser }: Chosen): MonitorCreate {
  const { url, name, interval, predicate, deliveries, language, more } = draft
  return {
    ...more,
    name: name.trim() === '' ? suggestedName : name.trim(),
    url: url.trim(),
    schedule_interval_seconds: interval,
    extract_config: configOf(draft) ?? rulesOf(language, {}, {}),
    diff_predicate: predicate,
    deliveries,
    fetch_mode: !draft.readsDocument && (draft.usesBrowser ?? needsBrowser) ? 'browser' : 'auto',
  }
}

/** Every key of a configuration. A key that the API gets and this screen does not know is an error of types here. */
const KEYS: Readonly<Record<keyof MonitorCreate, true>> = {
  name: true,
  url: true,
  schedule_interval_seconds: true,
  extract_config: true,
  diff_predicate: true,
  deliveries: true,
  template_slug: true,
  fetch_mode: true,
  request_headers: true,
  request_config: true,
  visual_config: true,
  notify_on: true,
  quiet_hours: true,
  message: true,
  digest: true,
  isolation: true,
  external_key: true,
  labels: true,
}

/** Returns whether a key of a record is one of the configuration. */
const isOfSpec = (key: string): key is keyof MonitorCreate => Object.hasOwn(KEYS, key)

const OWN: readonly string[] = [
  'name',
  'url',
  'schedule_interval_seconds',
  'extract_config',
  'diff_predicate',
  'deliveries',
  'fetch_mode',
]

/** Returns whether a key is one of the settings that no part of the screen has in another form. */
export const isOfMore = (key: string): key is keyof More => isOfSpec(key) && !OWN.includes(key)

/** Returns the draft of a configuration, of which `bodyOf` makes the same one. */
export function draftOf(spec: MonitorCreate): Draft {
  const { name, url, schedule_interval_seconds: interval, extract_config: config, ...rest } = spec
  const { diff_predicate: predicate, deliveries = [], fetch_mode: mode, ...others } = rest
  const known = Object.fromEntries(Object.entries(others).filter(([key]) => isOfMore(key)))
  const more: More = known
  const draft = { ...EMPTY, name, url, interval, deliveries, usesBrowser: mode === 'browser', more }
  const read = withConfig({ ...draft, predicate, isOwnCondition: true }, config)
  return { ...read, fields: read.fields.map((field) => ({ ...field, isNamed: true })) }
}

/** Returns the keys whose values differ. */
export const differingKeys = (one: MonitorCreate, other: MonitorCreate): readonly (keyof MonitorCreate)[] =>
  differingKeysOf(Object.keys(KEYS).filter(isOfSpec), one, other)
