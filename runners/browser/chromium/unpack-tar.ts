import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'

const BLOCK = 512

/**
 * Writes the files of a tar archive below `folder`. It supports what the archives of `@sparticuz/chromium` contain:
 * files and folders with short names. It throws on anything else: links, or names that lead out of the folder.
 */
export async function unpackTar(archive: Buffer, folder: string): Promise<void> {
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0;) {
    const { name, size, type, isExecutable } = headerOf(archive.subarray(at, at + BLOCK))
    const start = at + BLOCK
    at = start + Math.ceil(size / BLOCK) * BLOCK
    const path = join(folder, name)
    if (type === '5') await mkdir(path, { recursive: true })
    else if (type === '0') {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, archive.subarray(start, start + size), { mode: isExecutable ? 0o755 : 0o644 })
    } else throw new Error(`the archive contains ${name}, which is neither file nor folder`)
  }
}

function headerOf(block: Buffer) {
  const text = (from: number, length: number): string =>
    block.toString('latin1', from, from + length).replace(/\0.*$/s, '')
  const prefix = text(345, 155)
  const name = normalize(prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`)
  if (name.startsWith('..') || name.startsWith('/'))
    throw new Error(`the archive contains ${name}, which leads out of it`)
  return {
    name,
    size: Number.parseInt(text(124, 12), 8),
    type: text(156, 1) || '0',
    isExecutable: (Number.parseInt(text(100, 8), 8) & 0o100) !== 0,
  }
}
