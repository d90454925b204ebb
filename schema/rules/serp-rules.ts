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

/** The two codes have the same form and messages of their own. */
const lowerPair = (name: string, example: string) =>
  rule<string>({
    name,
    message: `must be two lower-case letters, as in ${example}`,
    cel: `self.matches('^[a-z]{2}$')`,
    accepts: ['us', 'en', 'zz'],
    rejects: ['US', 'u', '12', 'ü1', 'u\n'],
    json: { minLength: 2, pattern: '^[a-z]{2}$' },
    holds: (text) => /^[a-z]{2}$/.test(text),
  })

export const COUNTRY_CODE = lowerPair('country_code', 'us or gb')
export const LANGUAGE_CODE = lowerPair('language_code', 'en or de')

/**
 * Returns the address that a target means: a domain, or the beginning of an address, with or without its scheme. Null:
 * there is no host in it, so that no result can match.
 */
export function targetAddress(text: string): URL | null {
  const trimmed = text.replaceAll(/^[ \t\r\n]+|[ \t\r\n]+$/g, '')
  const [, scheme = 'https://', rest = ''] = /^([a-z][a-z+.-]*:\/\/)?(.*)$/is.exec(trimmed) ?? []
  // URL would take the first part of a path for the host, and would drop control characters.
  if (!/^[^/?#]/.test(rest) || /[\u0000-\u0020\u007f\\]/.test(rest) || !/^https?:/i.test(scheme)) return null
  const url = URL.parse(scheme + rest)
  return url === null || url.hostname === '' || url.username !== '' || url.password !== '' ? null : url
}

// Of the expression in CEL, which accepts slightly too much.
const HOST = String.raw`(\[[0-9A-Fa-f:.]+\]|[^\x00-\x20\x7f\\/?#@:\[\]<>^|]+)`

export const SEARCH_TARGET = rule<string>({
  name: 'search_target',
  message: 'must be a domain such as example.com, or the beginning of an address such as example.com/blog',
  cel:
    String.raw`self.matches(r'^\s*((?i:https?)://)?(:?@)?${HOST}(:[0-9]*)?([/?#]|\s*$)') && ` +
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
  ],
  rejects: ['https://', '/blog', '?q=kettle', 'my site', 'ftp://example.com/', 'https:///example.com', ' ', 'a:b'],
  holds: (text) => targetAddress(text) !== null,
})

interface Targeted {
  readonly mode?: string
  readonly target_domain?: string | null
}

const HAS_TARGET = '(has(self.targetDomain) && dyn(self.targetDomain) != null)'
const hasTarget = ({ target_domain: target }: Targeted) => target !== undefined && target !== null

/** Without a target there is no rank. */
export const TARGET_NEEDED = rule<Targeted>({
  name: 'target_needed',
  message: 'target_domain is needed with mode rank_tracking: name the site to look for, or set mode to full_analysis',
  cel: `(has(self.mode) && self.mode != 'rank_tracking') || ${HAS_TARGET}`,
  accepts: [
    { mode: 'rank_tracking', target_domain: 'example.com' },
    { target_domain: 'example.com' },
    { mode: 'full_analysis' },
    { mode: 'full_analysis', target_domain: null },
  ],
  rejects: [{ mode: 'rank_tracking' }, { mode: 'rank_tracking', target_domain: null }, {}],
  holds: (monitor) => (monitor.mode ?? 'rank_tracking') !== 'rank_tracking' || hasTarget(monitor),
  between: () => ['target_domain'],
})

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
