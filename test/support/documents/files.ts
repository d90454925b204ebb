import { crc32, deflateRawSync } from 'node:zlib'
import type { DocumentForm } from '../../../runners/extract/documents/opened-document.ts'
import { readDocument } from '../../../runners/extract/documents/read-document.ts'

/** A change of an entry of an archive, so that it does not say what is true. */
interface Forged {
  readonly size?: number
  readonly crc?: number
  readonly flags?: number
  readonly method?: number
}

interface Entry extends Forged {
  readonly name: string
  readonly data: Uint8Array | string
}

/** Returns a ZIP archive of entries. */
export function zipOf(entries: readonly Entry[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { name, data, flags = 0, method = 8, ...forged } of entries) {
    const whole = Buffer.from(data)
    const packed = method === 8 ? deflateRawSync(whole) : whole
    const about = Buffer.alloc(26)
    about.writeUInt16LE(20, 0)
    about.writeUInt16LE(flags, 2)
    about.writeUInt16LE(method, 4)
    about.writeUInt32LE(forged.crc ?? crc32(whole), 10)
    about.writeUInt32LE(packed.length, 14)
    about.writeUInt32LE(forged.size ?? whole.length, 18)
    about.writeUInt16LE(Buffer.byteLength(name), 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), about, Buffer.from(name), packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(at, 10)
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0', 'latin1'), about, rest, Buffer.from(name)]))
    parts.push(local)
    at += local.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...parts, list, end])
}

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

