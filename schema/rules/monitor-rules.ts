import type { DiffPredicate } from '../monitor/diff-predicate.ts'
import { fieldNames, type ExtractConfig } from '../monitor/extract-config.ts'
import { listExpression } from '../monitor/value-limits.ts'
import type { Issue } from '../validation/issue.ts'
import { rule, type Rule, keyRule } from './rule.ts'

interface PredicateInput {
  /** Absent: values are given in place of a page, so any field may be meant. */
  readonly extract_config?: ExtractConfig
  /** Absent: nothing is to be compared. */
  readonly diff_predicate?: DiffPredicate
}

const css = (predicate: DiffPredicate): PredicateInput => ({
  extract_config: { method: 'css', fields: { price: '.price' } },
  diff_predicate: predicate,
})

function fieldIssues(predicate: DiffPredicate, config: ExtractConfig, path: string): Issue[] {
  if (predicate.type === 'composite')
    return predicate.conditions.flatMap((condition, index) =>
      fieldIssues(condition, config, `${path}.conditions[${index}]`),
    )
  if (predicate.type === 'any_field_changes') return []
  const known = fieldNames(config)
  const list = known.map((name) => `"${name}"`).join(', ')
  const message = known.includes(predicate.field)
    ? notOfType(predicate, config)
    : `is not among the fields that are extracted: ${list}`
  return message ? [{ path: `${path}.field`, message }] : []
}

type Named = Extract<DiffPredicate, { field: string }>

/** Returns why a field can never have what a condition is about; null when it may. */
function notOfType({ type, field }: Named, config: ExtractConfig): string | null {
  return type.startsWith('list_') ? notList(config, field) : null
}

/** Returns why a field can never be a list; null when it may be one. JSONPath and models decide that on each page. */
function notList(config: ExtractConfig, field: string): string | null {
  if (config.method === 'json_path' || config.method === 'prompt') return null
  if (config.method === 'regex' || config.method === 'full_page') return `is never a list with ${config.method}`
  return listExpression(config.fields[field] ?? '') === null
    ? 'is not a list; end its expression in [] so that it gives all its matches'
    : null
}

/** Predicates may refer to defined fields only, and those about lists to lists only. */
export const PREDICATE_FIELDS: Rule<PredicateInput> = {
  name: 'predicate_fields',
  message: 'a predicate names a field that extract_config does not define, or a list that is none',
  // The generator of the custom resources writes the CEL for each level, because it knows the nesting. Whether a field
  // is a list is left to the operator.
  cel: null,
  accepts: [css({ type: 'any_field_changes' }), css({ type: 'field_changes', field: 'price' })],
  rejects: [
    css({ type: 'field_changes', field: 'stock' }),
    css({ type: 'composite', operator: 'OR', conditions: [{ type: 'field_changes', field: 'stock' }] }),
  ],
  check: ({ extract_config, diff_predicate }) =>
    diff_predicate && extract_config ? fieldIssues(diff_predicate, extract_config, 'diff_predicate') : [],
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
  between: () => ['request_config', 'visual_config.enabled'],
})

interface Waiting extends Fetched {
  readonly extract_config: { readonly method: string; readonly wait_for?: string }
  readonly fetch_mode?: string
}

const waiting = (rest: object): Waiting => ({ extract_config: { method: 'full_page', wait_for: '.price' }, ...rest })

