import { rule } from './rule.ts'

function isWebAddress(text: string): boolean {
  // Before parsing: URL repairs what a person would not recognise afterwards (backslashes, tabs, line ends, a missing host).
  if (!/^https?:\/\/[^/\\?#\s]/i.test(text) || /[\u0000-\u0020\u007f\\]/.test(text)) return false
  const url = URL.parse(text)
  return url !== null && url.hostname !== '' && url.username === '' && url.password === ''
}

export const WEB_ADDRESS = rule<string>({
  name: 'web_address',
  message: 'must be an absolute http:// or https:// address without user name, spaces or backslashes',
  cel: "isURL(self) && url(self).getScheme() in ['http', 'https'] && url(self).getHostname() != '' && !self.contains('@') && !self.matches('[[:cntrl:] ]')",
  accepts: ['https://example.com/', 'http://example.com:8080/a?b=c#d', 'https://[2001:db8::1]/x'],
  rejects: [
    'ftp://example.com/',
    'example.com',
    'https://',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'http://user:pw@example.com/',
    'https://exa mple.com/',
  ],
  holds: isWebAddress,
})

export const EMAIL_ADDRESS = rule<string>({
  name: 'email_address',
  message: 'must be one e-mail address such as name@example.com',
  cel: String.raw`self.matches('^[A-Za-z0-9.!#$%&*+/=?^_\x60{|}~-]+@[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?([.][A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$') && self.size() <= 254`,
  accepts: ['name@example.com', 'first.last+tag@sub.example.co.uk'],
  rejects: [
    'name',
    'a@b',
    'a@example.com, b@example.com',
    'a@example.com\r\nBcc: c@example.com',
    '"a b"@example.com',
    'a b@example.com',
    'a@-example.com',
  ],
  holds: (text) =>
    text.length <= 254 &&
    /^[A-Za-z0-9.!#$%&*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$/.test(
      text,
    ),
})
