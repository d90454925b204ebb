import type { ExtractConfig } from '../../../schema/monitor/extract-config.ts'
import type * as Structured from './read-structured.ts'

type Reader = typeof Structured

let loaded: Reader | null = null

/** Loads what a config needs beside the methods. Most threads never read structured data, so they do not load it. */
export async function loadFor(config: ExtractConfig): Promise<void> {
  if (config.method === 'json_path' && config.read_as === 'structured_data') await loadStructuredData()
}

export async function loadStructuredData(): Promise<void> {
  loaded ??= await import('./read-structured.ts')
}

/** Returns the reader of structured data. It must have been loaded. */
export function structuredData(): Reader {
  if (loaded === null) throw new TypeError('the reader of structured data was not loaded')
  return loaded
}
