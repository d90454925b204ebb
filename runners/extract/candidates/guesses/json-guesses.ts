import type { DiffPredicate } from '../../../../schema/monitor/diff-predicate.ts'
import type { ExtractConfig } from '../../../../schema/monitor/extract-config.ts'
import type { Json } from '../../../../schema/shape/json.ts'
import { extract } from '../../extract.ts'
import { jsonPathText, type JsonStep } from '../../json/json-path-text.ts'
import type { Page } from '../../page.ts'
import { checkRules } from '../../rules.ts'
import { counted, shown } from '../shown.ts'
import { type Ranked, RANKS } from './guess.ts'

/** What a JSON Feed is watched by. */
export const jsonFeedConfig: { readonly extract: ExtractConfig; readonly diff_predicate: DiffPredicate } = {
  extract: {
    method: 'json_path',
    fields: { titles: '$.items[*].title', links: '$.items[*].url', ids: '$.items[*].id' },
  },
  diff_predicate: { type: 'list_gains_items', field: 'ids' },
}

const PRICE = /^(?:price|last|last_?price|amount|usd|eur|current_?price|sale_?price|final_?price|lowPrice)$/i
const VERSION = /^(?:version|tag_?name|latest|latest_?version|current_?version)$/i
const TITLES = ['title', 'name', 'headline', 'subject', 'label', 'tag_name', 'version', 'id', 'url', 'slug', 'text']
/** Values and levels that are looked at. */
const MOST_VALUES = 2_000
const DEPTH = 8
const MOST_EACH = 2

/** Returns what may be watched of a JSON answer: a feed, values whose names say what they are, its longest list. */
export function jsonGuesses(page: Page, document: Json): Ranked[] {
  if (isJsonFeed(document)) return read(page, { ...jsonFeedConfig, kind: 'feed', label: 'JSON feed', rank: RANKS.feed })
  const places = placesIn(document)
  return [
    ...named(page, places, PRICE, 'price'),
    ...named(page, places, VERSION, 'version'),
    ...longestList(page, places),
    ...read(page, {
      kind: 'json',
      label: 'the whole JSON answer',
      extract: { method: 'json_path', fields: { value: '$' } },
      diff_predicate: { type: 'field_changes', field: 'value' },
      rank: RANKS.plainPrice - 1,
    }),
  ]
}

function isJsonFeed(document: Json): boolean {
  const version = isObject(document) ? document['version'] : undefined
  return typeof version === 'string' && version.startsWith('https://jsonfeed.org/')
}

type JsonObject = { readonly [key: string]: Json }
const isList = (value: Json): value is readonly Json[] => Array.isArray(value)
const isObject = (value: Json): value is JsonObject => typeof value === 'object' && value !== null && !isList(value)

interface Place {
  readonly steps: readonly JsonStep[]
  readonly name: string
  readonly value: Json
}

/** Returns the first values of a document, those of the upper levels first. */
function placesIn(document: Json): Place[] {
  const found: Place[] = [{ steps: [], name: '', value: document }]
  for (let at = 0; at < found.length && found.length < MOST_VALUES; at += 1) {
    const place = found[at]
    if (place === undefined || place.steps.length >= DEPTH || !isObject(place.value)) continue
    for (const [name, value] of Object.entries(place.value).slice(0, MOST_VALUES))
      found.push({ steps: [...place.steps, { member: name }], name, value })
  }
  return found
}

function named(page: Page, places: readonly Place[], names: RegExp, field: 'price' | 'version'): Ranked[] {
  const fitting = places.filter(({ name, value }) => names.test(name) && /\d/.test(scalarText(value)))
  return fitting.slice(0, MOST_EACH).flatMap(({ steps, value }, at) =>
    read(page, {
      kind: field,
      label: `${field} ${shown(scalarText(value))}`,
      extract: { method: 'json_path', fields: { [field]: jsonPathText(steps) } },
      diff_predicate:
        field === 'price'
          ? { type: 'field_decreases_by_percent', field, threshold: 1 }
          : { type: 'field_changes', field },
      rank: (field === 'price' ? RANKS.namedPrice : RANKS.version) - at,
    }),
  )
}

const scalarText = (value: Json) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

function longestList(page: Page, places: readonly Place[]): Ranked[] {
  const lists = places.flatMap(({ steps, value }) => (isList(value) && value.length >= 2 ? [{ steps, value }] : []))
  const [longest] = lists.toSorted((one, other) => other.value.length - one.value.length)
  if (longest === undefined) return []
  const first = longest.value[0] ?? null
  const title = isObject(first) ? TITLES.find((name) => scalarText(first[name] ?? null) !== '') : undefined
  const tail: readonly JsonStep[] = title === undefined ? ['all'] : ['all', { member: title }]
  return read(page, {
    kind: 'list',
    label: `${counted(longest.value.length, 'item')} of a list`,
    extract: { method: 'json_path', fields: { items: jsonPathText([...longest.steps, ...tail]) } },
    diff_predicate: { type: 'list_gains_items', field: 'items' },
    rank: RANKS.list,
  })
}

interface Wanted {
  readonly kind: 'price' | 'version' | 'list' | 'json' | 'feed'
  readonly label: string
  readonly extract: ExtractConfig
  readonly diff_predicate: DiffPredicate
  readonly rank: number
}

function read(page: Page, { kind, label, extract: config, diff_predicate, rank }: Wanted): Ranked[] {
  // A name may be longer than a rule, or have what the engine refuses.
  if (checkRules(config).length > 0) return []
  const extraction = extract(page, config)
  if (!extraction.ok) return []
  const { values } = extraction
  return [{ rank, guess: { kind, label, extract_config: config, values, diff_predicate, address: null } }]
}
