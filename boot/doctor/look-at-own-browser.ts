import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createLogger } from '../../core/logger.ts'
import { createPolicy } from '../../egress/policy.ts'
import { BrowserError } from '../../runners/browser/browser-error.ts'
import { PAGE_WORK, PROCESS_MB } from '../../runners/browser/browsers.ts'
import { type FontScript, lookAtBrowser } from '../../runners/browser/look-at-browser.ts'
import type { Settings } from '../settings/read-config.ts'

/** What was found of the browser. */
export type BrowserFound =
  | {
      readonly kind: 'started'
      readonly version: string
      readonly isSandboxed: boolean
      readonly withoutFont: readonly FontScript[]
    }
  | { readonly kind: 'unusable'; readonly message: string }
  /** This process renders nothing. */
  | { readonly kind: 'none' }

/** A start takes 20 s at most. Unpacking the embedded browser takes 2 s, and longer on a busy machine. */
export const BROWSER_MS = 60_000

/** Starts the browser of the settings, and ends it. It reaches no address. */
export async function lookAtOwnBrowser(settings: Settings): Promise<BrowserFound> {
  if (settings.TIDEMARK_BROWSER_PAGES === 0) return { kind: 'none' }
  await using folder = await browserFolder(settings.TIDEMARK_DATA_DIR)
  try {
    const look = await lookAtBrowser(
      {
        egress: createPolicy({ allowPrivateCidrs: [], neverAllow: [] }),
        log: createLogger('silent'),
        path: settings.CHROMIUM_PATH ?? null,
        dataDir: folder.path,
        socket: settings.TIDEMARK_BROWSER_SOCKET ?? null,
        sandbox: settings.TIDEMARK_CHROMIUM_SANDBOX,
        processMb: PROCESS_MB,
        work: PAGE_WORK,
      },
      AbortSignal.timeout(BROWSER_MS),
    )
    return { kind: 'started', ...look }
  } catch (error) {
    if (error instanceof BrowserError) return { kind: 'unusable', message: error.message }
    throw error
  }
}

/** Returns the data folder, or one for this look alone: nothing is left where there was no data folder before. */
async function browserFolder(dataDir: string): Promise<AsyncDisposable & { readonly path: string }> {
  const path = resolve(dataDir)
  if (await stat(path).catch(() => null)) return { path, [Symbol.asyncDispose]: async () => {} }
  const own = await mkdtemp(join(tmpdir(), 'tidemark-doctor-'))
  return { path: own, [Symbol.asyncDispose]: () => rm(own, { recursive: true, force: true }) }
}
