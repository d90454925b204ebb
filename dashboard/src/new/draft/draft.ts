import type { DeliveryConfig, DiffPredicate, MonitorCreate, Treatment } from '../../api/types.ts'
import { WHOLE_PAGE } from '../../monitors/values.ts'
import { fitted, renamedIn, valueKindOf } from './conditions.ts'
import { fieldNameOf } from './field-name.ts'

/** The languages of rules, of which a monitor has one. structured_data: JSONPath of what a page states for machines. */
export type Language = 'css' | 'xpath' | 'json_path' | 'structured_data' | 'regex'

/** What is done to a value before it is compared, in order. */
export type Treatments = readonly Treatment[]

/** A rule with the name of its value. */
interface DraftField {
  readonly name: string
  /** A person wrote the name, so it stays when they point at something else. */
  readonly isNamed: boolean
  readonly rule: string
  /** What is done to its value before it is compared. Absent: nothing. */
  readonly clean?: Treatments
}

/** A monitor as it is being made. Every change of it is a function of this file or of a file beside it. */
export interface Draft {
  readonly url: string
  /** Empty: the one that is suggested. */
  readonly name: string
  /** What is watched: values by rules, the text of the whole page, or what a model reads. */
  readonly kind: 'fields' | 'full_page' | 'prompt'
  readonly language: Language
  /** The address is a file, such as a PDF or a table. */
  readonly readsDocument: boolean
  /** They are kept while something else is chosen, as are the other parts. */
  readonly fields: readonly DraftField[]
  /** The index of the field that is pointed for. */
  readonly active: number
  /** CSS selectors of what is left out of whole pages and pictures. */
  readonly ignore: readonly string[]
  /** CSS selectors of what rules for elements, and prompts, read the page without. */
  readonly without: readonly string[]
  /** Patterns of lines that are left out of whole pages. */
  readonly patterns: readonly string[]
  readonly prompt: string
  /** Of a prompt. */
  readonly schema: Readonly<Record<string, unknown>> | null
  /** What is done to the text of the whole page, and to what a model reads, by the names of the values. */
  readonly treated: Readonly<Record<string, Treatments>>
  /** A CSS selector. Empty: nothing is waited for. */
  readonly waitFor: string
  readonly predicate: DiffPredicate
  /** A person chose it. */
  readonly isOwnCondition: boolean
  /** In seconds. */
  readonly interval: number
  readonly deliveries: readonly DeliveryConfig[]
  /** A browser renders the page each time. Null: where the fetched document does not have the values. */
  readonly usesBrowser: boolean | null
  /** All other settings, as the API has them. */
  readonly more: More
}

/** The settings that the parts of the screen do not have in another form. */
export type More = Omit<MonitorCreate, OwnKey>
type OwnKey =
  | 'name'
  | 'url'
  | 'schedule_interval_seconds'
  | 'extract_config'
  | 'diff_predicate'
  | 'deliveries'
  | 'fetch_mode'

/** A rule that was chosen: by pointing, or out of a list. */
export interface ChosenRule {
  readonly method: Language
  readonly rule: string
  /** It reads a file. Absent: as the draft says. */
  readonly readsDocument?: boolean
  /** A word for the value. Absent: one is made of the rule. */
  readonly name?: string
  /** What it gives, or the beginning of it. */
  readonly value: string
}

const FIRST_FIELD: DraftField = { name: 'value', isNamed: false, rule: '' }

export const EMPTY: Draft = {
  url: '',
  name: '',
  kind: 'fields',
  language: 'css',
  readsDocument: false,
  fields: [FIRST_FIELD],
  active: 0,
  ignore: [],
  without: [],
  patterns: [],
  prompt: '',
  schema: null,
  treated: {},
  waitFor: '',
  predicate: { type: 'any_field_changes' },
  isOwnCondition: false,
  interval: 3_600,
  deliveries: [],
  usesBrowser: null,
  more: {},
}

/** The languages of rules for elements. One is replaced by the other while there is a single field. */
const OF_ELEMENTS: readonly Language[] = ['css', 'xpath']

/** Returns whether elements can be left out of what is read, other than of a whole page. */
export const readsElements = ({ kind, language }: Draft): boolean =>
  kind === 'prompt' || (kind === 'fields' && OF_ELEMENTS.includes(language))

/** Returns the names that conditions may be about. */
export function namesOf({ kind, fields, schema }: Draft): readonly string[] {
  if (kind === 'full_page') return [WHOLE_PAGE]
  if (kind === 'fields') return fields.map(({ name }) => name)
  if (schema === null) return ['result']
  const { properties } = schema
  return Object.keys(typeof properties === 'object' && properties !== null ? properties : schema)
}