/** Only a rendered page can be waited for. Under `auto` a page may be read without a browser. */
export const WAIT_FOR_RENDERED = rule<Waiting>({
  name: 'wait_for_rendered',
  message:
    'wait_for needs a page that is always rendered: set fetch_mode to browser, or enable visual_config, without a ' +
    'request_config',
  cel:
    "!has(self.extractConfig.waitFor) || (((has(self.fetchMode) && self.fetchMode == 'browser') || " +
    '(has(self.visualConfig) && self.visualConfig != null && self.visualConfig.enabled)) && ' +
    '!(has(self.requestConfig) && self.requestConfig != null))',
  accepts: [
    waiting({ fetch_mode: 'browser' }),
    waiting({ fetch_mode: 'auto', visual_config: { enabled: true } }),
    { extract_config: { method: 'full_page' }, fetch_mode: 'auto' },
  ],
  rejects: [
    waiting({ fetch_mode: 'auto' }),
    waiting({ visual_config: { enabled: false } }),
    waiting({ fetch_mode: 'browser', request_config: {} }),
  ],
  holds: ({ extract_config, fetch_mode, visual_config, request_config }) =>
    extract_config.wait_for === undefined ||
    ((fetch_mode === 'browser' || visual_config?.enabled === true) &&
      (request_config === undefined || request_config === null)),
})

interface Isolated {
  readonly isolation?: unknown
  readonly fetch_mode?: unknown
  readonly request_config?: unknown
}

export const POD_RENDERED = rule<Isolated>({
  name: 'pod_rendered',
  message: 'isolation pod needs a page that is always rendered: set fetch_mode to browser, without a request_config',
  cel:
    "!has(self.isolation) || (self.isolation == 'pod' ? has(self.fetchMode) && self.fetchMode == 'browser' && " +
    '!(has(self.requestConfig) && self.requestConfig != null) : true)',
  accepts: [{ isolation: 'pod', fetch_mode: 'browser' }, { isolation: 'shared' }, {}],
  rejects: [
    { isolation: 'pod' },
    { isolation: 'pod', fetch_mode: 'auto' },
    { isolation: 'pod', fetch_mode: 'browser', request_config: {} },
  ],
  holds: ({ isolation, fetch_mode, request_config }) =>
    isolation !== 'pod' || (fetch_mode === 'browser' && (request_config === undefined || request_config === null)),
})

export const FIELD_NAMES = keyRule<string>({
  name: 'field_names',
  message: 'a field name has 1-100 characters, without control characters, and is not __proto__',
  cel: "self.all(name, name.size() >= 1 && name.size() <= 100 && name != '__proto__' && !name.matches('[[:cntrl:]]'))",
  accepts: [{ price: '.price' }, { 'the price': '.price' }, { ['😀'.repeat(100)]: '.price' }],
  rejects: [{ '': '.a' }, { ['a'.repeat(101)]: '.a' }, { 'a\nb': '.a' }],
  json: {
    propertyNames: {
      minLength: 1,
      maxLength: 100,
      pattern: String.raw`^[^\u0000-\u001f\u007f]+$`,
      not: { const: '__proto__' },
    },
  },
  holds: (name) => /^[^\u0000-\u001f\u007f]{1,100}$/u.test(name) && name !== '__proto__',
})

export const SCALAR = rule<unknown>({
  name: 'scalar',
  message: 'must be a string of at most 10,000 characters, a number or a boolean',
  cel: null,
  accepts: ['a', 1, true, ''],
  rejects: [null, [], {}, ['a']],
  json: { type: ['string', 'number', 'boolean'], maxLength: 10_000 },
  holds: (value) =>
    (typeof value === 'string' && /^[^]{0,10000}$/u.test(value)) ||
    (typeof value === 'number' && Number.isFinite(value)) ||
    typeof value === 'boolean',
})

interface Thresholded {
  readonly type: string
  readonly threshold?: number
}

export const POSITIVE_PERCENT = rule<Thresholded>({
  name: 'positive_percent',
  message: 'a percentage is a positive number: 5 means 5 percent',
  cel: "!self.type.endsWith('_by_percent') || !has(self.threshold) || self.threshold > 0.0",
  accepts: [
    { type: 'field_increases_by_percent', threshold: 0.5 },
    { type: 'field_above', threshold: -3 },
  ],
  rejects: [
    { type: 'field_increases_by_percent', threshold: 0 },
    { type: 'field_decreases_by_percent', threshold: -5 },
  ],
  jsonOf: (variant) => (variant.endsWith('_by_percent') ? { threshold: { exclusiveMinimum: 0 } } : {}),
  between: () => ['threshold'],
  holds: (leaf) => !leaf.type.endsWith('_by_percent') || leaf.threshold === undefined || leaf.threshold > 0,
})

