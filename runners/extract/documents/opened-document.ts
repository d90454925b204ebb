import type { Json } from '../../../schema/shape/json.ts'

/** A file that was read whole. Of the two forms, only the one that is asked for is made. */
export interface OpenedDocument {
  /** The elements of the tree, as HTML. */
  html(): string
  json(): Json
  /** Sentences for the warnings of the run. */
  readonly warnings: readonly string[]
}

/** `tree`: HTML, for css, xpath, regex, full_page and prompt. */
export type DocumentForm = 'tree' | 'json'
