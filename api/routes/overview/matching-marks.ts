import { markMatching } from '../../../monitors/mark-matching.ts'
import { MatchingChanged, SeenMatching, UnseenMatching } from '../../../schema/overview/overview.ts'
import type { OverviewKind } from '../../../store/overview/wanted-monitors.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ok, type Route, route } from '../../http/route.ts'
import { readerOf, wantedOf } from './overview-filters.ts'

const ofMarks =
  'The monitors are those that the filter leaves now. Marks are of a person and a monitor, and those of API keys are ' +
  'of the team. The audit log has no marks.'

/** Returns the routes that mark the changes of all monitors of these kinds that a filter leaves. */
export const matchingMarks = (kinds: readonly OverviewKind[]): readonly Route[] => {
  const shared = {
    method: 'POST',
    tag: 'Overview',
    policy: 'changes.mark',
    work: 'bulk',
    beyond: true,
    answers: { 200: { description: 'How many were changed.', schema: MatchingChanged } },
  } as const
  return [
    route({
      ...shared,
      path: '/v1/overview/seen',
      summary: 'Mark the changes of all monitors that a filter leaves as seen, up to a run',
      description: ofMarks,
      refusals: ['CONFLICT', 'NOT_FOUND'],
      body: SeenMatching,
      async handle({ body: { filter, expected, until }, principal, services }) {
        const query = { reader: readerOf(principal), kinds, wanted: wantedOf(filter) }
        const { changed } = doneOf(await markMatching(services, { query, expected, until }))
        return ok({ changed })
      },
    }),
    route({
      ...shared,
      path: '/v1/overview/unseen',
      summary: 'Mark the last change of each monitor that a filter leaves as not seen',
      description: ofMarks,
      refusals: ['CONFLICT'],
      body: UnseenMatching,
      async handle({ body: { filter, expected }, principal, services }) {
        const query = { reader: readerOf(principal), kinds, wanted: wantedOf(filter) }
        const { changed } = doneOf(await markMatching(services, { query, expected, until: null }))
        return ok({ changed })
      },
    }),
  ]
}
