import { EVENTS, eventsQuery } from '../../schema/overview/event.ts'
import { Closed } from '../../schema/shape/shape.ts'
import { numbersOfMonitors } from '../../store/overview/news.ts'
import type { OverviewKind } from '../../store/overview/wanted-monitors.ts'
import { permits } from '../auth/policies.ts'
import type { Principal } from '../auth/principals.ts'
import { readId } from '../events/event-text.ts'
import { type Route, route } from '../http/route.ts'

/** Returns the route of the events of monitors of these kinds. */
export const eventsRoute = (kinds: readonly OverviewKind[]): Route =>
  route({
    method: 'GET',
    path: '/v1/events',
    summary: 'Be told of what happens, as it happens',
    description:
      'Server-sent events, for as long as the client listens: `change`, `state`, `delivery`, `run` of watched ' +
      'monitors, and `gap` where events are missing. With `Last-Event-ID` the stream goes on behind that event, for ' +
      'ten minutes; a process that does not have it any more sends a `gap`. A request that does not accept ' +
      '`text/event-stream` gets what it missed, and the answer ends. The stream ends with the session or key, and ' +
      'when its role or team is another one.',
    tag: 'Overview',
    policy: 'monitors.read',
    query: Closed(eventsQuery),
    answers: { 200: { description: 'Events.', only: 'text/event-stream', events: EVENTS } },
    beyond: true,
    async handle({ query: { watch = '' }, headers, principal, left, services }) {
      const { store, principals, events } = services
      const { teamId } = principal
      const given = headers['last-event-id']
      const give = await events.listen({
        kinds,
        teamId,
        caller: callerOf(principal),
        watched: await numbersOfMonitors(store, teamId, watch === '' ? [] : watch.split(',')),
        // A place that cannot be read is one that nobody keeps.
        resumesAt: given === undefined ? null : (readId(String(given)) ?? { feed: '', seq: 0, at: 0 }),
        left,
        async mayListen() {
          const now = await principals.find(headers)
          return now !== null && isSame(now, principal) && permits('monitors.read', now)
        },
      })
      return { status: 200, events: give }
    },
  })

const callerOf = (principal: Principal): string =>
  principal.kind === 'key' ? `key:${principal.keyId}` : `session:${principal.sessionId}`

const isSame = (now: Principal, before: Principal): boolean =>
  callerOf(now) === callerOf(before) && now.teamId === before.teamId && roleOf(now) === roleOf(before)

const roleOf = (principal: Principal): string => (principal.kind === 'key' ? 'key' : principal.role)
