import { lstatSync, mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
// oxlint-disable-next-line no-restricted-imports -- it runs the one word below, and no text of a user
import { runInNewContext } from 'node:vm'

const ROOT = join(import.meta.dirname, '../../..')

/**
 * Keeps the compiled code of this program for the next start, which takes a third less processor time then. Whoever can
 * write to the cache can run code as this account. So it is in a folder below node_modules, where the program itself
 * is, that only this account may enter. Where that folder cannot be made, as in a read-only installation, there is no
 * cache.
 */
export function cacheCompiledCode(): void {
  const folder = join(ROOT, `node_modules/.cache/tidemark-${process.geteuid?.() ?? 0}`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { uid, mode } = lstatSync(folder)
    if (uid === (process.geteuid?.() ?? uid) && (mode & 0o077) === 0) enableCompileCache(folder)
  } catch {
    // The command runs without the cache.
  }
}

/**
 * Collects garbage and returns unused memory to the system. Loading a server leaves V8 with 50 MB that it would keep
 * while the process is at rest. It takes about 0.1 s. V8 has this only as a function for tests, which a flag adds to
 * new contexts.
 */
export function releaseMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as typeof globalThis.gc
  collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
