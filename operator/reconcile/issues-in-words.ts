import { resourceIssue } from '../../core/custom-resource/resource-issue.ts'
import type { Issue } from '../../schema/validation/issue.ts'

/** Returns the API's own words, with paths in the resource's spelling. A whole sentence is behind a colon. */
export const inWords = (issues: readonly Issue[]): string =>
  issues
    .map((issue) => {
      const { path, message } = resourceIssue(issue)
      if (issue.path === '') return message
      return `${path}${/^\p{Lu}/u.test(message) ? ':' : ''} ${message}`
    })
    .join('; ')
