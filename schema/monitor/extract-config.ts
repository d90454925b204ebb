import Type, { type Static } from 'typebox'
import { Dictionary, JsonObject, Tagged, Text } from '../shape/shape.ts'

/** At most 50 named rules of 1-1,000 characters; names of 1-100 characters. */
const Fields = (what: string) =>
  Dictionary(Text(1, 1000), {
    minProperties: 1,
    maxProperties: 50,
    description: `Field name to ${what}.`,
    rules: ['field_names'],
  })

/** What to take out of the answer. */
export const ExtractConfig = Tagged(
  'method',
  {
    css: {
      fields: Fields(
        'CSS selector (css, first match), XPath 1.0 expression (xpath), RFC 9535 JSONPath (json_path), JavaScript ' +
          'pattern (regex)',
      ),
    },
    xpath: { fields: Fields('XPath 1.0 expression') },
    json_path: { fields: Fields('JSONPath expression') },
    regex: { fields: Fields('JavaScript pattern') },
    full_page: {},
    prompt: {
      prompt: Text(10, 2000, 'What to read off the page, in words.'),
      schema: Type.Optional(JsonObject('JSON-Schema-shaped hints: its keys become the field names.')),
    },
  },
  { description: 'What to take out of the answer, by one of six methods.' },
)
export type ExtractConfig = Static<typeof ExtractConfig>

/**
 * The names that predicates may refer to: the fields; `content_hash` of full_page; `result` of a prompt without schema,
 * else the schema's `properties` or top-level keys.
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
