import { PREDICATE_CONDITIONS, PREDICATE_DEPTH } from '../../schema/monitor/diff-predicate.ts'

const base = {
  name: 'Price of the kettle',
  url: 'https://shop.example/kettle',
  schedule_interval_seconds: 900,
  extract_config: { method: 'css', fields: { price: '.price', stock: '#stock' } },
  diff_predicate: { type: 'any_field_changes' },
}

const DELIVERIES = [
  { type: 'webhook', url: 'https://hooks.example/a', headers: { 'X-Token': 'a', Authorization: 'Bearer b' } },
  { type: 'slack', webhookUrl: 'https://hooks.slack.example/T/B/x' },
  { type: 'discord', webhookUrl: 'https://discord.example/api/webhooks/1/x' },
  { type: 'email', to: 'name@example.com' },
]

/** Monitors as people write them. */
export const EXAMPLES = [
  { title: 'the least', monitor: base },
  {
    title: 'one with all four ways of delivery',
    monitor: { ...base, deliveries: DELIVERIES, fetch_mode: 'browser' },
  },
  {
    title: 'one that waits for a list on a rendered page',
    monitor: {
      ...base,
      fetch_mode: 'browser',
      extract_config: { method: 'css', fields: { headlines: 'h2[]' }, wait_for: 'h2' },
      diff_predicate: { type: 'list_gains_items', field: 'headlines' },
    },
  },
  {
    title: 'one that tells lines and items that come and go',
    monitor: {
      ...base,
      extract_config: { method: 'css', fields: { terms: '#terms', jobs: 'li[]' } },
      diff_predicate: {
        type: 'composite',
        operator: 'OR',
        conditions: [
          { type: 'lines_added', field: 'terms', pattern: '^Fees?' },
          { type: 'lines_removed', field: 'terms' },
          { type: 'list_loses_items', field: 'jobs' },
          { type: 'list_gains_unseen_items', field: 'jobs', forget_after_days: 90 },
        ],
      },
    },
  },
  {
    title: 'one that leaves out what is noise',
    monitor: {
      ...base,
      extract_config: {
        method: 'css',
        fields: { 'the jobs': 'a::attr(href)[]', terms_of_use: '#terms' },
        ignore: { selectors: ['.ad'] },
        clean: {
          'the jobs': [{ do: 'absolute_links' }, { do: 'drop_lines', pattern: '/ads/' }, { do: 'unique' }],
          terms_of_use: [
            { do: 'between', after: 'Terms', before: 'Contact' },
            { do: 'replace', pattern: '(\\d+) visitors', text: '' },
            { do: 'first', count: 100 },
          ],
        },
      },
    },
  },
  {
    title: 'one that reads what a page states for machines',
    monitor: {
      ...base,
      extract_config: { method: 'json_path', read_as: 'structured_data', fields: { price: '$.product.price' } },
    },
  },
  {
    title: 'one that reads a file',
    monitor: {
      ...base,
      extract_config: { method: 'css', read_as: 'document', fields: { price: 'td:last-child' } },
    },
  },
  {
    title: 'an API with paging in the body',
    monitor: {
      ...base,
      url: 'https://api.example/v2/items?limit=50',
      extract_config: { method: 'json_path', fields: { names: '$[*].name', 'the first price': '$[0].price' } },
      diff_predicate: { type: 'field_changes', field: 'the first price' },
      request_headers: { Accept: 'application/json', 'X-Api-Key': 'k' },
      request_config: {
        method: 'POST',
        body: '{"filter": {"in_stock": true}}',
        pagination: {
          type: 'cursor',
          in: 'body',
          param: 'page.cursor',
          cursor_path: '$.next',
          items_path: '$.data.items',
          max_pages: 5,
        },
      },
      visual_config: null,
    },
  },
  {
    title: 'one that looks at pixels',
    monitor: {
      ...base,
      extract_config: { method: 'full_page' },
      diff_predicate: { type: 'field_changes', field: 'content_hash' },
      visual_config: {
        enabled: true,
        thresholdPct: 0.5,
        fullPage: false,
        regions: [{ selector: '#main', label: 'main' }, { rect: { x: 0, y: 10.5, width: 300, height: 200 } }],
        ignoreSelectors: ['.ad', '#clock'],
        viewport: { width: 1280, height: 720 },
      },
    },
  },
  {
    title: 'a question with hints of a shape',
    monitor: {
      ...base,
      extract_config: {
        method: 'prompt',
        prompt: 'What does the kettle cost, and is it in stock?',
        schema: { type: 'object', properties: { list_price: { type: 'number' }, in_stock: { type: 'boolean' } } },
      },
      diff_predicate: {
        type: 'composite',
        operator: 'OR',
        conditions: [
          { type: 'field_decreases_by_percent', field: 'list_price', threshold: 5 },
          { type: 'field_equals', field: 'in_stock', value: true },
          {
            type: 'composite',
            operator: 'AND',
            conditions: [
              { type: 'field_below', field: 'list_price', threshold: 19.99 },
              { type: 'field_matches_regex', field: 'in_stock', pattern: '^t' },
            ],
          },
        ],
      },
    },
  },
]

/** A predicate of as many leaves as there may be. */
export function largest(): object {
  const level = (depth: number): object =>
    depth === PREDICATE_DEPTH
      ? { type: 'field_increases_by_absolute', field: 'price', threshold: 1 }
      : {
          type: 'composite',
          operator: 'AND',
          conditions: Array.from({ length: PREDICATE_CONDITIONS }, () => level(depth + 1)),
        }
  return { ...base, diff_predicate: level(1) }
}

export { base as LEAST }
