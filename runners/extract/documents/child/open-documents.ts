import { DOCUMENT_LIMITS } from '../document-limits.ts'
import type { DocumentForm } from '../opened-document.ts'
import { readDocument } from '../read-document.ts'
import { frameOf, FrameReader } from './frames.ts'

/** What the process is asked, beside the bytes of the file. */
interface Asked {
  readonly form: DocumentForm
  readonly contentType: string | null
  readonly url: string
}

/**
 * The program of the process that opens files. It is given a file at its input and writes what it reads to its output,
 * one after the other, and ends with its input. Node's permission model lets it read the program, and do nothing else.
 */
const reader = new FrameReader(DOCUMENT_LIMITS.bytes)
process.stdin.on('data', (chunk: Buffer) => {
  for (const { head, body } of reader.push(chunk)) void answer(head as Asked, body)
})
process.stdin.on('end', () => process.exit())
write({}, '')

/** A message may quote the file; a frame has a limit. */
const MOST_MESSAGE = 1_000

async function answer({ form, contentType, url }: Asked, body: Uint8Array): Promise<void> {
  const outcome = await readDocument({ body, contentType, url }, form)
  if (outcome.ok) write({ ok: true, warnings: outcome.warnings }, outcome.text)
  else write({ ...outcome, message: outcome.message.slice(0, MOST_MESSAGE) }, '')
}

function write(head: object, text: string): void {
  for (const part of frameOf(head, Buffer.from(text))) process.stdout.write(part)
}
