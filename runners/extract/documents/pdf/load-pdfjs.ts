import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type * as PdfJs from 'pdfjs-dist'

interface LoadedPdfJs {
  readonly getDocument: (typeof PdfJs)['getDocument']
  /** The folders of its data, with a slash at the end. */
  readonly cMaps: string
  readonly fonts: string
}

/** It has no types. */
const WORKER: string = 'pdfjs-dist/legacy/build/pdf.worker.mjs'

let loaded: LoadedPdfJs | null = null

/**
 * Loads the reader of PDF. It draws nothing here, so the classes that drawing needs are empty, and its optional package
 * for that is not loaded: this process may load no addon.
 */
export async function loadPdfJs(): Promise<LoadedPdfJs> {
  if (loaded) return loaded
  for (const name of ['DOMMatrix', 'ImageData', 'Path2D'])
    Object.defineProperty(globalThis, name, { value: class {}, configurable: true })
  // Without it the library looks for a file to start a thread with.
  await import(WORKER)
  const { getDocument }: Pick<typeof PdfJs, 'getDocument'> = await import('pdfjs-dist/legacy/build/pdf.mjs')
  const home = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'))
  loaded = { getDocument, cMaps: `${join(home, 'cmaps')}/`, fonts: `${join(home, 'standard_fonts')}/` }
  return loaded
}
