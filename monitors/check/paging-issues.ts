import { namesOf } from '../../runners/fetch/paging/dot-path.ts'
import type { RequestConfig } from '../../schema/monitor/request-config.ts'
import type { Issue } from '../../schema/validation/issue.ts'

/**
 * Returns the dot paths of a `request_config` that can never work, whatever a page returns: those with an empty step,
 * and those that name the whole body.
 */
export function pagingIssues({ pagination }: RequestConfig): Issue[] {
  if (!pagination) return []
  const paths = Object.entries(pagination).filter(
    (entry): entry is [string, string] => entry[0].endsWith('_path') && typeof entry[1] === 'string',
  )
  const inBody = 'param' in pagination && pagination.in === 'body' ? pagination.param : null
  return [
    ...paths.filter(([, text]) => hasEmptyStep(text)).map(([key]) => emptyStep(key)),
    ...(inBody !== null && hasEmptyStep(inBody) ? [emptyStep('param')] : []),
    ...(inBody !== null && namesOf(inBody).length === 0
      ? [issue('param', 'is the whole body, not a place in it')]
      : []),
  ]
}

const hasEmptyStep = (text: string) => text.includes('..') || namesOf(text).includes('')
const issue = (key: string, message: string): Issue => ({ path: `request_config.pagination.${key}`, message })
const emptyStep = (key: string) => issue(key, 'is a dot path with an empty step; write it as in data.items')
