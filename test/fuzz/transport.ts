/** How a body travels. */
export interface Transport {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  /** The bytes that are sent for a JSON text. */
  bytes(text: string): Buffer
  /** The service must refuse it, whatever it says. */
  readonly wrong: boolean
}

const JSON_TYPE = { 'content-type': 'application/json' }
const plain = (text: string) => Buffer.from(text)
const made = (
  name: string,
  wrong: boolean,
  bytes: (text: string) => Buffer,
  headers: Record<string, string> = JSON_TYPE,
): Transport => ({
  name,
  headers,
  bytes,
  wrong,
})

/** As everybody does. */
export const ORDINARY = made('ordinary', false, plain)

/** Valid, but seldom seen. */
export const ODD: readonly Transport[] = [
  made('charset', false, plain, { 'content-type': 'application/json; charset=UTF-8' }),
  made('capitals', false, plain, { 'content-type': 'Application/JSON' }),
  made('spaces', false, (text) => Buffer.from(`\r\n\t ${text} \n`)),
  made('empty', false, () => Buffer.alloc(0)),
  made('escaped', false, (text) =>
    Buffer.from(text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)),
  ),
  made('override', false, plain, {
    ...JSON_TYPE,
    'x-http-method-override': 'DELETE',
    'x-request-id': '../../x',
    range: 'bytes=0-1',
  }),
  made('accept', false, plain, { ...JSON_TYPE, accept: 'text/html', 'accept-encoding': 'br', 'if-none-match': '*' }),
]

/** Never to be taken where a body is. */
export const BROKEN: readonly Transport[] = [
  made('cut short', true, (text) => Buffer.from(text.slice(0, -1))),
  made('a trailing comma', true, (text) => Buffer.from(text.replace(/.$/s, ',$&'))),
  made('a second value', true, (text) => Buffer.from(`${text}{}`)),
  made('single quotes', true, () => Buffer.from("{'name': 'x'}")),
  made('NaN', true, () => Buffer.from('{"name": NaN}')),
  made('a comment', true, (text) => Buffer.from(`/* */${text}`)),
  made('not UTF-8', true, (text) =>
    Buffer.concat([Buffer.from(text.slice(0, 1)), Buffer.from([0xff, 0xc0, 0x80]), Buffer.from(text.slice(1))]),
  ),
  made('UTF-16', true, (text) => Buffer.from(`\ufeff${text}`, 'utf16le')),
  made('another character set', true, plain, { 'content-type': 'application/json; charset=iso-8859-1' }),
  made('text/plain', true, plain, { 'content-type': 'text/plain' }),
  made('a form', true, () => Buffer.from('name=x&url=y'), { 'content-type': 'application/x-www-form-urlencoded' }),
  made('a multipart form', true, plain, { 'content-type': 'multipart/form-data; boundary=x' }),
  made(
    'XML',
    true,
    () => Buffer.from('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'),
    {
      'content-type': 'application/xml',
    },
  ),
  made('no type', true, plain, {}),
  made('a nonsense type', true, plain, { 'content-type': '\t;;=/' }),
  made('said to be gzip', true, plain, { ...JSON_TYPE, 'content-encoding': 'gzip' }),
  made('an unknown encoding', true, plain, { ...JSON_TYPE, 'content-encoding': 'x, y' }),
  made('more than 4 MiB', true, (text) => Buffer.concat([Buffer.from(text), Buffer.alloc(4_194_305, ' ')])),
]
