import { tagOf } from '../../../monitors/changed-since.ts'
import { monitorIssues } from '../../../monitors/check/monitor-issues.ts'
import { createMonitor } from '../../../monitors/create-monitor.ts'
import { deleteMonitor } from '../../../monitors/delete-monitor.ts'
import { editMonitor } from '../../../monitors/edit-monitor.ts'
import type { EverySpec } from '../../../schema/monitor/every-spec.ts'
import { createQuery } from '../../../schema/monitor/labels.ts'
import { Closed } from '../../../schema/shape/shape.ts'
import type { EveryRow } from '../../../store/monitors/kinds/monitor-row.ts'
import { findMonitor } from '../../../store/monitors/monitors.ts'
import { noSuch } from '../../http/common-errors.ts'
import { readIfMatch } from '../../http/if-match.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ById, created, keyedRoute, noContent, ok, type Route, route } from '../../http/route.ts'
import { shownMonitor, storedMonitor } from '../../presenters/shown.ts'
import { bulkRoute } from './bulk-monitors.ts'
import { monitorActs } from './monitor-acts.ts'
import { historyRoutes } from './monitor-history.ts'
import { listMonitorsRoute } from './monitor-list.ts'
import { manifestRoute } from './monitor-manifests.ts'
import { monitorMutes } from './monitor-mutes.ts'
import { monitorRunsRoute } from './monitor-runs.ts'
import { seriesRoute } from './monitor-series.ts'
import type { ServedKind } from './served-kind.ts'
import { signingSecretRoutes } from './signing-secrets.ts'

/** Returns the routes of a kind of monitor, in the order of the OpenAPI document. */
export const monitorRoutes = <Spec extends EverySpec, Row extends EveryRow>(
  served: ServedKind<Spec, Row>,
): readonly Route[] => [
  listMonitorsRoute(served),
  createMonitorRoute(served),
  ...served.own.afterCreate,
  getMonitorRoute(served),
  editMonitorRoute(served),
  deleteMonitorRoute(served),
  ...monitorActs(served),
  ...monitorMutes(served),
  bulkRoute(served),
  ...served.own.afterRun,
  monitorRunsRoute(served),
  ...historyRoutes(served),
  seriesRoute(served),
  ...served.own.afterRuns,
  manifestRoute(served),
  ...signingSecretRoutes(served),
]

const createMonitorRoute = <Spec extends EverySpec, Row extends EveryRow>(served: ServedKind<Spec, Row>) =>
  keyedRoute({
    method: 'POST',
    path: served.path,
    summary: `Create a ${served.noun}`,
    description: served.describes.create,
    tag: served.tag,
    policy: 'monitors.write',
    query: Closed(createQuery),
    body: served.create,
    bodyLimit: 'configuration',
    takesKey: true,
    defaults: true,
    review: (body, known, { egress }) => monitorIssues(body, known, egress),
    answers: { 201: { description: `The ${served.noun}.`, schema: served.record } },
    async handle({ query: { paused: isPaused = false }, body, principal, actor, services }) {
      const { teamId, userId } = principal
      // All defaults have been filled in before this call, so the body is complete.
      const creation = { teamId, actor, userId, spec: body as Spec, isPaused }
      const { monitor } = doneOf(await createMonitor(services, served.kind, creation))
      return created(await storedMonitor(served.kind, monitor, { services, principal }))
    },
  })

const getMonitorRoute = <Spec extends EverySpec, Row extends EveryRow>(served: ServedKind<Spec, Row>) =>
  route({
    method: 'GET',
    path: `${served.path}/:id`,
    summary: `Read a ${served.noun}`,
    description:
      'Without its signing secret. The header ETag is that of the configuration: an edit with If-Match has it.',
    tag: served.tag,
    policy: 'monitors.read',
    params: ById,
    sendsTag: true,
    answers: { 200: { description: `The ${served.noun}.`, schema: served.record } },
    async handle({ params, principal, services }) {
      const found = await findMonitor(services.store, principal.teamId, params.id, served.kind.table)
      if (!found) throw noSuch('monitor')
      const shown = shownMonitor(served.kind, found, { services, principal })
      return { ...ok(shown), headers: { etag: tagOf(served.kind, services.secrets, found) } }
    },
  })

const editMonitorRoute = <Spec extends EverySpec, Row extends EveryRow>(served: ServedKind<Spec, Row>) =>
  route({
    method: 'PATCH',
    path: `${served.path}/:id`,
    summary: `Change a ${served.noun}`,
    description: served.describes.edit,
    tag: served.tag,
    policy: 'monitors.write',
    params: ById,
    body: served.kind.patch,
    bodyLimit: 'configuration',
    bodyOptional: true,
    review: (body, known, { egress }) => monitorIssues(body, known, egress),
    answers: { 200: { description: `The ${served.noun}.`, schema: served.record } },
    sendsTag: true,
    takesTag: true,
    async handle({ params: { id }, body, principal, actor, headers, services }) {
      const seen = readIfMatch(headers['if-match'])
      const edition = { teamId: principal.teamId, actor, id, patch: body as Partial<Spec>, seen }
      const { monitor } = doneOf(await editMonitor(services, served.kind, edition))
      const shown = await storedMonitor(served.kind, monitor, { services, principal })
      return { ...ok(shown), headers: { etag: tagOf(served.kind, services.secrets, monitor) } }
    },
  })

const deleteMonitorRoute = ({ kind, path, noun, tag }: ServedKind) =>
  route({
    method: 'DELETE',
    path: `${path}/:id`,
    summary: `Delete a ${noun}`,
    description: 'A run can then be read by its id only. Pending deliveries are completed.',
    tag,
    policy: 'monitors.write',
    params: ById,
    answers: { 204: { description: `The ${noun} is deleted.` } },
    takesTag: true,
    async handle({ params: { id }, principal: { teamId }, actor, headers, services }) {
      const seen = readIfMatch(headers['if-match'])
      doneOf(await deleteMonitor(services, kind, { teamId, actor, id, seen }))
      return noContent()
    },
  })
