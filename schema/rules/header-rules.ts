import { keyPath, keyRule, type Rule } from './rule.ts'

type Headers = Readonly<Record<string, string>>
/** Names that a user may not set. */
export const RESERVED_HEADERS = ['host', 'content-length', 'connection', 'transfer-encoding', 'cookie']

/** Returns a pattern for a word in any case: JSON Schema knows no flags. */
const anyCase = (word: string): string => word.replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)

export const HEADER_NAMES = keyRule<string>({
  name: 'header_names',
  message:
    "a header name has 1-256 characters, all of them RFC 7230 token characters (letters, digits, !#$%&'*+-.^_`|~)",
  cel: String.raw`self.all(name, name.size() <= 256 && name.matches('^[!#$%&\x27*+.^_\x60|~0-9A-Za-z-]+$'))`,
  accepts: [{ 'X-Token': 'a' }, {}, { '!#$': 'a' }],
  rejects: [{ 'X Token': 'a' }, { 'X:Token': 'a' }, { Ünï: 'a' }, { '': 'a' }],
  json: { propertyNames: { minLength: 1, maxLength: 256, pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" } },
  holds: (name) => name.length <= 256 && /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name),
})

export const HEADER_VALUES = keyRule<string>({
  name: 'header_values',
  message: 'a header value may contain only printable ASCII and tabs',
  cel: String.raw`self.all(name, self[name].matches('^[\\t -~]*$'))`,
  accepts: [{ a: 'b\tc ~' }, { a: '' }],
  rejects: [{ a: 'b\r\nc: d' }, { a: 'é' }, { a: '\u0000' }],
  json: { additionalProperties: { pattern: String.raw`^[\t -~]*$` } },
  holds: (_, value) => /^[\t -~]*$/.test(value),
})

export const HEADER_RESERVED = keyRule<string>({
  name: 'header_reserved',
  message:
    `this header is set by the service and cannot be configured (${RESERVED_HEADERS.join(', ')}); to be ` +
    'signed in without a cookie, use Authorization or another header that the site takes',
  cel: `self.all(name, !(name.lowerAscii() in ${JSON.stringify(RESERVED_HEADERS).replaceAll('"', "'")}))`,
  accepts: [{ accept: 'text/html' }, { 'x-host': 'a' }],
  rejects: [
    { Host: 'a' },
    { 'CONTENT-LENGTH': '1' },
    { cookie: 'a=b' },
    { Connection: 'close' },
    { 'Transfer-Encoding': 'chunked' },
  ],
  json: { propertyNames: { not: { pattern: `^(${RESERVED_HEADERS.map(anyCase).join('|')})$` } } },
  holds: (name) => !RESERVED_HEADERS.includes(name.toLowerCase()),
})

export const HEADER_CASE: Rule<Headers> = {
  name: 'header_case',
  message: 'the same header is given twice, in different case',
  cel: 'self.all(a, self.all(b, a == b || a.lowerAscii() != b.lowerAscii()))',
  accepts: [{ a: '1', b: '2' }],
  rejects: [{ 'x-a': '1', 'X-A': '2' }],
  check(headers) {
    const spellings = Map.groupBy(Object.keys(headers), (name) => name.toLowerCase())
    const doubled = [...spellings.values()].filter((names) => names.length > 1).flat()
    return doubled.map((name) => ({ path: keyPath(name), message: this.message }))
  },
}
