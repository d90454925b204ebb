import { openArchive } from './archive/open-archive.ts'
import { relationsOf } from './archive/relations.ts'
import { documentKind, type ReceivedFile, unknown } from './document-kind.ts'
import { DOCUMENT_LIMITS } from './document-limits.ts'
import type { DocumentForm, OpenedDocument } from './opened-document.ts'
import { type DocumentFaultCode, RefusedDocument, tooLarge } from './refused-document.ts'

type ReadOutcome =
  | { readonly ok: true; readonly text: string; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly code: DocumentFaultCode; readonly message: string }

/** Reads a file as HTML or JSON. It is hostile, so this runs in a process that may do nothing else. */
export async function readDocument(file: ReceivedFile, form: DocumentForm): Promise<ReadOutcome> {
  try {
    const document = await open(file)
    const text = form === 'json' ? JSON.stringify(document.json()) : pageOf(document.html())
    if (Buffer.byteLength(text) > DOCUMENT_LIMITS.outputBytes) throw tooLarge('outputBytes')
    return { ok: true, text, warnings: document.warnings }
  } catch (error) {
    if (error instanceof RefusedDocument) return { ok: false, code: error.code, message: error.message }
    if (error instanceof RangeError)
      return { ok: false, code: 'too_complex', message: 'The file is nested too deeply, or has too much, to be read.' }
    throw error
  }
}

const pageOf = (body: string) => `<!doctype html><html><head></head><body>\n${body}\n</body></html>`

/** The readers are loaded when a file needs them. */
async function open(file: ReceivedFile): Promise<OpenedDocument> {
  const kind = documentKind(file)
  switch (kind) {
    case 'pdf':
      return (await import('./pdf/read-pdf.ts')).readPdf(file.body)
    case 'archive':
      return openOffice(file.body)
    case 'csv':
    case 'tsv':
      return (await import('./sheets/read-values.ts')).readValues(file, kind === 'tsv')
    case 'calendar':
      return (await import('./calendar/read-calendar.ts')).readCalendar(file)
  }
}

async function openOffice(body: Uint8Array): Promise<OpenedDocument> {
  const archive = openArchive(Buffer.from(body.buffer, body.byteOffset, body.byteLength))
  const main = [...relationsOf(archive, '').values()].find(({ type }) => type.endsWith('/officeDocument'))?.target
  if (main?.startsWith('xl/')) return (await import('./sheets/read-workbook.ts')).readWorkbook(archive, main)
  if (main?.startsWith('word/')) return (await import('./word/read-word.ts')).readWord(archive, main)
  throw unknown(main?.startsWith('ppt/') ? 'a presentation' : 'an archive, and no file of Word or Excel')
}
