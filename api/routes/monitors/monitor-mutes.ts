import { muteMonitor, unmuteMonitor } from '../../../monitors/mute-monitor.ts'
import type { EverySpec } from '../../../schema/monitor/every-spec.ts'
import { MuteRequest } from '../../../schema/monitor/mute.ts'
import type { EveryRow } from '../../../store/monitors/kinds/monitor-row.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ById, ok, type Route, route } from '../../http/route.ts'
import { shownMonitor } from '../../presenters/shown.ts'
import type { ServedKind } from './served-kind.ts'

/** Returns the routes that mute and unmute a monitor of a kind. */
export const monitorMutes = <Spec extends EverySpec, Row extends EveryRow>({
  kind,
  path,
  noun,
  tag,
  record,
}: ServedKind<Spec, Row>): readonly Route[] => {
  const shared = { method: 'POST', tag, policy: 'monitors.write', params: ById, beyond: true } as const
  return [
    route({
      ...shared,
      path: `${path}/:id/mute`,
      summary: `Mute a ${noun}`,
      description:
        'Its checks go on, and what fires waits until the mute ends: then it is one digest for each destination. A ' +
        'plain webhook and the services custom and cloudevents get their own messages, in their order. With drop ' +
        'nothing is sent. A mute in place of another one holds what that one held.',
      body: MuteRequest,
      answers: { 200: { description: `The ${noun}, muted.`, schema: record } },
      async handle({ params: { id }, body, principal, actor, services }) {
        const { teamId } = principal
        const { monitor } = doneOf(await muteMonitor(services, kind, { teamId, actor, id, ...body }))
        return ok(shownMonitor(kind, monitor, { services, principal }))
      },
    }),
    route({
      ...shared,
      path: `${path}/:id/unmute`,
      summary: `Unmute a ${noun}`,
      description: 'What the mute held is sent now, except in quiet hours: then it is sent when they end.',
      answers: { 200: { description: `The ${noun}, not muted.`, schema: record } },
      async handle({ params: { id }, principal, actor, services }) {
        const { monitor } = doneOf(await unmuteMonitor(services, kind, { teamId: principal.teamId, actor, id }))
        return ok(shownMonitor(kind, monitor, { services, principal }))
      },
    }),
  ]
}
