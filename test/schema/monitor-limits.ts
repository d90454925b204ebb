import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import { NOISE_LIMITS } from './noise-limits.ts'

const letters = (count: number) => 'a'.repeat(count)
const many = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index))
const named = (count: number, value: unknown) => Object.fromEntries(many(count, (index) => [`n${index}`, value]))

const fields = (value: unknown) => ({
  extract_config: { method: 'css', fields: value },
  diff_predicate: { type: 'any_field_changes' },
})
const prompt = (value: object) => ({ extract_config: { method: 'prompt', ...value } })
const predicate = (value: unknown) => ({ diff_predicate: value })
const onPrice = (value: object) => predicate({ field: 'price', ...value })
const gaining = (method: string, named: object) => ({
  extract_config: { method, fields: named },
  diff_predicate: { type: 'list_gains_items', field: 'items' },
})
const WAITING = { method: 'css', fields: { price: '$' }, wait_for: '.price' }
const STRUCTURED = { method: 'json_path', read_as: 'structured_data', fields: { price: '$' } }
const DOCUMENT = { method: 'xpath', read_as: 'document', fields: { price: '$' } }
const headers = (value: unknown) => ({ request_headers: value })
const request = (value: object) => ({ request_config: { method: 'POST', ...value } })
const paging = (value: object) => request({ body: '{}', pagination: value })
const page = (value: object) => paging({ type: 'page', in: 'query', param: 'p', ...value })
const visual = (value: object) => ({ visual_config: { enabled: true, ...value } })
const webhook = (value: object) => ({ deliveries: [{ type: 'webhook', url: 'https://example.com/', ...value }] })

function nested(levels: number): DiffPredicate {
  return levels === 1
    ? { type: 'any_field_changes' }
    : { type: 'composite', operator: 'AND', conditions: [nested(levels - 1)] }
}

