import type { Issue } from '../../schema/validation/issue.ts'
import { toResourcePath } from './names.ts'
import { inCamelCase } from './property-words.ts'

/** A text in quotes, with the words before it that make it a hint; or a word that may be the name of a property. */
const PARTS = /(did you mean )?"(?:[^"\\]|\\.)*"|\b[a-z]+(?:_[a-z]+)+\b/g
/** A key that nobody defines has no other spelling. */
const UNKNOWN = /^is not a known key/
const LAST_KEY = /(?:^|\.)[^.[\]]+$/

/**
 * Returns an issue of the API's validation as one about a resource: its path, and the names of properties in its words,
 * have the resource's spelling. What a person wrote stays as it is.
 */
export function resourceIssue({ path, message }: Issue): Issue {
  const words = message.replaceAll(PARTS, (part, hint: string | undefined) =>
    part.startsWith('"') && hint === undefined ? part : inCamelCase(part),
  )
  if (path === '') return { path: 'spec', message: words }
  const [own = ''] = UNKNOWN.exec(message) ? (LAST_KEY.exec(path) ?? []) : []
  if (own === '') return { path: toResourcePath(path), message: words }
  const outer = path.slice(0, -own.length)
  const above = outer === '' ? 'spec' : toResourcePath(outer)
  return { path: `${above}.${own.replace('.', '')}`, message: words }
}
