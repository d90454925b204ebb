import { COUNTRIES, LANGUAGES } from '../serp/markets.ts'
import { readSearchTarget } from '../serp/search-target.ts'
import { rule } from './rule.ts'

export const NOT_BLANK = rule<string>({
  name: 'not_blank',
  message: 'must have at least one character that is not white space',
  cel: String.raw`self.matches(r'[^\s\x{0B}\x{85}\x{A0}\x{FEFF}\p{Z}]')`,
  accepts: ['kettle', ' kettle ', 'чайник', '"electric kettle" -gas'],
  rejects: [' ', '\t\n', '\u00a0\u3000'],
  json: { pattern: String.raw`\S` },
  holds: (text) => /\S/u.test(text),
})

/** CEL judges the form of a code alone, and the operator applies the whole rule. */
const codeOf = (name: string, known: ReadonlySet<string>, message: string, accepts: readonly string[]) =>
  rule<string>({
    name,
    message,
    cel: `self.matches('^[A-Za-z]{2}$')`,
    accepts,
    rejects: ['u', '12', 'ü1', 'u\n'],
    json: { minLength: 2, pattern: '^[A-Za-z]{2}$' },
    holds: (text) => known.has(text.toLowerCase()),
  })

export const COUNTRY_CODE = codeOf('country_code', COUNTRIES, 'must be the code of a country, as in us or gb', [
  'us',
  'GB',
  'uk',
])
export const LANGUAGE_CODE = codeOf('language_code', LANGUAGES, 'must be the code of a language, as in en or de', [
  'en',
  'DE',
  'iw',
])

// Of the expression in CEL, which accepts slightly too much.
const HOST = String.raw`(\[[0-9A-Fa-f:.]+\]|[^\x00-\x20\x7f\\/?#@:\[\]<>^|]+)`

export const SEARCH_TARGET = rule<string>({
  name: 'search_target',
  message:
    'must be a domain such as example.com, the beginning of an address such as example.com/blog, a word such as ' +
    'example, or a part of an address that begins with / or ?',
  cel:
    String.raw`(self.matches(r'^\s*((?i:https?)://)?(:?@)?${HOST}(:[0-9]*)?([/?#]|\s*$)') || ` +
    String.raw`self.matches(r'^\s*(/[^?#\s]|/?\?[^#\s])')) && ` +
    String.raw`!self.matches(r'[\x7f\\]|\S[\x00-\x20]+\S') && (self.matches(r'^\s*(?i:https?)://[^/?#\s]') || ` +
    String.raw`!self.matches(r'^\s*[A-Za-z][A-Za-z+.-]*://'))`,
  accepts: [
    'example.com',
    'www.example.com',
    'https://example.com/',
    'HTTP://example.com:8080/a?b=c',
    'shop.example.com/kettles',
    ' example.com ',
    'bücher.example',
    '192.0.2.1',
    'amazon',
    'amazon/kettles',
    '/blog',
    '/blog/2026?tag=kettle',
    '?q=kettle',
    '/?q=kettle',
  ],
  rejects: ['https://', '/', '?', '/?', '/#a', 'my site', 'ftp://example.com/', 'https:///example.com', ' ', 'a:b'],
  holds: (text) => readSearchTarget(text) !== null,
})

interface Targeted {
  readonly mode?: string
  readonly target_domain?: string | null
}

const HAS_TARGET = '(has(self.targetDomain) && dyn(self.targetDomain) != null)'
const hasTarget = ({ target_domain: target }: Targeted) => target !== undefined && target !== null

/** The whole list has no target. */
export const TARGET_UNUSED = rule<Targeted>({
  name: 'target_unused',
  message: 'target_domain is not allowed with mode full_analysis, which compares the whole list: leave it out',
  cel: `!(has(self.mode) && self.mode == 'full_analysis' && ${HAS_TARGET})`,
  accepts: [
    { mode: 'full_analysis' },
    { mode: 'full_analysis', target_domain: null },
    { mode: 'rank_tracking', target_domain: 'example.com' },
  ],
  rejects: [{ mode: 'full_analysis', target_domain: 'example.com' }],
  holds: (monitor) => monitor.mode !== 'full_analysis' || !hasTarget(monitor),
  between: () => ['target_domain'],
})
