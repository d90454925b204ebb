import type { FastifyBaseLogger } from 'fastify'
import { storeOutage } from '../../../store/db/store-fault.ts'
import Type from 'typebox'
import { actOnMany, type ManyResult } from '../../../monitors/act-on-many.ts'
import { monitorIssues } from '../../../monitors/check/monitor-issues.ts'
import { createMonitor } from '../../../monitors/create-monitor.ts'
import { deleteMonitor } from '../../../monitors/delete-monitor.ts'
import { editMonitor } from '../../../monitors/edit-monitor.ts'
import { pauseMonitor } from '../../../monitors/pause-monitor.ts'
import { PAGE_RECORDS } from '../../../monitors/record-kind.ts'
import { resumeMonitor } from '../../../monitors/resume-monitor.ts'
import { runMonitor } from '../../../monitors/run-monitor.ts'
import { type BulkResult, MonitorBulk, MonitorBulkDone } from '../../../schema/monitor/bulk.ts'
import { createQuery, parseLabelSelector } from '../../../schema/monitor/labels.ts'
import {
  Monitor,
  MonitorCreate,
  MonitorPatch,
  monitorQuery,
  type MonitorSpec,
} from '../../../schema/monitor/monitor.ts'
import { PageOf, pageQuery } from '../../../schema/page-of.ts'
import { RunQueued } from '../../../schema/run/run.ts'
import { Closed } from '../../../schema/shape/shape.ts'
import { countMonitors, findMonitor, listMonitors } from '../../../store/monitors/monitors.ts'
import type { MonitorRow } from '../../../store/monitors/monitor-record.ts'
import { faultOf } from '../../http/fault.ts'
import { doneOf, noSuch, outcomeError } from '../../http/outcome-error.ts'
import { paginationOf, windowOf } from '../../http/page-of-rows.ts'
import { ById, created, keyedRoute, noContent, ok, route } from '../../http/route.ts'
import { answerMonitors } from './monitor-list.ts'
import { shownMonitor } from '../../presenters/shown.ts'

export const listMonitorsRoute = route({
  method: 'GET',
  path: '/v1/monitors',
  summary: 'List monitors, newest first',
  tag: 'Monitors',
  policy: 'monitors.read',
  query: Closed({
    ...pageQuery,
    ...monitorQuery,
    visual: Type.Optional(
      Type.Boolean({ description: 'true: only monitors with the visual layer; false: only those without.' }),
    ),
  }),
  answers: { 200: { description: 'A page of monitors.', schema: PageOf(Monitor) } },
  streams: true,
  async handle(call) {
    const { query, principal, services } = call
    const { visual, status, name, monitor_id: id, external_key: externalKey, label } = query
    const labels = selectorOf(label)
    const wanted = { teamId: principal.teamId, visual, status, name, id, externalKey, labels }
    const rows = await listMonitors(services.store, { ...wanted, ...windowOf(query) })
    const pagination = await paginationOf(query, rows.length, () => countMonitors(services.store, wanted))
    const show = (stored: MonitorRow) => shownMonitor(stored, { services, principal })
    return answerMonitors(call, { kind: 'page', rows, rest: { pagination }, show })
  },
})

/** Returns the selector of a query, which was checked. */
export const selectorOf = (label: string | undefined) =>
  label === undefined ? undefined : (parseLabelSelector(label) ?? undefined)

export const createMonitorRoute = keyedRoute({
  method: 'POST',
  path: '/v1/monitors',
  summary: 'Create a monitor',
  description: 'Its first run is due at once and is a silent baseline.',
  tag: 'Monitors',
  policy: 'monitors.write',
  query: Closed(createQuery),
  body: MonitorCreate,
  bodyLimit: 'configuration',
  takesKey: true,
  defaults: true,
  review: (body, known, { egress }) => monitorIssues(body, known, egress),
  answers: { 201: { description: 'The monitor.', schema: Monitor } },
  async handle({ query: { paused: isPaused = false }, body, principal, actor, services }) {
    const { teamId, userId } = principal
    // All defaults have been filled in before this call, so the body is complete.
    const creation = { teamId, actor, userId, spec: body as MonitorSpec, isPaused }
    const { monitor } = doneOf(await createMonitor(services, creation))
    return created(shownMonitor(monitor, { services, principal }))
  },
})

export const getMonitorRoute = route({
  method: 'GET',
  path: '/v1/monitors/:id',
  summary: 'Read a monitor',
  description: 'Without its signing secret.',
  tag: 'Monitors',
  policy: 'monitors.read',
  params: ById,
  answers: { 200: { description: 'The monitor.', schema: Monitor } },
  async handle({ params, principal, services }) {
    const stored = await findMonitor(services.store, principal.teamId, params.id)
    if (!stored) throw noSuch('monitor')
    return ok(shownMonitor(stored, { services, principal }))
  },
})

