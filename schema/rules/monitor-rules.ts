import type { Issue } from '../validation/issue.ts'
import type { DiffPredicate } from '../monitor/diff-predicate.ts'
import { fieldNames, type ExtractConfig } from '../monitor/extract-config.ts'
import { rule, type Rule } from './rule.ts'

interface PredicateInput {
  readonly extract_config: ExtractConfig
  readonly diff_predicate: DiffPredicate
}

const css = (predicate: DiffPredicate): PredicateInput => ({
  extract_config: { method: 'css', fields: { price: '.price' } },
  diff_predicate: predicate,
})

function unknownFields(predicate: DiffPredicate, known: ReadonlySet<string>, path: string): Issue[] {
  if (predicate.type === 'composite')
    return predicate.conditions.flatMap((condition, index) =>
      unknownFields(condition, known, `${path}.conditions[${index}]`),
    )
  if (predicate.type === 'any_field_changes' || known.has(predicate.field)) return []
  const message = `is not a field of extract_config, which defines ${[...known].map((name) => `"${name}"`).join(', ')}`
  return [{ path: `${path}.field`, message }]
}

/** Predicates may refer to defined fields only. */
export const PREDICATE_FIELDS: Rule<PredicateInput> = {
  name: 'predicate_fields',
  message: 'a predicate names a field that extract_config does not define',
  // The generator of the custom resources writes the CEL for each level, because it knows the nesting.
  cel: null,
  accepts: [css({ type: 'any_field_changes' }), css({ type: 'field_changes', field: 'price' })],
  rejects: [
    css({ type: 'field_changes', field: 'stock' }),
    css({ type: 'composite', operator: 'OR', conditions: [{ type: 'field_changes', field: 'stock' }] }),
  ],
  check: ({ extract_config, diff_predicate }) =>
    unknownFields(diff_predicate, new Set(fieldNames(extract_config)), 'diff_predicate'),
}

interface Fetched {
  readonly request_config?: object | null
  readonly visual_config?: { readonly enabled: boolean } | null
}

/** A request_config is always fetched directly, and only a browser can take pictures. */
export const DIRECT_OR_VISUAL = rule<Fetched>({
  name: 'direct_or_visual',
  message:
    'visual_config cannot be enabled together with request_config: such a monitor is fetched directly, without a ' +
    'browser',
  cel:
    '!(has(self.requestConfig) && self.requestConfig != null && has(self.visualConfig) && self.visualConfig != ' +
    'null && self.visualConfig.enabled)',
  accepts: [
    { request_config: {}, visual_config: null },
    { request_config: null, visual_config: { enabled: true } },
    { visual_config: { enabled: true } },
    { request_config: {}, visual_config: { enabled: false } },
  ],
  rejects: [{ request_config: {}, visual_config: { enabled: true } }],
  holds: ({ request_config, visual_config }) => !(request_config && visual_config?.enabled),
})