const relations = (list: readonly (readonly [id: string, type: string, target: string, mode?: string])[]) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list
    .map(
      ([id, type, target, mode]) =>
        `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"${mode ? ` TargetMode="${mode}"` : ''}/>`,
    )
    .join('')}</Relationships>`

interface WorkbookParts {
  /** The rows of each sheet, by its name, as XML. */
  readonly sheets: Readonly<Record<string, string>>
  readonly styles?: string
  readonly texts?: readonly string[]
  readonly workbook?: string
  /** Attributes of each sheet, by its name. */
  readonly states?: Readonly<Record<string, string>>
}

/** Returns the entries of an XLSX file. */
export function workbookEntries({
  sheets,
  styles = '',
  texts = [],
  workbook = '',
  states = {},
}: WorkbookParts): Entry[] {
  const names = Object.keys(sheets)
  return [
    { name: '_rels/.rels', data: relations([['r0', 'officeDocument', 'xl/workbook.xml']]) },
    {
      name: 'xl/workbook.xml',
      data: `<?xml version="1.0"?><workbook xmlns:r="${OFFICE}">${workbook}<sheets>${names
        .map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="s${at}" ${states[name] ?? ''}/>`)
        .join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      data: relations([
        ...names.map((_, at) => [`s${at}`, 'worksheet', `worksheets/sheet${at}.xml`] as const),
        ['styles', 'styles', 'styles.xml'],
        ['texts', 'sharedStrings', '/xl/sharedStrings.xml'],
      ]),
    },
    { name: 'xl/styles.xml', data: `<styleSheet>${styles}</styleSheet>` },
    { name: 'xl/sharedStrings.xml', data: `<sst>${texts.map((text) => `<si>${text}</si>`).join('')}</sst>` },
    ...names.map((name, at) => ({
      name: `xl/worksheets/sheet${at}.xml`,
      data: `<worksheet><sheetData>${sheets[name]}</sheetData></worksheet>`,
    })),
  ]
}

export const xlsxOf = (parts: WorkbookParts): Buffer => zipOf(workbookEntries(parts))

/** Returns an XLSX file of one sheet, whose cells are these texts and numbers. */
export const tableOf = (name: string, rows: readonly (readonly (string | number)[])[]): Buffer =>
  xlsxOf({
    sheets: {
      [name]: rows
        .map(
          (row) =>
            `<row>${row
              .map((value) =>
                typeof value === 'number'
                  ? `<c><v>${value}</v></c>`
                  : `<c t="inlineStr"><is><t>${value.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</t></is></c>`,
              )
              .join('')}</row>`,
        )
        .join(''),
    },
  })

interface WordParts {
  /** What is in the body, as XML with the prefix `w`. */
  readonly body: string
  readonly styles?: string
  readonly notes?: string
  /** Addresses, by the id that a link has. */
  readonly links?: Readonly<Record<string, string>>
}

/** Returns a DOCX file. */
export const docxOf = ({ body, styles = '', notes, links = {} }: WordParts): Buffer =>
  zipOf([
    { name: '_rels/.rels', data: relations([['r0', 'officeDocument', 'word/document.xml']]) },
    { name: 'word/document.xml', data: `<w:document><w:body>${body}</w:body></w:document>` },
    {
      name: 'word/_rels/document.xml.rels',
      data: relations([
        ['styles', 'styles', 'styles.xml'],
        ...(notes === undefined ? [] : [['notes', 'footnotes', 'footnotes.xml'] as const]),
        ...Object.entries(links).map(([id, address]) => [id, 'hyperlink', address, 'External'] as const),
      ]),
    },
    { name: 'word/styles.xml', data: `<w:styles>${styles}</w:styles>` },
    ...(notes === undefined ? [] : [{ name: 'word/footnotes.xml', data: `<w:footnotes>${notes}</w:footnotes>` }]),
  ])

/** Returns a PDF of these objects, which are numbered from 1; the first is the catalogue. */
export function pdfOfObjects(objects: readonly (string | Buffer)[], trailer = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')]
  const places: number[] = []
  let at = parts[0]?.length ?? 0
  for (const [index, object] of objects.entries()) {
    places.push(at)
    const whole = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')])
    parts.push(whole)
    at += whole.length
  }
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('')
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n` +
        `<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}

export const streamOf = (data: string | Buffer, entries = ''): Buffer => {
  const bytes = Buffer.from(data)
  return Buffer.concat([
    Buffer.from(`<< /Length ${bytes.length} ${entries} >>\nstream\n`),
    bytes,
    Buffer.from('\nendstream'),
  ])
}

/** Returns the operators that write lines from the top of a page: each a text, or a place and a text. */
export const textAt = (lines: readonly (readonly [x: number, y: number, text: string])[]): string =>
  lines.map(([x, y, text]) => `BT /F1 10 Tf 1 0 0 1 ${x} ${y} Tm (${text.replace(/[()\\]/g, '\\$&')}) Tj ET`).join('\n')

interface PdfParts {
  /** What is drawn on each page. */
  readonly pages: readonly string[]
  /** Entries of each page's dictionary. */
  readonly page?: string
  readonly font?: string
  readonly trailer?: string
}

/** Returns a PDF whose pages are drawn with the font F1, a Helvetica unless said otherwise. */
export function pdfOf({ pages, page = '', font, trailer = '' }: PdfParts): Buffer {
  const first = 4
  const objects: (string | Buffer)[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${first + at * 2} 0 R`).join(' ')}] >>`,
    font ?? '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ]
  for (const [at, drawn] of pages.entries())
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${first + at * 2 + 1} 0 R ` +
        `/Resources << /Font << /F1 3 0 R >> >> ${page} >>`,
      streamOf(drawn),
    )
  return pdfOfObjects(objects, trailer)
}

/** Returns a PDF of one page with these lines, 14 points apart. */
export const linesPdf = (lines: readonly string[]): Buffer =>
  pdfOf({ pages: [textAt(lines.map((line, at) => [72, 770 - 14 * at, line]))] })

interface Given {
  readonly contentType?: string | null
  readonly url?: string
}

async function textOf(body: Uint8Array | string, form: DocumentForm, { contentType = null, url = 'file:' }: Given) {
  const outcome = await readDocument({ body: Buffer.from(body), contentType, url }, form)
  if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.message}`)
  return outcome.text
}

/** Returns what is in the body of the tree of a file. */
export const treeOf = async (body: Uint8Array | string, given: Given = {}): Promise<string> =>
  /<body>\n([^]*)\n<\/body>/.exec(await textOf(body, 'tree', given))?.[1] ?? ''

export const jsonOf = async (body: Uint8Array | string, given: Given = {}): Promise<unknown> =>
  JSON.parse(await textOf(body, 'json', given))
