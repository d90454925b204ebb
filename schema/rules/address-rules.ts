import { rule } from './rule.ts'

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
  holds: (text) => text.length <= 254 && EMAIL_PATTERN.test(text),
})
