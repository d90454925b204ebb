import { apiError } from './api-error.ts'

const PATH = 'If-Match'
/** A list of entity tags (RFC 9110, section 13.1.1). */
const TAGS = /^\s*(?:W\/)?"[!#-~]*"\s*(?:,\s*(?:W\/)?"[!#-~]*"\s*)*$/
const TAG = /"[!#-~]*"/g

/**
 * Returns the entity tags of the header If-Match; undefined where it is missing or `*`, which allow any. A weak tag is
 * taken as a strong one: a proxy that compresses answers weakens tags, and these are of the configuration, whatever
 * the bytes of an answer are.
 */
export function readIfMatch(header: string | undefined): readonly string[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined
  if (!TAGS.test(header)) throw apiError('VALIDATION_ERROR', `The header ${PATH} ${MESSAGE}.`, [DETAIL])
  return header.match(TAG) ?? []
}

const MESSAGE = 'must be the ETag of what was read, in its double quotes, or *'
const DETAIL = { path: PATH, message: MESSAGE }
