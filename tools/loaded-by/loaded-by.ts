import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { packageName } from '../check/borders.ts'
import { importsOf } from '../check/imports-of.ts'

/**
 * The files and packages that a file loads when it runs, directly and through others. Paths are relative to the
 * repository.
 */
interface Loaded {
  readonly files: readonly string[]
  /** Without Node's own modules. */
  readonly packages: readonly string[]
}

const ROOT = join(import.meta.dirname, '../..')
/** A worker thread is started by the URL of its file. */
const THREAD = /new URL\(\s*['"]([^'"]+\.ts)['"]\s*,\s*import\.meta\.url\s*\)/g

/**
 * Follows imports of values from a file: static ones, dynamic ones and the files of worker threads. `import type` loads
 * nothing.
 */
export function loadedBy(entry: string): Loaded {
  const files = new Set<string>()
  const packages = new Set<string>()
  const waiting = [entry]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file) || !existsSync(join(ROOT, file))) continue
    files.add(file)
    if (!file.endsWith('.ts')) continue
    for (const specifier of loadedIn(readFileSync(join(ROOT, file), 'utf8')))
      if (specifier.startsWith('.')) waiting.push(join(dirname(file), specifier))
      else if (!packageName(specifier).startsWith('node:')) packages.add(packageName(specifier))
  }
  return { files: [...files].sort(), packages: [...packages].sort() }
}

function loadedIn(text: string): string[] {
  const imported = importsOf(text).filter(({ isType }) => !isType)
  const threads = [...text.matchAll(THREAD)].map((match) => `./${match[1] ?? ''}`)
  return [...imported.map(({ specifier }) => specifier), ...threads]
}
