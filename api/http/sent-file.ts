import type { IncomingHttpHeaders } from 'node:http'
import { acceptsGzip } from './accepts-gzip.ts'
import { isKnown } from './is-known.ts'
import type { KeptFile } from './kept-file.ts'
import type { Answer } from './route.ts'

/** Returns the answer with a file, with its entity tag and these headers. Who has it already gets no content. */
export function sentFile(file: KeptFile, asked: IncomingHttpHeaders, own: Readonly<Record<string, string>>): Answer {
  const headers = { ...own, etag: file.etag, vary: 'accept-encoding' }
  if (isKnown(asked['if-none-match'], file.etag)) return { status: 304, headers }
  const { type, content, compressed } = file
  if (!acceptsGzip(asked)) return { status: 200, bytes: { type, content }, headers }
  return { status: 200, bytes: { type, content: compressed }, headers: { ...headers, 'content-encoding': 'gzip' } }
}
