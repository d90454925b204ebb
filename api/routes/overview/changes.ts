import { Changes, changesQuery, SeenMarks, UnseenMark } from '../../../schema/overview/change.ts'
import { Closed } from '../../../schema/shape/shape.ts'
import { listTeamChanges } from '../../../store/overview/changes.ts'
import { markAllSeen, markSeen, markUnseen } from '../../../store/overview/seen-marks.ts'
import type { OverviewKind } from '../../../store/overview/wanted-monitors.ts'
import { noSuch } from '../../http/common-errors.ts'
import { noContent, ok, type Route, route } from '../../http/route.ts'
import { teamChange } from '../../presenters/team-change.ts'
import { readerOf, wantedOf } from './overview-filters.ts'

const tag = 'Overview'
const ofMarks =
  'Marks are of a person and a monitor, and those of API keys are of the team. A new member has seen what was there ' +
  'before. The audit log has no marks.'

/** Returns the routes of the changes of all monitors of these kinds. */
export const changeRoutes = (kinds: readonly OverviewKind[]): readonly Route[] => [
  route({
    method: 'GET',
    path: '/v1/changes',
    summary: 'List the runs of all monitors that found a difference, newest first',
    description:
      'Of a page: a field differs, or its picture by the threshold. Of a search: its rank or its results differ. ' +
      "First runs are none. Only runs inside the plan's retention window.",
    tag,
    policy: 'runs.read',
    query: Closed(changesQuery),
    answers: { 200: { description: 'A page of changes.', schema: Changes } },
    beyond: true,
    async handle({ query, principal, services: { store } }) {
      const { before, limit = 20, monitor_id: monitorId, fired, sent, ...filters } = query
      const wanted = { reader: readerOf(principal), kinds, wanted: wantedOf(filters) }
      const rows = await listTeamChanges(store, { ...wanted, before, monitorId, fired, sent, limit: limit + 1 })
      const data = rows.slice(0, limit).map(teamChange)
      return ok({ data, next: rows.length > limit ? (data.at(-1)?.run_id ?? null) : null })
    },
  }),
  route({
    method: 'POST',
    path: '/v1/changes/seen',
    summary: 'Mark changes up to a run as seen',
    description: ofMarks,
    tag,
    policy: 'changes.mark',
    body: SeenMarks,
    answers: { 204: { description: 'They are seen.' } },
    refusals: ['NOT_FOUND'],
    beyond: true,
    async handle({ body: { until, monitor_ids: monitorIds }, principal, services: { store } }) {
      const reader = readerOf(principal)
      if (monitorIds === undefined) {
        if (!(await markAllSeen(store, reader, until))) throw noSuch('run')
        return noContent()
      }
      const missing = await markSeen(store, reader, { until, monitorIds })
      if (missing) throw noSuch(missing)
      return noContent()
    },
  }),
  route({
    method: 'POST',
    path: '/v1/changes/unseen',
    summary: 'Mark a change and the later ones of its monitor as not seen',
    description: ofMarks,
    tag,
    policy: 'changes.mark',
    body: UnseenMark,
    answers: { 204: { description: 'They are not seen.' } },
    refusals: ['NOT_FOUND'],
    beyond: true,
    async handle({ body: { run_id: runId }, principal, services: { store } }) {
      if (!(await markUnseen(store, readerOf(principal), runId))) throw noSuch('run')
      return noContent()
    },
  }),
]
