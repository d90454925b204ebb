import { createReadStream } from 'node:fs'
import { extname } from 'node:path'
import type { Readable } from 'node:stream'
import { textOfBytes } from '../../core/text/text-of-bytes.ts'
import { pathIn, type ProcessIo } from '../../platform/process-io.ts'
import { FETCH_LIMITS } from '../../runners/fetch/fetch-limits.ts'

/** Returns whether a target is an address; everything else is a file. */
export const isWebAddress = (target: string): boolean => /^https?:\/\//i.test(target)

type Read<T> = { readonly ok: true } & T
interface Unread {
  readonly ok: false
  readonly message: string
}

/**
 * Returns the whole content of a file, or of standard input for `-`, up to the size limit of a fetch. Never rejects
 * because of the file system.
 */
export async function readBytes(
  io: ProcessIo,
  path: string,
  most = FETCH_LIMITS.maxBodyBytes,
): Promise<Read<{ readonly bytes: Buffer }> | Unread> {
  const source: Readable = path === '-' ? io.stdin : createReadStream(pathIn(io, path))
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size > most)
        return { ok: false, message: `${nameOf(path)} is larger than ${most / 1_048_576} MiB, the limit of a file.` }
    }
  } catch (error) {
    return { ok: false, message: `${nameOf(path)} cannot be read: ${reasonOf(error)}.${hintOf(path)}` }
  } finally {
    source.destroy()
  }
  return { ok: true, bytes: Buffer.concat(chunks) }
}

/** Returns the content as `readBytes` does, as UTF-8 without a mark of its byte order. */
export async function readText(
  io: ProcessIo,
  path: string,
  most?: number,
): Promise<Read<{ readonly text: string }> | Unread> {
  const read = await readBytes(io, path, most)
  if (!read.ok) return read
  const text = textOfBytes(read.bytes)
  if (text !== null) return { ok: true, text }
  const advice =
    read.bytes.toString('latin1', 0, 4) === ZIP ? 'is an archive: unpack it, and name the file in it' : UTF8
  return { ok: false, message: `${nameOf(path)} ${advice}.` }
}

/** How an archive begins, such as the backup of another tool. */
const ZIP = 'PK\u0003\u0004'
const UTF8 = 'is not UTF-8: save it in this encoding'

/**
 * Returns the type that a server would send with a file of this name; null where the name does not tell, so that the
 * content decides.
 */
export function typeOfFile(path: string): string | null {
  return TYPES[extname(path).toLowerCase()] ?? null
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.htm': 'text/html',
  '.xhtml': 'application/xhtml+xml',
  '.json': 'application/json',
  '.xml': 'application/xml',
  '.rss': 'application/rss+xml',
  '.atom': 'application/atom+xml',
  '.rdf': 'application/rdf+xml',
}

/** Returns an address for a file. Of a list of values only the ending says what it is. */
export const addressOfFile = (path: string): string => `file:${/\.(?:csv|tsv|tab)$/i.exec(path)?.[0] ?? ''}`

const nameOf = (path: string) => (path === '-' ? 'Standard input' : path)

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'this user may not read it',
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return REASONS[code] ?? (code === '' ? String(error) : code)
}

/** Returns a hint for a target such as `example.com/prices`, which was meant as an address. */
const hintOf = (path: string) =>
  /^[\w-]+(\.[\w-]+)+(:\d+)?(\/|$)/.test(path) && !path.includes('..') && !(extname(path).toLowerCase() in TYPES)
    ? ` If it is an address, write https://${path}`
    : ''
