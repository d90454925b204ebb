import { mediaType } from '../text/page-kind.ts'
import { encrypted, RefusedDocument } from './refused-document.ts'

type DocumentKind = 'pdf' | 'archive' | 'csv' | 'tsv' | 'calendar'

/** A file as it was received. */
export interface ReceivedFile {
  readonly body: Uint8Array
  readonly contentType: string | null
  /** Its address, whose ending counts where neither bytes nor the content type tell. */
  readonly url: string
}

const TYPES: Readonly<Record<string, DocumentKind>> = {
  'text/csv': 'csv',
  'application/csv': 'csv',
  'text/x-csv': 'csv',
  'text/comma-separated-values': 'csv',
  // What some servers name a list of values that programs for tables open.
  'application/vnd.ms-excel': 'csv',
  'text/tab-separated-values': 'tsv',
  'text/tsv': 'tsv',
}
/** Types that say nothing about a text. */
const VAGUE = new Set(['', 'text/plain', 'application/octet-stream', 'application/x-download', 'binary/octet-stream'])
/** A PDF may have some bytes before its beginning. */
const PDF_WITHIN = 1_024
const COMPOUND = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'
/** The name of a stream of a compound file that is an encrypted archive. */
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le')

/** Returns whether an answer is a file that is read as a document. */
export function isDocument(file: ReceivedFile): boolean {
  try {
    documentKind(file)
    return true
  } catch {
    return false
  }
}

/** Returns what a file is, by its bytes, then by its content type. Throws a `RefusedDocument` for anything else. */
export function documentKind({ body, contentType, url }: ReceivedFile): DocumentKind {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const head = bytes.toString('latin1', 0, PDF_WITHIN)
  if (head.includes('%PDF-')) return 'pdf'
  if (head.startsWith('PK\x03\x04') || head.startsWith('PK\x05\x06')) return 'archive'
  if (head.startsWith(COMPOUND)) throw ofCompound(bytes)
  const text = head.replaceAll('\0', '').replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
  if (/^\s*BEGIN:VCALENDAR/i.test(text)) return 'calendar'
  const type = mediaType(contentType)
  const kind = TYPES[type] ?? (VAGUE.has(type) ? kindOfEnding(url) : undefined)
  if (kind === undefined || isMarkup(text)) throw unknown(whatItIs(text, type))
  return kind
}

function kindOfEnding(url: string): DocumentKind | undefined {
  const [path = ''] = url.split(/[?#]/, 1)
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase()
  return ending === 'csv' ? 'csv' : ending === 'tsv' || ending === 'tab' ? 'tsv' : undefined
}

const isMarkup = (text: string) => /^\s*<(?:!doctype|html|head|body|\?xml)/i.test(text)

function whatItIs(text: string, type: string): string {
  if (isMarkup(text)) return 'a page of markup'
  if (type === 'text/calendar') return 'no calendar, though its type is text/calendar'
  return type === '' ? 'of an unknown kind' : `of an unknown kind (its type is ${type.slice(0, 100)})`
}

/** Returns the refusal of a file that is none of those that are read; `what` follows "The answer is". */
export const unknown = (what: string): RefusedDocument =>
  new RefusedDocument(
    'unreadable_document',
    `The answer is ${what}. A PDF, DOCX, XLSX, CSV, TSV or iCalendar file can be read as a document. ` +
      'Check the address, or remove read_as.',
  )

const ofCompound = (bytes: Buffer) =>
  bytes.includes(ENCRYPTED_PACKAGE)
    ? encrypted('file')
    : unknown('a file of an old Office program (such as DOC or XLS), or a message')
