import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '../../runners/extract/page.ts'

/**
 * A folder with the layout of the corpus: `html/`, `feeds/`, `sitemaps/`, `json/`, `jsonpath/`, `manifest.json`. Parts
 * may be missing.
 */
export class CorpusFolder {
  readonly #root: string
  readonly #types: ReadonlyMap<string, string>

  constructor(root: string) {
    this.#root = root
    this.#types = readTypes(join(root, 'manifest.json'))
  }

  /** Returns the file names in a part, sorted, with the part in front. */
  list(part: string): string[] {
    const folder = join(this.#root, part)
    return existsSync(folder)
      ? readdirSync(folder)
          .sort()
          .map((name) => `${part}/${name}`)
      : []
  }

  json(name: string): unknown {
    return JSON.parse(readFileSync(join(this.#root, name), 'utf8'))
  }

  /** Returns the file as a server would send it; the content type is in the manifest. */
  page(name: string, contentType = this.#types.get(name) ?? null): Page {
    return { body: readFileSync(join(this.#root, name)), contentType, url: `http://corpus.example/${name}` }
  }
}

function readTypes(path: string): ReadonlyMap<string, string> {
  if (!existsSync(path)) return new Map()
  const { files } = JSON.parse(readFileSync(path, 'utf8')) as {
    files: readonly { name: string; contentType?: string }[]
  }
  return new Map(
    files.flatMap(({ name, contentType }) => (contentType === undefined ? [] : [[name, contentType] as const])),
  )
}
