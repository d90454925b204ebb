import { template } from './template.ts'

/** A page that is meant for examples. The methods for pages find something on it. */
const SOME_PAGE = 'https://example.com/'

export const genericCssSelector = template({
  slug: 'generic-css-selector',
  name: 'Any page, by CSS selector',
  description:
    'Reports when the text of one element changes. It begins with the first heading: edit extract_config to point ' +
    'it at another element.',
  category: 'generic',
  audience: 'both',
  example_url: SOME_PAGE,
  config: {
    extract: { method: 'css', fields: { value: 'h1' } },
    diff_predicate: { type: 'field_changes', field: 'value' },
    schedule_interval_seconds: 3600,
  },
})

export const genericFullPage = template({
  slug: 'generic-full-page',
  name: 'Any page, as a whole',
  description:
    'Reports when anything in the answer changes. For pages and files that are the same for everybody; one that ' +
    'contains a clock or a counter changes each time.',
  category: 'generic',
  audience: 'both',
  example_url: SOME_PAGE,
  config: {
    extract: { method: 'full_page' },
    diff_predicate: { type: 'any_field_changes' },
    schedule_interval_seconds: 3600,
  },
})

export const genericJsonField = template({
  slug: 'generic-json-field',
  name: 'Any JSON API, by JSONPath',
  description:
    'Reports when a value in a JSON answer changes. It begins with the whole answer ($), so that its first run ' +
    'shows what there is: edit extract_config to narrow it, for example to $.data.version.',
  category: 'generic',
  audience: 'developer',
  // Every API has its own shape, and an example that answers HTML would only fail.
  example_url: null,
  config: {
    extract: { method: 'json_path', fields: { value: '$' } },
    diff_predicate: { type: 'field_changes', field: 'value' },
    schedule_interval_seconds: 3600,
  },
})

export const genericLlmPrompt = template({
  slug: 'generic-llm-prompt',
  name: 'Any page, read by a model',
  description:
    'A language model reads the headline, the price and the date off a page, however it is built, and reports ' +
    'when one of them changes. Needs an installation with a model.',
  category: 'generic',
  audience: 'both',
  example_url: SOME_PAGE,
  config: {
    extract: {
      method: 'prompt',
      // The model copies texts word for word: another wording of the same facts would count as a change.
      prompt:
        'Read the main subject of this page: its headline, its price with the currency, and the date that it ' +
        'gives. Copy each as the page writes it, word for word. What the page does not have is null.',
      schema: {
        type: 'object',
        properties: {
          headline: { type: ['string', 'null'] },
          price: { type: ['string', 'null'] },
          date: { type: ['string', 'null'] },
        },
        required: ['headline', 'price', 'date'],
      },
    },
    diff_predicate: { type: 'any_field_changes' },
    schedule_interval_seconds: 21_600,
  },
})