function isWebAddress(text: string): boolean {
  // These checks come before parsing, because URL silently repairs backslashes, tabs, line ends and a missing host.
  // The user would not recognise the result.
  if (!/^https?:\/\/[^/\\?#\s]/i.test(text) || /[\u0000-\u0020\u007f\\]/.test(text)) return false
  const url = URL.parse(text)
  return url !== null && url.hostname !== '' && url.username === '' && url.password === ''
}

// Of the expression in CEL.
const HOST = String.raw`(\[[0-9A-Fa-f:.]+\]|[^\x00-\x20\x7f\\/?#@:\[\]<>^|]+)`
const PORT = '(:0*([0-9]{0,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?'
const PATH_AND_QUERY = String.raw`([/?#][^\x00-\x20\x7f\\]*)?`

/** Of the expression in OpenAPI, which accepts any host and port. */
const WEB_ADDRESS_PATTERN =
  '^[hH][tT][tT][pP][sS]?://(:?@)?' + String.raw`[^/?#@\\\u0000-\u0020\u007f]+([/?#][^\\\u0000-\u0020\u007f]*)?$`

export const WEB_ADDRESS = rule<string>({
  name: 'web_address',
  message:
    'must be an absolute http:// or https:// address with a port of at most 65535, if any, and without user name, ' +
    'spaces or backslashes',
  // CEL uses Go's URL parser, which refuses addresses that people use (a bare %, an @ in a path). The grammar is
  // therefore written as a pattern, which accepts slightly too much.
  cel: `self.matches(r'^(?i:https?)://(:?@)?${HOST}${PORT}${PATH_AND_QUERY}$')`,
  accepts: [
    'https://example.com/',
    'http://example.com:8080/a?b=c#d',
    'https://[2001:db8::1]/x',
    'https://example.com/@name',
    'https://example.com?to=name@example.com',
    'https://example.com/100%',
    'HTTPS://EXAMPLE.com',
    'https://bücher.example/ä?q=ö',
    'https://example.com:65535/',
    'http://192.0.2.1',
  ],
  rejects: [
    'ftp://example.com/',
    'example.com',
    'https://',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'http://user:pw@example.com/',
    'https://user@example.com/',
    'https://exa mple.com/',
    'https://example.com/a b',
    'https://example.com/a\nb',
    String.raw`https:\\example.com`,
    String.raw`https://example.com\a`,
    'https:///example.com',
    'https:example.com',
    'https://example.com:65536/',
    'https://example.com:port/',
    'https://[example]/',
    'https://exa<mple.com/',
    ' https://example.com/',
  ],
  json: { pattern: WEB_ADDRESS_PATTERN },
  holds: isWebAddress,
})

/** A label of a host name. */
const LABEL = '[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
/** In the syntax that CEL and JavaScript share. */
const EMAIL = String.raw`^[A-Za-z0-9.!#$%&*+/=?^_\x60{|}~-]{1,64}@${LABEL}([.]${LABEL})+$`
const EMAIL_PATTERN = new RegExp(EMAIL)

export const EMAIL_ADDRESS = rule<string>({
  name: 'email_address',
  message: 'must be one e-mail address such as name@example.com',
  cel: `self.matches('${EMAIL}') && self.size() <= 254`,
  accepts: ['name@example.com', 'first.last+tag@sub.example.co.uk'],
  rejects: [
    'name',
    'a@b',
    'a@example.com, b@example.com',
    'a@example.com\r\nBcc: c@example.com',
    '"a b"@example.com',
    'a b@example.com',
    'a@-example.com',
    `${'a'.repeat(65)}@example.com`,
  ],
  json: { format: 'email', pattern: EMAIL },
  holds: (text) => text.length <= 254 && EMAIL_PATTERN.test(text),
})
