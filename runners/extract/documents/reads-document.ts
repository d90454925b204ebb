import type { ExtractConfig } from '../../../schema/monitor/extract-config.ts'
import type { DocumentForm } from './opened-document.ts'

/** Returns the form in which rules read a file; null: the answer is not opened as one. */
export const documentFormOf = (config: ExtractConfig): DocumentForm | null =>
  config.read_as === 'document' ? (config.method === 'json_path' ? 'json' : 'tree') : null
