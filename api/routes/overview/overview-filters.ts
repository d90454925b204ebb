import type { Static } from 'typebox'
import { parseLabelSelector } from '../../../schema/monitor/labels.ts'
import { overviewFilters } from '../../../schema/overview/overview.ts'
import { Closed } from '../../../schema/shape/shape.ts'
import type { Reader } from '../../../store/overview/seen-until.ts'
import type { WantedMonitors } from '../../../store/overview/wanted-monitors.ts'
import type { Principal } from '../../auth/principals.ts'

const OverviewFilters = Closed(overviewFilters)

/** Returns the filters of a request as the store takes them. */
export function wantedOf(query: Static<typeof OverviewFilters>): WantedMonitors {
  const { q, kind, keyword, status, failing, error_code, managed_by, locked, label, muted, unseen, changed_since } =
    query
  const labels = label === undefined ? undefined : (parseLabelSelector(label) ?? undefined)
  return {
    q,
    kind,
    keyword,
    status,
    failing,
    errorCode: error_code,
    managedBy: managed_by,
    locked,
    labels,
    muted,
    unseen,
    changedSince: changed_since,
  }
}

/** Returns whose marks a caller reads and sets: a person's own, and of an API key those of the team. */
export const readerOf = (principal: Principal): Reader => ({
  teamId: principal.teamId,
  userId: principal.kind === 'session' ? principal.userId : null,
})
