import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import type { KeptFile } from '../http/kept-file.ts'

/** The built dashboard: its one page, and what that loads, by the address below `/assets/`. */
interface Built {
  readonly page: KeptFile
  readonly assets: ReadonlyMap<string, KeptFile>
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The files of the dashboard in a folder, of which only these are ever read: an address never becomes a path. */
export class BuiltFiles {
  readonly #folder: string
  #built: Promise<Built> | undefined
  #readAt = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Returns what is built now: files are read once, and again after another build. Null: nothing is built. */
  async read(): Promise<Built | null> {
    const found = await stat(join(this.#folder, 'index.html')).catch(() => null)
    if (found === null) return null
    if (this.#built === undefined || this.#readAt !== found.mtimeMs) {
      this.#readAt = found.mtimeMs
      this.#built = readBuilt(this.#folder)
      this.#built.catch(() => (this.#built = undefined))
    }
    return this.#built
  }
}

async function readBuilt(folder: string): Promise<Built> {
  const assets = join(folder, 'assets')
  const entries = await readdir(assets, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile() && TYPES[extname(entry.name)] !== undefined)
    .map((entry) => join(entry.parentPath, entry.name))
  const files = await Promise.all(
    paths.map(async (path) => [relative(assets, path).replaceAll(sep, '/'), await readBuiltFile(path)] as const),
  )
  return { page: await readBuiltFile(join(folder, 'index.html')), assets: new Map(files) }
}

async function readBuiltFile(path: string): Promise<KeptFile> {
  const content = await readFile(path)
  return {
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    content,
    compressed: await readFile(`${path}.gz`),
    etag: `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`,
  }
}
