import { accessSync, constants, lstatSync, mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
// oxlint-disable-next-line no-restricted-imports -- it runs the one word below, and no text of a user
import { runInNewContext } from 'node:vm'

const ROOT = join(import.meta.dirname, '../..')
const OTHERS_WRITE = 0o022
const OTHERS = 0o077

/**
 * Keeps the compiled code of this program for the next start, which takes a third less processor time then. An account
 * that can write to the cache can run code as this one, so each account has its own folder, which no other may enter.
 * It is below node_modules, where the program itself is. An account that may not write there has it in its home folder,
 * which is that of the list of accounts: `HOME` may name somebody else's. Where neither can be used there is no cache.
 */
export function cacheCompiledCode(home = () => userInfo().homedir): void {
  const account = process.geteuid?.() ?? 0
  const modules = join(ROOT, 'node_modules')
  const folder =
    // The owner of the program can change its code anyway.
    usable(() => ({ parent: join(modules, '.cache'), name: `tidemark-${account}`, owner: lstatSync(modules).uid })) ??
    usable(() => ({ parent: join(home(), '.cache'), name: 'tidemark', owner: account }))
  if (folder !== null) enableCompileCache(folder)
}

interface Place {
  readonly parent: string
  readonly name: string
  /** May own the parent, besides this account and root. */
  readonly owner: number
}

/** Returns the folder of a place, made if it is missing; null when it cannot be used, or somebody could exchange it. */
function usable(place: () => Place): string | null {
  try {
    const account = process.geteuid?.() ?? 0
    const { parent, name, owner } = place()
    const folder = join(parent, name)
    // Other accounts have theirs in it.
    mkdirSync(parent, { recursive: true, mode: 0o755 })
    const above = lstatSync(parent)
    if ((above.mode & OTHERS_WRITE) !== 0 || ![account, 0, owner].includes(above.uid)) return null
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { uid, mode } = lstatSync(folder)
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return uid === account && (mode & OTHERS) === 0 ? folder : null
  } catch {
    return null
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
