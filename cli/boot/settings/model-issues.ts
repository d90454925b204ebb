import type { Config } from '../../../schema/config/config.ts'
import type { Issue } from '../../../schema/validation/issue.ts'

/** Returns what is wrong with the settings of the model. */
export function modelIssues({ LLM_BASE_URL, LLM_API_KEY }: Pick<Config, 'LLM_BASE_URL' | 'LLM_API_KEY'>): Issue[] {
  if (LLM_BASE_URL === undefined)
    return LLM_API_KEY === undefined
      ? []
      : [
          {
            path: 'LLM_BASE_URL',
            message: 'is required with LLM_API_KEY: the address of the endpoint that the key is for',
          },
        ]
  const url = URL.parse(LLM_BASE_URL)
  if (url === null || !/^https?:\/\//.test(LLM_BASE_URL))
    return [
      { path: 'LLM_BASE_URL', message: 'must be an http:// or https:// address, as in https://models.example.com/v1' },
    ]
  const issues: Issue[] = []
  if (url.username !== '' || url.password !== '')
    issues.push({ path: 'LLM_BASE_URL', message: 'must not contain a user or password; the key is LLM_API_KEY' })
  if (url.search !== '' || url.hash !== '')
    issues.push({ path: 'LLM_BASE_URL', message: 'must end with its path: /chat/completions is appended to it' })
  // The key is sent in a header.
  if (LLM_API_KEY !== undefined && !/^[\x21-\x7e]+$/.test(LLM_API_KEY))
    issues.push({ path: 'LLM_API_KEY', message: 'must be printable ASCII without spaces' })
  return issues
}
