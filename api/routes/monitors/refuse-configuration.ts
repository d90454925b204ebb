import type { Issue } from '../../../schema/validation/issue.ts'
import type { MonitorSpec } from '../../../schema/monitor/monitor.ts'
import type { Queryable } from '../../../store/db/client.ts'
import { findDeliveryCap } from '../../../store/quota/plan-limits.ts'
import { apiError } from '../../http/api-error.ts'
import { validationError } from '../../http/validation-error.ts'

/** Throws VALIDATION_ERROR with all issues, if there are any. */
export function refuseIssues(issues: readonly Issue[]): void {
  if (issues.length > 0) throw validationError('body', issues)
}

/** Throws TIER_LIMIT_EXCEEDED when the plan allows a monitor fewer deliveries. */
export async function refuseDeliveriesOverCap(
  store: Queryable,
  teamId: string,
  { deliveries }: Pick<MonitorSpec, 'deliveries'>,
): Promise<void> {
  if (deliveries.length === 0) return
  const { tier, deliveries: cap } = await findDeliveryCap(store, teamId)
  if (deliveries.length <= cap) return
  throw apiError(
    'TIER_LIMIT_EXCEEDED',
    `The plan ${tier} allows ${cap} ${cap === 1 ? 'delivery' : 'deliveries'} a monitor; this one would have ` +
      `${deliveries.length}.`,
    [{ path: 'deliveries', limit: cap, tier }],
  )
}
