import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { metaCharset } from '../../../../runners/extract/html/meta-charset.ts'
import { decode } from '../../../../runners/extract/text/charset.ts'
import type { TextKind } from '../../../../runners/extract/text/charset.ts'

function latin1(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}

function utf16be(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16()
}

function utf32(text: string, little: boolean): Buffer {
  const points = Array.from(text).map((char) => char.codePointAt(0) ?? 0)
  const bytes = Buffer.alloc(points.length * 4)
  points.forEach((point, i) => (little ? bytes.writeUInt32LE(point, i * 4) : bytes.writeUInt32BE(point, i * 4)))
  return bytes
}

type Case = readonly [
  what: string,
  bytes: Uint8Array,
  contentType: string | null,
  kind: TextKind,
  text: string,
  encoding: string,
]

const CASES: readonly Case[] = [
  ['a label in the header', latin1('caf\xe9'), 'text/html; charset=ISO-8859-1', 'html', 'café', 'windows-1252'],
  ['a quoted label in the header', latin1('\xc1'), 'text/html; charset="windows-1251"', 'html', 'Б', 'windows-1251'],
  [
    'a byte order mark against the header',
    Buffer.from('\ufeffé'),
    'text/html; charset=windows-1252',
    'html',
    'é',
    'utf-8',
  ],
  ['a UTF-16 mark', Buffer.from('\ufeffé', 'utf16le'), null, 'html', 'é', 'utf-16le'],
  ['a big-endian mark', utf16be('\ufeffé'), null, 'xml', 'é', 'utf-16be'],
  ['a UTF-32 mark', utf32('\ufeff<é/>', true), null, 'xml', '<é/>', 'utf-32le'],
  ['meta charset', latin1('<meta charset=koi8-r>\xc1'), 'text/html', 'html', '<meta charset=koi8-r>а', 'koi8-r'],
  [
    'meta http-equiv',
    latin1('<META content="text/html; charset=windows-1251" HTTP-EQUIV=Content-Type>\xc1'),
    null,
    'html',
    '<META content="text/html; charset=windows-1251" HTTP-EQUIV=Content-Type>Б',
    'windows-1251',
  ],
  [
    'meta utf-16, which cannot be',
    latin1('<meta charset=utf-16>é'),
    null,
    'html',
    '<meta charset=utf-16>\ufffd',
    'utf-8',
  ],
  [
    'meta x-user-defined',
    latin1('<meta charset=x-user-defined>\x80'),
    null,
    'html',
    '<meta charset=x-user-defined>€',
    'windows-1252',
  ],
  [
    'a header over a meta',
    latin1('<meta charset=koi8-r>\xe9'),
    'text/html;charset=latin1',
    'html',
    '<meta charset=koi8-r>é',
    'windows-1252',
  ],
  ['nothing, valid UTF-8', Buffer.from('é€'), 'text/html', 'html', 'é€', 'utf-8'],
  ['nothing, not UTF-8', latin1('\x80\xe9'), 'text/html', 'html', '€é', 'windows-1252'],
  [
    'an XML declaration',
    latin1('<?xml version="1.0" encoding="iso-8859-2"?><a>\xb1</a>'),
    'text/xml',
    'xml',
    '<?xml version="1.0" encoding="iso-8859-2"?><a>ą</a>',
    'iso-8859-2',
  ],
  [
    'UTF-16 XML without a mark',
    Buffer.from('<?xml?><a>é</a>', 'utf16le'),
    'text/xml',
    'xml',
    '<?xml?><a>é</a>',
    'utf-16le',
  ],
  ['UTF-16BE XML without a mark', utf16be('<a>é</a>'), null, 'xml', '<a>é</a>', 'utf-16be'],
  ['UTF-32BE XML without a mark', utf32('<a>é</a>', false), null, 'xml', '<a>é</a>', 'utf-32be'],
  ['XML without anything', latin1('<a>\xe9</a>'), 'text/xml', 'xml', '<a>\ufffd</a>', 'utf-8'],
  [
    'XML whose header knows better',
    latin1('<?xml version="1.0" encoding="utf-8"?>\xe9'),
    'text/xml; charset=iso-8859-1',
    'xml',
    '<?xml version="1.0" encoding="utf-8"?>é',
    'windows-1252',
  ],
  ['JSON', Buffer.from('"é"'), 'application/json', 'json', '"é"', 'utf-8'],
  ['JSON with a mark', Buffer.from('\ufeff"é"'), 'application/json', 'json', '"é"', 'utf-8'],
]

describe('decode', () => {
  test.each(CASES)('goes by %s', (...[, bytes, contentType, kind, text, encoding]) => {
    expect(decode(bytes, contentType, kind)).toMatchObject({ text, encoding, warnings: [] })
  })

  test.each(['utf-7', 'hz-gb-2312', 'no-such-charset'])('reads the label %s as UTF-8 with a warning', (label) => {
    const decoded = decode(Buffer.from('é'), `text/html; charset=${label}`, 'html')
    expect(decoded).toMatchObject({ text: 'é', encoding: 'utf-8' })
    expect(decoded.warnings[0]).toContain(label)
  })

  test('decodes windows-1252 from 0x80 to 0x9F as the web does, also in long texts', () => {
    const table = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'
    const bytes = Uint8Array.from({ length: 32 }, (_, i) => 0x80 + i)
    for (const repeat of [1, 500]) {
      const long = Buffer.concat(Array.from({ length: repeat }, () => bytes))
      expect(decode(long, 'text/html; charset=windows-1252', 'html').text).toBe(table.repeat(repeat))
    }
  })

  test('finds a late meta when the bytes are not UTF-8, but not one that a script writes', () => {
    const late = `<script>"<meta charset=koi8-r>"</script>${'<!-- -->'.repeat(300)}<meta charset=windows-1251>`
    expect(decode(latin1(`${late}\xc1`), null, 'html').encoding).toBe('windows-1251')
    expect(metaCharset('<script>"<meta charset=koi8-r>"</script>')).toBeNull()
  })

  test('never throws, on any bytes with any type', () => {
    const kind = fc.constantFrom<TextKind>('html', 'xml', 'json', 'text')
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.option(fc.string()), kind, (bytes, type, as) => {
        expect(typeof decode(bytes, type, as).text).toBe('string')
      }),
    )
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('<', 'meta ', 'charset', '=', '"', "'", '>', '/', 'a', ' ', '!--', '-->') }),
        (head) => {
          const label = metaCharset(head)
          expect(label === null || typeof label === 'string').toBe(true)
        },
      ),
    )
  })
})
