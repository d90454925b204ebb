import type { Kind } from '../../../monitors/kinds/kind.ts'
import { muteMatching } from '../../../monitors/mute-matching.ts'
import { MatchingMuted, MuteMatching, UnmuteMatching } from '../../../schema/overview/overview.ts'
import type { OverviewQuery } from '../../../store/overview/wanted-monitors.ts'
import type { Principal } from '../../auth/principals.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ok, type Route, route } from '../../http/route.ts'
import { readerOf, wantedOf } from './overview-filters.ts'

const ofMutes =
  'The monitors are those that the filter leaves now. The other way, by ids, is the bulk route of each kind.'

/** Returns the routes that mute and unmute all monitors of these kinds that a filter leaves. */
export const matchingMutes = (kinds: readonly Kind[]): readonly Route[] => {
  const query = (principal: Principal, filter: Parameters<typeof wantedOf>[0]): OverviewQuery => ({
    reader: readerOf(principal),
    kinds: kinds.map(({ table }) => table),
    wanted: wantedOf(filter),
  })
  const shared = {
    method: 'POST',
    tag: 'Overview',
    policy: 'monitors.write',
    work: 'bulk',
    refusals: ['CONFLICT'],
    beyond: true,
    answers: { 200: { description: 'How many were changed.', schema: MatchingMuted } },
  } as const
  return [
    route({
      ...shared,
      path: '/v1/overview/mute',
      summary: 'Mute all monitors that a filter leaves',
      description: `${ofMutes} A monitor that gets the label later is not muted.`,
      body: MuteMatching,
      async handle({ body: { filter, expected, ...request }, principal, actor, services }) {
        const { teamId } = principal
        const wanted = { teamId, actor, query: query(principal, filter), expected, request }
        const { changed } = doneOf(await muteMatching(services, kinds, wanted))
        return ok({ changed })
      },
    }),
    route({
      ...shared,
      path: '/v1/overview/unmute',
      summary: 'Unmute all monitors that a filter leaves',
      description: ofMutes,
      body: UnmuteMatching,
      async handle({ body: { filter, expected }, principal, actor, services }) {
        const { teamId } = principal
        const wanted = { teamId, actor, query: query(principal, filter), expected, request: null }
        const { changed } = doneOf(await muteMatching(services, kinds, wanted))
        return ok({ changed })
      },
    }),
  ]
}
