import { toResourcePath } from '../../core/custom-resource/names.ts'
import type { Issue } from '../../schema/validation/issue.ts'

/** Returns the API's own words, with paths in the resource's spelling. A sentence of its own is behind a colon. */
export const inWords = (issues: readonly Issue[]): string =>
  issues
    .map(({ path, message }) => {
      if (path === '') return message
      return `${toResourcePath(path)}${/^\p{Lu}/u.test(message) ? ':' : ''} ${message}`
    })
    .join('; ')
