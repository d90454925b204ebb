import { pauseMonitor } from '../../../monitors/pause-monitor.ts'
import { resumeMonitor } from '../../../monitors/resume-monitor.ts'
import { runMonitor } from '../../../monitors/run-monitor.ts'
import type { EverySpec } from '../../../schema/monitor/every-spec.ts'
import { RunQueued } from '../../../schema/run/run.ts'
import type { EveryRow } from '../../../store/monitors/kinds/monitor-row.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ById, ok, type Route, route } from '../../http/route.ts'
import { shownMonitor, storedMonitor } from '../../presenters/shown.ts'
import type { ServedKind } from './served-kind.ts'

/** Returns the routes that pause, resume and run a monitor of a kind. */
export const monitorActs = <Spec extends EverySpec, Row extends EveryRow>({
  kind,
  path,
  noun,
  tag,
  record,
  describes,
}: ServedKind<Spec, Row>): readonly Route[] => {
  const shared = { method: 'POST', tag, policy: 'monitors.write', params: ById } as const
  return [
    route({
      ...shared,
      path: `${path}/:id/pause`,
      summary: `Pause a ${noun}`,
      description: 'A run that is queued or running is still completed.',
      answers: { 200: { description: `The ${noun}, paused.`, schema: record } },
      async handle({ params, principal, actor, services }) {
        const { monitor } = doneOf(
          await pauseMonitor(services, kind, { teamId: principal.teamId, actor, id: params.id }),
        )
        return ok(shownMonitor(kind, monitor, { services, principal }))
      },
    }),
    route({
      ...shared,
      path: `${path}/:id/resume`,
      summary: `Resume a ${noun}`,
      description: describes.resume,
      answers: { 200: { description: `The ${noun}, active.`, schema: record } },
      async handle({ params, principal, actor, services }) {
        const { monitor } = doneOf(
          await resumeMonitor(services, kind, { teamId: principal.teamId, actor, id: params.id }),
        )
        return ok(await storedMonitor(kind, monitor, { services, principal }))
      },
    }),
    route({
      ...shared,
      path: `${path}/:id/run`,
      summary: `Run a ${noun} now`,
      description: describes.run,
      answers: { 200: { description: 'The run, readable as running from now on.', schema: RunQueued } },
      async handle({ params, principal: { teamId }, actor, services }) {
        const { runId } = doneOf(await runMonitor(services, kind, { teamId, actor, id: params.id }))
        return ok({ run_id: runId, queued: true })
      },
    }),
  ]
}