export const editMonitorRoute = route({
  method: 'PATCH',
  path: '/v1/monitors/:id',
  summary: 'Change a monitor',
  description:
    'Each key in the body replaces the whole stored value; null clears a nullable key. A change of url, ' +
    'extract_config, request_config, request_headers, fetch_mode or visual_config makes the next run a silent ' +
    'baseline.',
  tag: 'Monitors',
  policy: 'monitors.write',
  params: ById,
  body: MonitorPatch,
  bodyLimit: 'configuration',
  bodyOptional: true,
  review: (body, known, { egress }) => monitorIssues(body, known, egress),
  answers: { 200: { description: 'The monitor.', schema: Monitor } },
  async handle({ params, body, principal, actor, services }) {
    const { teamId } = principal
    const { monitor } = doneOf(await editMonitor(services, PAGE_RECORDS, { teamId, actor, id: params.id, patch: body }))
    return ok(shownMonitor(monitor, { services, principal }))
  },
})

export const deleteMonitorRoute = route({
  method: 'DELETE',
  path: '/v1/monitors/:id',
  summary: 'Delete a monitor',
  description: 'A run can then be read by its id only. Pending deliveries are completed.',
  tag: 'Monitors',
  policy: 'monitors.write',
  params: ById,
  answers: { 204: { description: 'The monitor is deleted.' } },
  async handle({ params, principal: { teamId }, actor, services }) {
    doneOf(await deleteMonitor(services, { teamId, actor, id: params.id }))
    return noContent()
  },
})

export const pauseMonitorRoute = route({
  method: 'POST',
  path: '/v1/monitors/:id/pause',
  summary: 'Pause a monitor',
  description: 'A run that is queued or running is still completed.',
  tag: 'Monitors',
  policy: 'monitors.write',
  params: ById,
  answers: { 200: { description: 'The monitor, paused.', schema: Monitor } },
  async handle({ params, principal, actor, services }) {
    const { teamId } = principal
    const { monitor } = doneOf(await pauseMonitor(services, { teamId, actor, id: params.id }))
    return ok(shownMonitor(monitor, { services, principal }))
  },
})

export const resumeMonitorRoute = route({
  method: 'POST',
  path: '/v1/monitors/:id/resume',
  summary: 'Resume a monitor',
  description: 'The monitor becomes active, and a run is due at once. An active monitor does not change.',
  tag: 'Monitors',
  policy: 'monitors.write',
  params: ById,
  answers: { 200: { description: 'The monitor, active.', schema: Monitor } },
  async handle({ params, principal, actor, services }) {
    const { teamId } = principal
    const { monitor } = doneOf(await resumeMonitor(services, { teamId, actor, id: params.id }))
    return ok(shownMonitor(monitor, { services, principal }))
  },
})

export const runMonitorRoute = route({
  method: 'POST',
  path: '/v1/monitors/:id/run',
  summary: 'Run a monitor now',
  description: 'Also works for a paused monitor. While a run is queued, another request returns the same run.',
  tag: 'Monitors',
  policy: 'monitors.write',
  params: ById,
  answers: { 200: { description: 'The run, readable as running from now on.', schema: RunQueued } },
  async handle({ params, principal: { teamId }, actor, services }) {
    const { runId } = doneOf(await runMonitor(services, { teamId, actor, id: params.id }))
    return ok({ run_id: runId, queued: true })
  },
})

export const bulkMonitorsRoute = route({
  method: 'POST',
  path: '/v1/monitors/bulk',
  summary: 'Pause, resume, delete or run many monitors',
  description:
    'The monitors are independent: a failure for one does not undo the others. Each monitor gets the same audit ' +
    'entry as from its own route, and the request gets monitor.bulk_action. One malformed id refuses the whole ' +
    'request.',
  tag: 'Monitors',
  policy: 'monitors.write',
  work: 'bulk',
  body: MonitorBulk,
  answers: { 200: { description: 'A result for each id.', schema: MonitorBulkDone } },
  beyond: true,
  async handle({ body, principal: { teamId }, actor, services, log }) {
    const { results, ...counts } = await actOnMany(services, { teamId, actor, ...body })
    return ok({
      action: body.action,
      ...counts,
      results: results.map((result) => shownResult(result, { log, root: services.log })),
    })
  },
})

/** The result for one monitor: the same as from the route for that monitor. */
function shownResult(
  { id, outcome }: ManyResult,
  { log, root }: { readonly log: FastifyBaseLogger; readonly root: FastifyBaseLogger },
): BulkResult {
  if (outcome.kind === 'done') return { id, ok: true, ...('runId' in outcome && { run_id: outcome.runId }) }
  const thrown = outcome.kind === 'failed' ? outcome.error : outcomeError(outcome)
  const { error, unexpected } = faultOf(thrown)
  if (unexpected && !storeOutage(root).covers(thrown, 'parts of bulk actions'))
    log.error({ err: thrown, monitor_id: id }, 'a part of a bulk action failed')
  return { id, ok: false, error: { code: error.code, message: error.message, details: [...error.details] } }
}
