import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { textOfBytes } from '../../core/text/text-of-bytes.ts'
import type { ManifestText } from '../../manifests/manifest.ts'
import { fileFault, type ManifestFault } from '../../manifests/places.ts'
import { readFolder } from '../../manifests/read-folder.ts'
import { MAX_BYTES, TOO_LARGE } from '../../manifests/read-manifests.ts'
import { pathIn, type ProcessIo } from '../../platform/process-io.ts'
import { RemoteError } from '../remote/remote-error.ts'

/** The texts that the options `-f` name, and files of them that cannot be read. */
interface InputTexts {
  readonly texts: readonly ManifestText[]
  readonly faults: readonly ManifestFault[]
}

/**
 * Reads what the options `-f` name: files, folders, and `-` for standard input. Throws where one of them cannot be
 * read; a file within a folder is a fault.
 */
export async function readTexts(io: ProcessIo, paths: readonly string[] = []): Promise<InputTexts> {
  if (paths.length === 0)
    throw new RemoteError('say what to read: -f FILE, -f FOLDER, or -f - for standard input', 'usage')
  const all = await Promise.all(paths.map((path) => textsOf(io, path)))
  return { texts: all.flatMap(({ texts }) => texts), faults: all.flatMap(({ faults }) => faults) }
}

async function textsOf(io: ProcessIo, path: string): Promise<InputTexts> {
  if (path === '-') return { texts: [await readTextOf(io, '-')], faults: [] }
  const found = await stat(pathIn(io, path)).catch((error: unknown) => unreadable(path, error))
  if (!found.isDirectory()) return { texts: [await readTextOf(io, path)], faults: [] }
  const absolute = pathIn(io, path)
  const { texts, faults } = await readFolder(absolute)
  if (texts.length === 0 && faults.length === 0)
    throw new RemoteError(`${path} has no files *.yaml, *.yml or *.json: name another folder, or a file`, 'usage')
  const folder = path.replace(/\/+$/, '')
  return {
    texts: texts.map(({ file, text }) => ({ file: `${folder}/${file}`, text })),
    faults: faults.map(({ file, message }) => fileFault(file === absolute ? path : `${folder}/${file}`, message)),
  }
}

/** Reads a file, which may be a pipe, or standard input for `-`. A device may have no end. */
export async function readTextOf(io: ProcessIo, named: string): Promise<ManifestText> {
  const [path, source] = named === '-' ? ['standard input', io.stdin] : [named, createReadStream(pathIn(io, named))]
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of source as AsyncIterable<Buffer>) {
      parts.push(part)
      size += part.length
      if (size > MAX_BYTES) throw new RemoteError(`${path} ${TOO_LARGE}: divide it`, 'usage')
    }
  } catch (error) {
    if (error instanceof RemoteError) throw error
    unreadable(path, error)
  }
  const text = textOfBytes(Buffer.concat(parts))
  if (text === null) throw new RemoteError(`${path} is not UTF-8: save it in this encoding`, 'usage')
  return { file: path, text }
}

function unreadable(path: string, error: unknown): never {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  const advice = /^https?:/i.test(path) ? `: get it first, as in curl -fsS ${path} | ./tidemark … -f -` : ''
  throw new RemoteError(
    `${path} ${code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`}${advice}`,
    'usage',
  )
}
