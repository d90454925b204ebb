import type { EgressPolicy } from '../../egress/policy.ts'
import type { Issue } from '../../schema/validation/issue.ts'
import { monitorIssues } from '../check/monitor-issues.ts'

const WAIT_FOR = 'extract_config.wait_for'

/** Returns the issues of a look that its schema cannot find: those that a monitor of the same address would have. */
export function lookIssues(body: unknown, known: readonly Issue[], egress: EgressPolicy): Issue[] {
  const { wait_for, ...asked } = isMap(body) ? body : {}
  const monitor = { ...asked, ...(wait_for !== undefined && { extract_config: { method: 'full_page', wait_for } }) }
  const ofMonitor = known.map((issue) => (issue.path === 'wait_for' ? { ...issue, path: WAIT_FOR } : issue))
  const found = monitorIssues(monitor, ofMonitor, egress)
  const named = found.map((issue) => (issue.path === WAIT_FOR ? { ...issue, path: 'wait_for' } : issue))
  return wait_for !== undefined && isMap(asked['request_config']) ? [...named, DIRECT] : named
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

const DIRECT: Issue = {
  path: 'wait_for',
  message: 'cannot be used together with request_config: such a page is fetched directly, without a browser',
}