/** Returns the language that further rules have to be in: all fields of a monitor are in one. Null: any. */
export const languageOf = ({ language, fields }: Draft): 'css' | 'xpath' | null =>
  fields.length > 1 && (language === 'css' || language === 'xpath') ? language : null

/** Returns the draft with a rule for the field that is pointed for, and a condition that fits its value. */
export function withChosen(draft: Draft, chosen: ChosenRule): Draft {
  const next = withRule(draft, chosen)
  const kind = chosen.rule.endsWith('[]') ? 'list' : valueKindOf(chosen.value)
  const pointed = { kind, field: next.fields[next.active]?.name ?? '', isOwn: draft.isOwnCondition } as const
  return { ...next, predicate: fitted(next.predicate, pointed) }
}

function withRule(draft: Draft, chosen: ChosenRule): Draft {
  const { method, rule } = chosen
  const isReplaced = OF_ELEMENTS.includes(method) && OF_ELEMENTS.includes(draft.language) && draft.fields.length <= 1
  const fits = method === draft.language || isReplaced
  const kept = fits ? draft.fields : [FIRST_FIELD]
  const at = fits ? draft.active : 0
  const before = kept[at] ?? FIRST_FIELD
  const wanted = before.isNamed ? before.name : (chosen.name ?? fieldNameOf(rule))
  const name = freeName(
    wanted,
    kept.filter((_, nth) => nth !== at),
  )
  const fields = kept.with(at, { ...before, name, rule })
  const readsDocument = chosen.readsDocument ?? draft.readsDocument
  const next: Draft = { ...draft, kind: 'fields', language: method, readsDocument, fields, active: at }
  return { ...next, predicate: renamedIn(draft.predicate, { names: namesOf(next), from: before.name, to: name }) }
}

/** Returns the draft with the rule of its active field as somebody types it. */
export function withTypedRule(draft: Draft, rule: string): Draft {
  const { fields, active } = draft
  const before = fields[active]
  return before === undefined ? draft : { ...draft, fields: fields.with(active, { ...before, rule }) }
}

/** Returns the draft with rules of another language. They are kept: somebody writes them again by hand. */
export const withLanguage = (draft: Draft, language: Language): Draft => ({ ...draft, kind: 'fields', language })

/** Returns the draft with something else that is watched. Conditions are about its values. */
export function ofKind(draft: Draft, kind: Draft['kind']): Draft {
  const next: Draft = { ...draft, kind }
  return { ...next, predicate: renamedIn(draft.predicate, { names: namesOf(next) }) }
}

/** Returns the draft with another name of a field. Conditions follow. */
export function withFieldName(draft: Draft, at: number, name: string): Draft {
  const before = draft.fields[at]
  if (before === undefined) return draft
  const fields = draft.fields.with(at, { ...before, name, isNamed: true })
  const next = { ...draft, fields }
  return { ...next, predicate: renamedIn(draft.predicate, { names: namesOf(next), from: before.name, to: name }) }
}

/** Returns the draft in which the field of this name is pointed for. */
export function withActive(draft: Draft, name: string | null): Draft {
  const at = draft.fields.findIndex((field) => field.name === name)
  return at < 0 ? draft : { ...draft, active: at }
}

/** Returns the draft with a further field, without a rule. It is pointed for. */
export const withField = (draft: Draft): Draft => ({
  ...draft,
  fields: [...draft.fields, { name: freeName('value', draft.fields), isNamed: false, rule: '' }],
  active: draft.fields.length,
})

/** Returns the draft without a field. There is always one to write a rule into. */
export function withoutField(draft: Draft, at: number): Draft {
  const left = draft.fields.filter((_, nth) => nth !== at)
  const fields = left.length === 0 ? [FIRST_FIELD] : left
  const next = { ...draft, fields, active: Math.min(draft.active, fields.length - 1) }
  return { ...next, predicate: renamedIn(draft.predicate, { names: namesOf(next) }) }
}

function freeName(wanted: string, others: readonly { readonly name: string }[]): string {
  const isTaken = (name: string) => others.some((one) => one.name === name)
  if (!isTaken(wanted)) return wanted
  let nth = 2
  while (isTaken(`${wanted} ${nth}`)) nth += 1
  return `${wanted} ${nth}`
}

/** Returns whether nothing was chosen yet. */
export const isUntouched = ({ kind, fields }: Draft): boolean =>
  kind === 'fields' && fields.every(({ rule }) => rule.trim() === '')
