import type { Config } from '../../../schema/config/config.ts'
import type { Issue } from '../../../schema/validation/issue.ts'

type RunnerSettings = Pick<Config, 'TIDEMARK_RUNNER_API_URL' | 'TIDEMARK_RUNNER_TOKEN'>
type BrowserSettings = Pick<Config, 'TIDEMARK_CHROMIUM_SANDBOX' | 'TIDEMARK_BROWSER_SOCKET'>

/** Returns what is wrong with the settings of a runner. The token's own text is not repeated. */
export function runnerIssues(config: RunnerSettings & BrowserSettings): Issue[] {
  const { TIDEMARK_RUNNER_API_URL: text, TIDEMARK_RUNNER_TOKEN } = config
  const issues: Issue[] = []
  if (config.TIDEMARK_CHROMIUM_SANDBOX === 'auto' && config.TIDEMARK_BROWSER_SOCKET === undefined)
    issues.push({
      path: 'TIDEMARK_CHROMIUM_SANDBOX',
      message:
        'can be auto only with TIDEMARK_BROWSER_SOCKET: a browser without its sandbox must not run beside secrets; ' +
        'see docs/runners.md',
    })
  // The token is sent in a header.
  if (TIDEMARK_RUNNER_TOKEN !== undefined && !/^[\x21-\x7e]+$/.test(TIDEMARK_RUNNER_TOKEN))
    issues.push({ path: 'TIDEMARK_RUNNER_TOKEN', message: 'must be printable ASCII without spaces' })
  const url = text === undefined ? undefined : URL.parse(text)
  if (url === undefined) return issues
  if (url === null || !/^https?:\/\/[^/]+/.test(text ?? '') || url.search !== '' || url.hash !== '')
    issues.push({ path: 'TIDEMARK_RUNNER_API_URL', message: 'must be an http:// or https:// address without a query' })
  else if (url.username !== '' || url.password !== '')
    issues.push({
      path: 'TIDEMARK_RUNNER_API_URL',
      message: 'must not contain a user or password; use TIDEMARK_RUNNER_TOKEN',
    })
  return issues
}

/** Returns the settings that a runner needs and that are missing. */
export function missingForRunner(config: RunnerSettings & Pick<Config, 'TIDEMARK_BROWSER_PAGES'>): Issue[] {
  const issues: Issue[] = []
  if (config.TIDEMARK_RUNNER_API_URL === undefined)
    issues.push({
      path: 'TIDEMARK_RUNNER_API_URL',
      message: 'is required by "tidemark runner": the TIDEMARK_RUNNER_API_PORT of a worker',
    })
  if (config.TIDEMARK_RUNNER_TOKEN === undefined)
    issues.push({
      path: 'TIDEMARK_RUNNER_TOKEN',
      message:
        'or TIDEMARK_RUNNER_TOKEN_FILE is required by "tidemark runner"; "tidemark admin create-runner-token" ' +
        'makes one',
    })
  if (config.TIDEMARK_BROWSER_PAGES === 0)
    issues.push({
      path: 'TIDEMARK_BROWSER_PAGES',
      message: 'must be at least 1 for "tidemark runner", which does nothing else',
    })
  return issues
}
