import type { RunFaultCode } from '../../../schema/run/run-fault.ts'
import { DOCUMENT_LIMITS } from './document-limits.ts'

export type DocumentFaultCode = Extract<RunFaultCode, 'unreadable_document' | 'too_complex'>

/**
 * A file that is not read. It is thrown from deep within a reader, and caught once, in `read-document.ts`. The message
 * is for users.
 */
export class RefusedDocument extends Error {
  readonly code: DocumentFaultCode

  constructor(code: DocumentFaultCode, message: string) {
    super(message)
    this.code = code
  }
}

/** A file that is not what it says: `what` is the end of a sentence that begins with "The file". */
export const damaged = (what: string): RefusedDocument =>
  new RefusedDocument(
    'unreadable_document',
    `The file is damaged: ${what}. Nothing of it was read. Open the address yourself, or wait for the next check.`,
  )

export const encrypted = (what: string): RefusedDocument =>
  new RefusedDocument(
    'unreadable_document',
    `The ${what} is encrypted, and needs a password to be read. Watch a file without one.`,
  )

/** A file that is whole and has no text: `what` is the beginning of a sentence. */
export const withoutText = (what: string): RefusedDocument =>
  new RefusedDocument(
    'unreadable_document',
    `${what}. Only text can be read. Watch another file, or remove read_as so that its bytes are compared.`,
  )

const LONGEST_QUOTE = 100

/** Returns a name that a file chose, for a message. */
export const quoted = (name: string): string => {
  const printable = name.replaceAll(/[^\x20-\x7e\xa1-\ud7ff]/g, '?')
  return printable.length > LONGEST_QUOTE ? `${printable.slice(0, LONGEST_QUOTE)}…` : printable
}

type Counted = 'cells' | 'pages' | 'texts' | 'events' | 'entries' | 'depth'

const WHAT: Readonly<Record<Counted, string>> = {
  cells: 'cells',
  pages: 'pages',
  texts: 'texts on a page',
  events: 'events',
  entries: 'entries in its archive',
  depth: 'elements inside each other',
}

export const tooMany = (what: Counted): RefusedDocument =>
  new RefusedDocument(
    'too_complex',
    `The file has more than ${DOCUMENT_LIMITS[what].toLocaleString('en')} ${WHAT[what]}. Watch a smaller file.`,
  )

const megabytes = (bytes: number) => `${bytes / 1024 / 1024} MB`

export const tooLarge = (what: 'unpackedBytes' | 'outputBytes'): RefusedDocument =>
  new RefusedDocument(
    'too_complex',
    what === 'unpackedBytes'
      ? `The file has more than ${megabytes(DOCUMENT_LIMITS.unpackedBytes)} when it is unpacked. Watch a smaller file.`
      : `The file has more than ${megabytes(DOCUMENT_LIMITS.outputBytes)} of text. Watch a smaller file.`,
  )
