import Type, { type Static } from 'typebox'
import { since, sinceTextsOf } from '../level.ts'
import { Choice, Closed, Dictionary, JsonObject, Tagged, Text } from '../shape/shape.ts'
import { Clean } from './treatment.ts'
import { CSS_PART } from './value-limits.ts'

/** At most 50 named rules of 1-1,000 characters. Names have 1-100 characters. */
const Fields = (what: string, rule = Text(1, 1000)) =>
  Dictionary(rule, {
    minProperties: 1,
    maxProperties: 50,
    description: `Field name to ${what}.`,
    rules: ['field_names'],
  })

/** What a page is read without. */
const Ignore = Type.Optional(
  Closed(
    {
      selectors: Type.Optional(
        Type.Array(Text(1, 1000), { maxItems: 20, description: 'CSS selectors: their elements are left out.' }),
      ),
      patterns: Type.Optional(
        Type.Array(Text(1, 1000), {
          maxItems: 20,
          description: 'JavaScript patterns: lines that match are left out. Only of full_page.',
        }),
      ),
    },
    {
      description:
        'Beyond the contract: what the page is read without. css, xpath and prompt read it as if it had no such ' +
        'elements. full_page: with it, even when it is empty, content_hash is the hash of the readable text of the ' +
        'page.',
    },
  ),
)

/** Processes of the version before know it of full_page alone. */
const IGNORE_LEVEL = { ignore: 2 } as const

/** What has to be on a rendered page before it is read. */
export const WaitFor = Type.Optional(
  Text(
    1,
    1000,
    'Beyond the contract: a CSS selector. A rendered page is read once an element matches it; if none does within 20 ' +
      'seconds, the run fails.',
  ),
)

/** What an answer is taken for before the rules read it. */
const ReadAs = Type.Optional(
  since(
    2,
    Choice(['document', 'structured_data'], {
      description:
        'Beyond the contract: structured_data, with json_path alone, reads what an HTML page states for machines as ' +
        'one object: json_ld, microdata, open_graph, meta, scripts, and product, article and event, agreed over all ' +
        'of them. document reads a PDF, DOCX, XLSX, CSV, TSV or iCalendar file, fetched without a browser: as a ' +
        'tree, for json_path as one object. Absent: the answer is read as the method says.',
    }),
  ),
)

/** What is done to values before they are compared. */
const Cleaning = Type.Optional(since(2, Clean))

/** The extraction method and its rules. */
export const ExtractConfig = Tagged(
  'method',
  {
    css: {
      fields: Fields(
        'CSS selector (css, first match), XPath 1.0 expression (xpath), RFC 9535 JSONPath (json_path), JavaScript ' +
          'pattern (regex). A selector or an XPath that ends in `[]` gives the list of all its matches. Beyond the ' +
          'contract: a selector may end in `::attr(NAME)`, an attribute, or `::text`, the text without that of ' +
          'elements inside',
        sinceTextsOf(2, CSS_PART, Text(1, 1000)),
      ),
      ignore: Ignore,
      clean: Cleaning,
      read_as: ReadAs,
      wait_for: WaitFor,
    },
    xpath: {
      fields: Fields('XPath 1.0 expression'),
      ignore: Ignore,
      clean: Cleaning,
      read_as: ReadAs,
      wait_for: WaitFor,
    },
    json_path: { fields: Fields('JSONPath expression'), clean: Cleaning, read_as: ReadAs },
    regex: { fields: Fields('JavaScript pattern'), clean: Cleaning, read_as: ReadAs, wait_for: WaitFor },
    full_page: { ignore: Ignore, clean: Cleaning, read_as: ReadAs, wait_for: WaitFor },
    prompt: {
      prompt: Text(10, 2000, 'Description of the values to extract from the page.'),
      schema: Type.Optional(JsonObject('Hints in the form of a JSON Schema. Its keys become the field names.')),
      ignore: Ignore,
      clean: Cleaning,
      read_as: ReadAs,
      wait_for: WaitFor,
    },
  },
  {
    rules: ['structured_by_paths', 'patterns_of_pages', 'clean_fields'],
    levels: { css: IGNORE_LEVEL, xpath: IGNORE_LEVEL, prompt: IGNORE_LEVEL },
    description: 'What to extract from the response, with one of six methods.',
    tagged:
      'css, xpath, json_path, regex: one rule for each field. full_page: only whether the content changed. prompt: a ' +
      'language model reads the values.',
  },
)
export type ExtractConfig = Static<typeof ExtractConfig>

/** Returns the selector that a rendered page is waited for; null: none. */
export const waitForOf = (config: ExtractConfig): string | null =>
  config.method === 'json_path' ? null : (config.wait_for ?? null)

/**
 * Returns the names that predicates may refer to: the fields; `content_hash` for full_page; `result` for a prompt
 * without schema, otherwise the schema's `properties` or top-level keys.
 */
export function fieldNames(config: ExtractConfig): readonly string[] {
  switch (config.method) {
    case 'full_page':
      return ['content_hash']
    case 'prompt': {
      if (!config.schema) return ['result']
      const properties = config.schema['properties']
      return Object.keys(properties !== null && typeof properties === 'object' ? properties : config.schema)
    }
    default:
      return Object.keys(config.fields)
  }
}
