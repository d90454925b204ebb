import { deflateSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { DOCUMENT_LIMITS } from '../../../../runners/extract/documents/document-limits.ts'
import { createExtractor } from '../../../../runners/extract/pool/extractor.ts'
import {
  docxOf,
  linesPdf,
  pdfOf,
  pdfOfObjects,
  streamOf,
  tableOf,
  textAt,
  workbookEntries,
  xlsxOf,
  zipOf,
} from '../../../support/documents/files.ts'

const extractor = createExtractor()
afterAll(() => extractor.close())

const PATHS = { method: 'json_path', read_as: 'document', fields: { it: '$' } } as const
const GOOD = { method: 'json_path', read_as: 'document', fields: { it: '$.sheets[0].records[0].Price' } } as const
const good = () => ({ body: Buffer.from('Price\n5\n'), contentType: 'text/csv', url: 'file:' })

const MB = 1024 * 1024
const entries = workbookEntries({ sheets: { A: '<row><c><v>1</v></c></row>' } })
const without = (name: string) => entries.filter((entry) => entry.name !== name)
const sheet = (rows: string) => xlsxOf({ sheets: { A: rows } })
const changed = (name: string, more: object) =>
  zipOf(entries.map((entry) => (entry.name === name ? { ...entry, ...more } : entry)))
const SHEET = 'xl/worksheets/sheet0.xml'
const whole = zipOf(entries)
const onePage = (objects: readonly (string | Buffer)[]) =>
  pdfOfObjects([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    ...objects,
  ])
const FONT = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>'
const text = textAt([[72, 700, 'x']])
const word = (body: string) => docxOf({ body })

/** What is hostile about a file, the file, and how its run may end. */
const FILES: [what: string, make: () => Buffer, end: RegExp, never?: string][] = [
  // Archives.
  [
    'an archive of zeros that unpack to 200 MB',
    () => zipOf([...entries, { name: 'a', data: Buffer.alloc(200 * MB) }]),
    /^too_complex: .*64 MB/,
  ],
  [
    'a part that is larger than it says',
    () => changed(SHEET, { data: `<worksheet>${' '.repeat(30 * MB)}</worksheet>`, size: 100 }),
    /^unreadable_document: .*cannot be unpacked/,
  ],
  [
    '2,001 entries',
    () => zipOf([...entries, ...Array.from({ length: 2_001 }, (_, at) => ({ name: `a${at}`, data: '' }))]),
    /^too_complex: .*2,000 entries/,
  ],
  ['an archive that was cut', () => whole.subarray(0, whole.length - 30), /^unreadable_document: .*no end/],
  [
    'an archive whose beginning is missing',
    () => Buffer.concat([Buffer.from('PK\x03\x04'), whole.subarray(200)]),
    /^unreadable_document/,
  ],
  [
    'a directory that was cut',
    () => Buffer.concat([whole.subarray(0, whole.length - 100), whole.subarray(-22)]),
    /^unreadable_document/,
  ],
  ['a wrong checksum', () => changed(SHEET, { crc: 1 }), /^unreadable_document: .*checksum/],
  ['an encrypted entry', () => changed(SHEET, { flags: 1 }), /^unreadable_document: .*encrypted/],
  ['an unknown way of packing', () => changed(SHEET, { method: 12 }), /^unreadable_document: .*unknown way/],
  ['two entries of one name', () => zipOf([...entries, ...entries]), /^unreadable_document: .*two entries/],
  ['names that lead out of the archive', () => zipOf([...entries, { name: '../../etc/passwd', data: 'x' }]), /^ok/],
  ['no workbook', () => zipOf(without('xl/workbook.xml')), /^unreadable_document/],
  [
    'a sheet whose name has 100,000 signs',
    () =>
      changed('xl/_rels/workbook.xml.rels', {
        data: `<a><Relationship Id="s0" Type="x/worksheet" Target="${'a'.repeat(100_000)}"/></a>`,
      }),
    /^unreadable_document: .*has no xl\/a{97}…/,
  ],
  ['no sheet', () => zipOf(without(SHEET)), /^unreadable_document: .*has no xl/],
  ['only entries', () => zipOf([{ name: 'a.txt', data: 'x' }]), /^unreadable_document: The answer is an archive/],
  [
    'an old Office file',
    () => Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]),
    /^unreadable_document: .*old Office/,
  ],
  [
    'an encrypted Office file',
    () => Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
    /^unreadable_document: .*encrypted/,
  ],
  // Sheets.
  [
    'a cell in the last row',
    () => sheet('<row r="1048576"><c r="A1048576"><v>1</v></c></row>'),
    /^too_complex: .*200,000 cells/,
  ],
  [
    'cells in the last column of many rows',
    () =>
      sheet(
        Array.from({ length: 50 }, (_, at) => `<row r="${at + 1}"><c r="XFD${at + 1}"><v>1</v></c></row>`).join(''),
      ),
    /^too_complex: .*200,000 cells/,
  ],
  ['200,001 cells', () => sheet('<row><c><v>1</v></c></row>'.repeat(200_001)), /^too_complex: .*200,000 cells/],
  ['a row of no number', () => sheet('<row r="x"><c><v>1</v></c></row>'), /^unreadable_document: .*no number/],
  ['a text that is missing', () => sheet('<row><c t="s"><v>9</v></c></row>'), /^unreadable_document: .*missing/],
  [
    'a sheet that ends early',
    () => changed(SHEET, { data: '<worksheet><sheetData><row><c><v>1</v></c></row>' }),
    /^unreadable_document: .*too early/,
  ],
  ['a sheet that is no XML', () => changed(SHEET, { data: 'nothing' }), /^unreadable_document: .*no XML/],
  ['elements 100,000 deep', () => sheet('<a>'.repeat(100_000)), /^too_complex: .*512 elements/],
  [
    'entities that grow',
    () =>
      changed(SHEET, {
        data: `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${'bcdefgh'
          .split('')
          .map((name, at) => `<!ENTITY ${name} "${`&${'abcdefg'[at]};`.repeat(10)}">`)
          .join('')}]><worksheet><row><c t="str"><v>&h;</v></c></row></worksheet>`,
      }),
    /^ok/,
  ],
  [
    'an external entity',
    () =>
      changed(SHEET, {
        data:
          '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>' +
          '<worksheet><row><c t="str"><v>&a;</v></c></row></worksheet>',
      }),
    /^ok/,
    'root:',
  ],
  [
    'names of the prototype',
    () =>
      tableOf('__proto__', [
        ['__proto__', 'constructor'],
        ['a', 'b'],
      ]),
    /^ok/,
  ],
  [
    'a text in quotes that never ends',
    () => Buffer.from(`a,b\n"${'x,"",'.repeat(1_000_000)}`),
    /^(?:unreadable_document|too_complex)/,
  ],
  ['a list of values of 3 million lines', () => Buffer.from('a\n'.repeat(3_000_000)), /^too_complex: .*200,000 cells/],
  // Words.
  ['a document with elements 100,000 deep', () => word('<w:tbl><w:tr><w:tc>'.repeat(100_000)), /^too_complex: .*512/],
  ['a template from elsewhere', () => word('<w:attachedTemplate r:id="x"/><w:p><w:r><w:t>x</w:t></w:r></w:p>'), /^ok/],
  // PDF.
  [
    '100,000 objects',
    () => onePage([streamOf(text), FONT, ...Array.from({ length: 100_000 }, () => '<< /A [1 2 3] >>')]),
    /^ok/,
  ],
  [
    'pages that contain each other',
    () => pdfOfObjects(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Count 9 /Kids [2 0 R 2 0 R] >>']),
    /^(?:unreadable_document|too_complex)/,
  ],
  [
    'a million pages that it only says',
    () => pdfOfObjects(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Count 1000000 /Kids [] >>']),
    /^(?:unreadable_document|too_complex)/,
  ],
  [
    'arrays 100,000 deep',
    () => onePage([streamOf(text), `<< /Type /Font /A ${'['.repeat(100_000)} >>`]),
    /^(?:unreadable_document|too_complex)/,
  ],
  [
    'a stream that unpacks to 500 MB',
    () => onePage([streamOf(deflateSync(Buffer.alloc(500 * MB, 'q ')), '/Filter /FlateDecode'), FONT]),
    /^(?:unreadable_document|too_complex)/,
  ],
  [
    'a form that draws itself',
    () =>
      onePage([
        streamOf('/F Do'),
        FONT,
        streamOf('/F Do', '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F 6 0 R >> >>'),
      ]),
    /^unreadable_document/,
  ],
  [
    'a text of 5 million signs',
    () => onePage([streamOf(textAt([[72, 700, 'x'.repeat(5_000_000)]])), FONT]),
    /^(?:ok|too_complex)/,
  ],
  [
    'a million texts',
    () => onePage([streamOf(deflateSync(text.repeat(1_000_000)), '/Filter /FlateDecode'), FONT]),
    /^too_complex/,
  ],
  [
    'a script when it is opened',
    () =>
      pdfOf({
        pages: [text],
        trailer: '/OpenAction << /S /JavaScript /JS (app.launchURL\\("https://example.com"\\)) >>',
      }),
    /^ok/,
  ],
  ['no end', () => linesPdf(['x']).subarray(0, -20), /^unreadable_document/],
  [
    'bytes of chance',
    () =>
      Buffer.concat([
        Buffer.from('%PDF-1.7\n'),
        Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 7_919) % 251)),
        Buffer.from('%%EOF'),
      ]),
    /^unreadable_document/,
  ],
  // Calendars.
  [
    'a calendar of 100,000 events',
    () => Buffer.from(`BEGIN:VCALENDAR\n${'BEGIN:VEVENT\nEND:VEVENT\n'.repeat(100_000)}END:VCALENDAR`),
    /^too_complex: .*5,000 events/,
  ],
  [
    'a repeat without an end',
    () =>
      Buffer.from(
        'BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260101T000000Z\nRRULE:FREQ=SECONDLY\nEND:VEVENT\nEND:VCALENDAR',
      ),
    /^ok/,
  ],
  // Others.
  [
    'a page of HTML',
    () => Buffer.from('<!doctype html><p>Sign in'),
    /^unreadable_document: The answer is a page of markup/,
  ],
  ['more than 10 MB', () => Buffer.alloc(DOCUMENT_LIMITS.bytes + 1), /^too_complex: .*10 MB/],
]

describe('A hostile file', () => {
  test.each<(typeof FILES)[number]>(FILES)(
    'with %s ends within its limits, and the next one is read',
    async (_, make, end, never) => {
      const body = make()
      const began = performance.now()
      const read = await extractor.extract({ body, contentType: 'text/csv', url: 'file:' }, PATHS)
      const took = performance.now() - began
      const said = read.ok ? `ok ${JSON.stringify(read.values)}` : `${read.fault.code}: ${read.fault.message}`
      expect(said.slice(0, 300)).toMatch(end)
      if (never !== undefined) expect(said).not.toContain(never)
      expect(took).toBeLessThan(DOCUMENT_LIMITS.readMs + DOCUMENT_LIMITS.quickMs + 3_000)
      expect(await extractor.extract(good(), GOOD)).toMatchObject({ ok: true, values: { it: 5 } })
    },
    60_000,
  )
})
