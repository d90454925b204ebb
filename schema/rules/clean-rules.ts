import { type ExtractConfig, fieldNames } from '../monitor/extract-config.ts'
import { joinPath } from '../validation/issue.ts'
import { type Rule, rule } from './rule.ts'

interface Ignoring {
  readonly method: string
  readonly ignore?: { readonly selectors?: readonly string[]; readonly patterns?: readonly string[] }
}

/** Only a whole page is compared by its lines. */
export const PATTERNS_OF_PAGES = rule<Ignoring>({
  name: 'patterns_of_pages',
  message: 'lines are left out of full_page alone',
  cel:
    "self.method == 'full_page' || !has(self.ignore) || !has(self.ignore.patterns) || " +
    'self.ignore.patterns.size() == 0',
  accepts: [
    { method: 'full_page', ignore: { patterns: ['a'] } },
    { method: 'css', ignore: { selectors: ['.ad'] } },
    { method: 'xpath', ignore: { patterns: [] } },
    { method: 'prompt' },
  ],
  rejects: [
    { method: 'css', ignore: { patterns: ['a'] } },
    { method: 'prompt', ignore: { selectors: [], patterns: ['a'] } },
  ],
  jsonOf: (variant) => (variant === 'full_page' ? {} : { ignore: { properties: { patterns: { maxItems: 0 } } } }),
  holds: ({ method, ignore }) => method === 'full_page' || (ignore?.patterns ?? []).length === 0,
  between: () => ['ignore.patterns'],
})

/** Only what is extracted can be treated. The fields of a prompt follow from its schema, which CEL does not see. */
export const CLEAN_FIELDS: Rule<ExtractConfig> = {
  name: 'clean_fields',
  message: 'clean names a field that is not extracted',
  cel:
    '!has(self.clean) || (has(self.fields) ? self.clean.all(name, name in self.fields) : ' +
    "self.method != 'full_page' || self.clean.all(name, name == 'content_hash'))",
  accepts: [
    { method: 'css', fields: { price: 'b', stock: 'i' }, clean: { price: [{ do: 'unique' }] } },
    { method: 'full_page', clean: { content_hash: [{ do: 'first', count: 1 }] } },
    { method: 'prompt', prompt: 'What does it cost?', clean: { result: [{ do: 'sort' }] } },
    { method: 'full_page', clean: {} },
  ],
  rejects: [
    { method: 'regex', fields: { price: 'b' }, clean: { stock: [{ do: 'unique' }] } },
    { method: 'full_page', clean: { price: [{ do: 'sort' }] } },
  ],
  check(config) {
    const known = fieldNames(config)
    const list = known.map((name) => `"${name}"`).join(', ')
    return Object.keys(config.clean ?? {})
      .filter((name) => !known.includes(name))
      .map((name) => ({
        path: joinPath('clean', name),
        message: `is not among the fields that are extracted: ${list}`,
      }))
  },
}
