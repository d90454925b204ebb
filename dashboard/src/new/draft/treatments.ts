import type { Treatment } from '../../api/types.ts'
import type { Draft, Treatments } from './draft.ts'

type Do = Treatment['do']

/** The most of a field. The API says so too. */
export const MOST_TREATMENTS = 10

const WORDS: Readonly<Record<Do, string>> = {
  keep_lines: 'keep what matches',
  drop_lines: 'drop what matches',
  replace: 'replace',
  sort: 'sort',
  unique: 'drop repeats',
  first: 'keep the first',
  last: 'keep the last',
  between: 'keep what is between',
  absolute_links: 'make links absolute',
}

/** What can be done to a value, with its words. */
export const TREATMENTS: readonly (readonly [Do, string])[] = (Object.keys(WORDS) as Do[]).map((one) => [
  one,
  WORDS[one],
])

/** Returns a treatment of another kind, with what the earlier one has in common with it. */
export function treatmentOf(kind: Do, before?: Treatment): Treatment {
  const pattern = before && 'pattern' in before ? before.pattern : ''
  const count = before && 'count' in before ? before.count : 10
  switch (kind) {
    case 'keep_lines':
    case 'drop_lines':
      return { do: kind, pattern }
    case 'replace':
      return { do: kind, pattern, text: '' }
    case 'first':
    case 'last':
      return { do: kind, count }
    case 'between':
      return { do: kind, after: '', before: '' }
    default:
      return { do: kind }
  }
}

/** Returns the draft with the treatments of a field. */
export const withTreated = (draft: Draft, at: number, clean: Treatments): Draft => {
  const field = draft.fields[at]
  return field === undefined ? draft : { ...draft, fields: draft.fields.with(at, { ...field, clean }) }
}

/** Returns the draft with the treatments of a value that no rule of the draft reads. */
export const withTreatedValue = (draft: Draft, name: string, clean: Treatments): Draft => ({
  ...draft,
  treated: { ...draft.treated, [name]: clean },
})

/** Returns the treatments of what a draft reads, as the API has them. */
export function cleanOf({ kind, fields, treated }: Draft, names: readonly string[]) {
  const ofFields = fields.filter(({ rule }) => rule.trim() !== '').map(({ name, clean = [] }) => [name, clean] as const)
  const ofOthers = names.map((name) => [name, (Object.hasOwn(treated, name) && treated[name]) || []] as const)
  const own = (kind === 'fields' ? ofFields : ofOthers).filter(([, clean]) => clean.length > 0)
  return own.length === 0 ? {} : { clean: Object.fromEntries(own) }
}