/** What is limited, a body just inside, one just outside, and where the fault is. */
/** Each limit: its title, a change of the smallest body within it, one beyond it, and the path of the fault. */
export const LIMITS: readonly (readonly [string, object, object, string])[] = [
  ['a name has 1 character', { name: 'a' }, { name: '' }, 'name'],
  ['… to 200', { name: letters(200) }, { name: letters(201) }, 'name'],
  ['… counted as code points', { name: '😀'.repeat(200) }, { name: '😀'.repeat(201) }, 'name'],
  [
    'an address has 2,048 characters',
    { url: `https://example.com/${letters(2028)}` },
    { url: `https://example.com/${letters(2029)}` },
    'url',
  ],
  [
    'an interval is 60 seconds',
    { schedule_interval_seconds: 60 },
    { schedule_interval_seconds: 59 },
    'schedule_interval_seconds',
  ],
  [
    '… to a year',
    { schedule_interval_seconds: 31_536_000 },
    { schedule_interval_seconds: 31_536_001 },
    'schedule_interval_seconds',
  ],
  [
    '… in whole seconds',
    { schedule_interval_seconds: 61 },
    { schedule_interval_seconds: 60.5 },
    'schedule_interval_seconds',
  ],
  ['a fetch mode is auto or browser', { fetch_mode: 'browser' }, { fetch_mode: 'proxy' }, 'fetch_mode'],
  ['a template slug may be null', { template_slug: null }, { template_slug: 5 }, 'template_slug'],

  ['there is 1 field', fields(named(1, '.a')), fields({}), 'extract_config.fields'],
  ['… to 50', fields(named(50, '.a')), fields(named(51, '.a')), 'extract_config.fields'],
  [
    'a field name has 100 characters',
    fields({ [letters(100)]: '.a' }),
    fields({ [letters(101)]: '.a' }),
    `extract_config.fields.${letters(101)}`,
  ],
  [
    '… counted as code points',
    fields({ ['😀'.repeat(100)]: '.a' }),
    fields({ ['😀'.repeat(101)]: '.a' }),
    `extract_config.fields["${'😀'.repeat(101)}"]`,
  ],
  ['a selector has 1 character', fields({ a: 'b' }), fields({ a: '' }), 'extract_config.fields.a'],
  ['… to 1,000', fields({ a: letters(1000) }), fields({ a: letters(1001) }), 'extract_config.fields.a'],
  [
    'a prompt has 10 characters',
    prompt({ prompt: letters(10) }),
    prompt({ prompt: letters(9) }),
    'extract_config.prompt',
  ],
  ['… to 2,000', prompt({ prompt: letters(2000) }), prompt({ prompt: letters(2001) }), 'extract_config.prompt'],
  [
    'a schema is an object',
    prompt({ prompt: letters(10), schema: {} }),
    prompt({ prompt: letters(10), schema: [] }),
    'extract_config.schema',
  ],
  [
    'a method is one of six',
    { extract_config: { method: 'full_page' } },
    { extract_config: { method: 'llm' } },
    'extract_config.method',
  ],
  [
    'full_page has no fields',
    { extract_config: { method: 'full_page' } },
    { extract_config: { method: 'full_page', fields: { a: 'b' } } },
    'extract_config.fields',
  ],

  [
    'predicates nest 4 deep',
    predicate(nested(4)),
    predicate(nested(5)),
    'diff_predicate.conditions[0].conditions[0].conditions[0]',
  ],
  [
    'a composite has 1 condition',
    predicate({ type: 'composite', operator: 'OR', conditions: [nested(1)] }),
    predicate({ type: 'composite', operator: 'OR', conditions: [] }),
    'diff_predicate.conditions',
  ],
  [
    '… to 25',
    predicate({ type: 'composite', operator: 'OR', conditions: many(25, () => nested(1)) }),
    predicate({ type: 'composite', operator: 'OR', conditions: many(26, () => nested(1)) }),
    'diff_predicate.conditions',
  ],
  [
    '… and one of two operators',
    predicate({ type: 'composite', operator: 'OR', conditions: [nested(1)] }),
    predicate({ type: 'composite', operator: 'XOR', conditions: [nested(1)] }),
    'diff_predicate.operator',
  ],
  [
    'a percentage is above 0',
    onPrice({ type: 'field_increases_by_percent', threshold: 1e-9 }),
    onPrice({ type: 'field_increases_by_percent', threshold: 0 }),
    'diff_predicate.threshold',
  ],
  [
    'an amount is any number',
    onPrice({ type: 'field_decreases_by_absolute', threshold: -1e15 }),
    onPrice({ type: 'field_decreases_by_absolute', threshold: -1.1e15 }),
    'diff_predicate.threshold',
  ],
  [
    'what is waited for is on a page that is always rendered',
    { fetch_mode: 'browser', extract_config: WAITING },
    { fetch_mode: 'auto', extract_config: WAITING },
    '',
  ],
  [
    '… and no JSON',
    { fetch_mode: 'browser', extract_config: { ...WAITING, method: 'regex' } },
    { fetch_mode: 'browser', extract_config: { ...WAITING, method: 'json_path' } },
    'extract_config.wait_for',
  ],
  [
    'structured data is read by paths',
    { extract_config: STRUCTURED },
    { extract_config: { ...STRUCTURED, method: 'xpath' } },
    'extract_config.read_as',
  ],
  [
    'a document is fetched as it is sent',
    { extract_config: DOCUMENT, visual_config: { enabled: false } },
    { extract_config: DOCUMENT, fetch_mode: 'browser' },
    'extract_config.read_as',
  ],
  [
    '… so it has no picture',
    { extract_config: { ...DOCUMENT, method: 'json_path' } },
    { extract_config: DOCUMENT, visual_config: { enabled: true } },
    'extract_config.read_as',
  ],
  ...NOISE_LIMITS,
  [
    'a list that gains items ends in []',
    gaining('xpath', { items: '//li []' }),
    gaining('xpath', { items: '//li' }),
    'diff_predicate.field',
  ],
  [
    '… or may be one by its method',
    gaining('json_path', { items: '$' }),
    gaining('regex', { items: 'x' }),
    'diff_predicate.field',
  ],
  ['… and is a field', gaining('css', { items: 'li[]' }), gaining('css', { item: 'li[]' }), 'diff_predicate.field'],
  [
    '… not a text',
    onPrice({ type: 'field_above', threshold: 0 }),
    onPrice({ type: 'field_above', threshold: '0' }),
    'diff_predicate.threshold',
  ],
  [
    'a pattern has 1 character',
    onPrice({ type: 'field_matches_regex', pattern: 'a' }),
    onPrice({ type: 'field_matches_regex', pattern: '' }),
    'diff_predicate.pattern',
  ],
  [
    '… to 1,000',
    onPrice({ type: 'field_matches_regex', pattern: letters(1000) }),
    onPrice({ type: 'field_matches_regex', pattern: letters(1001) }),
    'diff_predicate.pattern',
  ],
  [
    'a literal has 10,000 characters',
    onPrice({ type: 'field_equals', value: letters(10_000) }),
    onPrice({ type: 'field_equals', value: letters(10_001) }),
    'diff_predicate.value',
  ],
  [
    '… and is a text, a number or a boolean',
    onPrice({ type: 'field_equals', value: false }),
    onPrice({ type: 'field_equals', value: null }),
    'diff_predicate.value',
  ],
  [
    'a predicate names a field',
    onPrice({ type: 'field_changes' }),
    predicate({ type: 'field_changes', field: 'stock' }),
    'diff_predicate.field',
  ],

  [
    'there are 25 deliveries',
    { deliveries: many(25, () => ({ type: 'email', to: 'a@example.com' })) },
    { deliveries: many(26, () => ({ type: 'email', to: 'a@example.com' })) },
    'deliveries',
  ],
  ['a delivery is of four types', webhook({}), { deliveries: [{ type: 'sms', to: '1' }] }, 'deliveries[0].type'],
  ['a webhook has an address', webhook({}), { deliveries: [{ type: 'webhook' }] }, 'deliveries[0].url'],
  [
    'a chat has one too',
    { deliveries: [{ type: 'slack', webhookUrl: 'https://example.com/' }] },
    { deliveries: [{ type: 'slack', url: 'https://example.com/' }] },
    'deliveries[0].webhookUrl',
  ],
  [
    'a mail goes to one address',
    { deliveries: [{ type: 'email', to: 'a@example.com' }] },
    { deliveries: [{ type: 'email', to: 'a@example.com,b@example.com' }] },
    'deliveries[0].to',
  ],
  [
    'a webhook has 20 headers',
    webhook({ headers: named(20, 'x') }),
    webhook({ headers: named(21, 'x') }),
    'deliveries[0].headers',
  ],

  ['there are 20 headers', headers(named(20, 'x')), headers(named(21, 'x')), 'request_headers'],
  ['headers may be null', headers(null), headers('x'), 'request_headers'],
  [
    'a header name has 256 characters',
    headers({ [letters(256)]: 'x' }),
    headers({ [letters(257)]: 'x' }),
    `request_headers.${letters(257)}`,
  ],
  [
    'a header value has 2,048 characters',
    headers({ a: letters(2048) }),
    headers({ a: letters(2049) }),
    'request_headers.a',
  ],
  ['… of printable ASCII and tab', headers({ a: '\t !~' }), headers({ a: '\u007f' }), 'request_headers.a'],
  [
    'reserved names are refused in every spelling',
    headers({ 'x-host': 'a' }),
    headers({ hOST: 'a' }),
    'request_headers.hOST',
  ],

  ['a method is one of four', request({ method: 'PATCH' }), request({ method: 'DELETE' }), 'request_config.method'],
  [
    'a headline of messages has 200 characters',
    { message: { title: letters(200) } },
    { message: { title: letters(201) } },
    'message.title',
  ],
  [
    'a text of messages has 4,000 characters',
    { message: { text: letters(4_000) } },
    { message: { text: letters(4_001) } },
    'message.text',
  ],
  [
    "a body of one's own has 20,000 characters",
    webhook({ service: 'custom', body: letters(20_000) }),
    webhook({ service: 'custom', body: letters(20_001) }),
    'deliveries[0].body',
  ],
  [
    "a body of one's own is sent by POST or PUT",
    webhook({ service: 'custom', body: 'a', method: 'PUT' }),
    webhook({ service: 'custom', body: 'a', method: 'PATCH' }),
    'deliveries[0].method',
  ],
  [
    'an option has 2,048 characters',
    webhook({ service: 'apprise', options: { urls: letters(2_048) } }),
    webhook({ service: 'apprise', options: { urls: letters(2_049) } }),
    'deliveries[0].options.urls',
  ],
  [
    'a body has 100,000 characters',
    request({ body: letters(100_000) }),
    request({ body: letters(100_001) }),
    'request_config.body',
  ],
  ['a body does not go with GET', request({ body: '' }), request({ method: 'GET', body: '' }), 'request_config.body'],
  ['paging starts at 0', page({ start: 0 }), page({ start: -1 }), 'request_config.pagination.start'],
  ['a step is 1', page({ step: 1 }), page({ step: 0 }), 'request_config.pagination.step'],
  ['there are 1 page', page({ max_pages: 1 }), page({ max_pages: 0 }), 'request_config.pagination.max_pages'],
  ['… to 50', page({ max_pages: 50 }), page({ max_pages: 51 }), 'request_config.pagination.max_pages'],
  [
    'paging in the body needs one that is a JSON object',
    page({ in: 'body' }),
    request({ body: '[]', pagination: { type: 'page', in: 'body', param: 'p' } }),
    'request_config.pagination.in',
  ],
  [
    'a cursor has a path',
    paging({ type: 'cursor', in: 'query', param: 'c', cursor_path: '$.next' }),
    paging({ type: 'cursor', in: 'query', param: 'c' }),
    'request_config.pagination.cursor_path',
  ],
  [
    'a next URL has a path',
    paging({ type: 'next_url', next_url_path: 'next' }),
    paging({ type: 'next_url' }),
    'request_config.pagination.next_url_path',
  ],
  [
    'a Link header needs nothing',
    paging({ type: 'link_header' }),
    paging({ type: 'link_header', start: 1 }),
    'request_config.pagination.start',
  ],

  [
    'a change of 0 percent counts',
    visual({ thresholdPct: 0 }),
    visual({ thresholdPct: -0.1 }),
    'visual_config.thresholdPct',
  ],
  ['… to 100', visual({ thresholdPct: 100 }), visual({ thresholdPct: 100.1 }), 'visual_config.thresholdPct'],
  ['enabled is needed', { visual_config: { enabled: false } }, { visual_config: {} }, 'visual_config.enabled'],
  [
    'there are 20 regions',
    visual({ regions: many(20, () => ({ selector: 'a' })) }),
    visual({ regions: many(21, () => ({ selector: 'a' })) }),
    'visual_config.regions',
  ],
  [
    'a region has a selector or a rectangle',
    visual({ regions: [{ selector: 'a', label: 'x' }] }),
    visual({ regions: [{ selector: 'a', rect: { x: 0, y: 0, width: 1, height: 1 } }] }),
    'visual_config.regions[0].rect',
  ],
  [
    'there are 20 selectors to hide',
    visual({ ignoreSelectors: many(20, () => 'a') }),
    visual({ ignoreSelectors: many(21, () => 'a') }),
    'visual_config.ignoreSelectors',
  ],
  [
    'a viewport is 320 × 240',
    visual({ viewport: { width: 320, height: 240 } }),
    visual({ viewport: { width: 319, height: 240 } }),
    'visual_config.viewport.width',
  ],
  [
    '… to 3840 × 2160',
    visual({ viewport: { width: 3840, height: 2160 } }),
    visual({ viewport: { width: 3840, height: 2161 } }),
    'visual_config.viewport.height',
  ],
  [
    'pictures do not go with a direct request',
    { visual_config: { enabled: false }, request_config: {} },
    { visual_config: { enabled: true }, request_config: {} },
    'visual_config.enabled',
  ],
]
