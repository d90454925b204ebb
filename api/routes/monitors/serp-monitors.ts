import { monitorIssues } from '../../../monitors/check/monitor-issues.ts'
import { createSerpMonitor, serpMonitorWarnings } from '../../../monitors/create-serp-monitor.ts'
import { deleteMonitor } from '../../../monitors/delete-monitor.ts'
import { editMonitor } from '../../../monitors/edit-monitor.ts'
import { pauseMonitor } from '../../../monitors/pause-monitor.ts'
import { SERP_RECORDS } from '../../../monitors/record-kind.ts'
import { resumeMonitor } from '../../../monitors/resume-monitor.ts'
import { runMonitor } from '../../../monitors/run-monitor.ts'
import { previewSearch } from '../../../monitors/preview/preview-search.ts'
import { SerpPreview } from '../../../schema/serp/serp-check.ts'
import { createQuery } from '../../../schema/monitor/labels.ts'
import { PageOf, pageQuery } from '../../../schema/page-of.ts'
import { RunQueued } from '../../../schema/run/run.ts'
import {
  SerpMonitor,
  SerpMonitorCreate,
  SerpMonitorPatch,
  SerpMonitorPreview,
  serpMonitorQuery,
  type SerpMonitorSpec,
} from '../../../schema/serp/serp-monitor.ts'
import { Closed } from '../../../schema/shape/shape.ts'
import type { SerpMonitorRow } from '../../../store/monitors/monitor-record.ts'
import { countMonitors, findMonitor, listMonitors } from '../../../store/monitors/monitors.ts'
import type { Principal } from '../../auth/principals.ts'
import { doneOf, later, noSuch } from '../../http/outcome-error.ts'
import { paginationOf, windowOf } from '../../http/page-of-rows.ts'
import { ById, created, keyedRoute, type KeyedServices, noContent, ok, route } from '../../http/route.ts'
import { answerMonitors } from './monitor-list.ts'
import { shownSerpMonitor } from '../../presenters/shown.ts'
import { selectorOf } from './monitors.ts'
import { SEARCHES } from './monitor-kind.ts'
import { manifestRoute } from './monitor-manifests.ts'
import { monitorRunsRoute } from './monitor-runs.ts'
import { signingSecretRoutes } from './signing-secrets.ts'

const { tag, kind } = SEARCHES

interface ServedReader {
  readonly services: KeyedServices
  readonly principal: Principal
}

/** The monitor as it was just stored, with what should be known about it. */
async function stored(monitor: SerpMonitorRow, reader: ServedReader): Promise<SerpMonitor> {
  const { store, serpSpacingMs } = reader.services
  const shown = shownSerpMonitor(monitor, reader)
  const [found = []] = await serpMonitorWarnings(store, [monitor], serpSpacingMs)
  const warnings = [...(shown.warnings ?? []), ...found]
  return { ...shown, ...(warnings.length > 0 && { warnings }) }
}

const list = route({
  method: 'GET',
  path: '/v1/serp-monitors',
  summary: 'List SERP monitors, newest first',
  tag,
  policy: 'monitors.read',
  query: Closed({ ...pageQuery, ...serpMonitorQuery }),
  answers: { 200: { description: 'A page of SERP monitors.', schema: PageOf(SerpMonitor) } },
  streams: true,
  async handle(call) {
    const { query, principal, services } = call
    const { status, name, monitor_id: id, external_key: externalKey, label } = query
    const labels = selectorOf(label)
    const wanted = { teamId: principal.teamId, kind, status, name, id, externalKey, labels } as const
    const rows = await listMonitors(services.store, { ...wanted, ...windowOf(query) })
    const pagination = await paginationOf(query, rows.length, () => countMonitors(services.store, wanted))
    const show = (row: SerpMonitorRow) => shownSerpMonitor(row, { services, principal })
    return answerMonitors(call, { kind, rows, rest: { pagination }, show })
  },
})

const create = keyedRoute({
  method: 'POST',
  path: '/v1/serp-monitors',
  summary: 'Create a SERP monitor',
  description:
    'Its first run is due at once and is a silent baseline. On a plan without SERP and without credits it is created ' +
    'and is `billing_paused`.',
  tag,
  policy: 'monitors.write',
  query: Closed(createQuery),
  body: SerpMonitorCreate,
  bodyLimit: 'configuration',
  takesKey: true,
  defaults: true,
  // Of the parts that need a review, it has only the destinations.
  review: (body, known, { egress }) => monitorIssues(body, known, egress),
  answers: { 201: { description: 'The SERP monitor.', schema: SerpMonitor } },
  async handle({ query: { paused: isPaused = false }, body, principal, actor, services }) {
    const { teamId, userId } = principal
    // All defaults have been filled in before this call, so the body is complete.
    const creation = { teamId, actor, userId, spec: body as SerpMonitorSpec, isPaused }
    const { monitor } = doneOf(await createSerpMonitor(services, creation))
    return created(await stored(monitor, { services, principal }))
  },
})

const preview = route({
  method: 'POST',
  path: '/v1/serp-monitors/preview',
  summary: 'Try a search without creating a monitor',
  description:
    'Makes the search now, as a check would, and returns the results. Only `keyword` is needed; the other keys are ' +
    'those of a create. Nothing is stored and nothing is delivered. It uses one run for each page. One that fails ' +
    'also gets 200: `status` is `error`, with `error_code` and `error_message`. While the engine is left alone, or ' +
    'other searches of it do not end in time, it fails so, and uses no run.',
  tag,
  policy: 'monitors.write',
  work: 'preview',
  beyond: true,
  body: SerpMonitorPreview,
  bodyLimit: 'configuration',
  defaults: true,
  answers: { 200: { description: 'The results that a run would have.', schema: SerpPreview } },
  async handle({ body, principal: { teamId }, services: { store, previews } }) {
    if (!previews) throw later('This process makes no previews.')
    // All defaults have been filled in before this call, so nothing is missing that a search needs.
    const { keyword, engine, pages, location_code, language_code, device, target_domain } = body as SerpMonitorSpec
    const search = { keyword, engine, pages, location_code, language_code, device }
    const outcome = await previewSearch({ store, previews }, { teamId, search, target: target_domain ?? null })
    if (outcome.kind === 'no_browser') throw later('This process has no browser, which searches need.')
    return ok(doneOf(outcome).preview)
  },
})

const get = route({
  method: 'GET',
  path: '/v1/serp-monitors/:id',
  summary: 'Read a SERP monitor',
  description: 'Without its signing secret.',
  tag,
  policy: 'monitors.read',
  params: ById,
  answers: { 200: { description: 'The SERP monitor.', schema: SerpMonitor } },
  async handle({ params, principal, services }) {
    const found = await findMonitor(services.store, principal.teamId, params.id, kind)
    if (!found) throw noSuch('monitor')
    return ok(shownSerpMonitor(found, { services, principal }))
  },
})

const edit = route({
  method: 'PATCH',
  path: '/v1/serp-monitors/:id',
  summary: 'Change a SERP monitor',
  description:
    'Each key in the body replaces the whole stored value; null clears a nullable key. Switching mode to ' +
    'full_analysis clears target_domain. A change of keyword, engine, location_code, language_code, device, mode or ' +
    'target_domain makes the next run a silent baseline. Another number of pages does not: only the results that ' +
    'both checks cover are compared.',
  tag,
  policy: 'monitors.write',
  params: ById,
  body: SerpMonitorPatch,
  bodyLimit: 'configuration',
  bodyOptional: true,
  review: (body, known, { egress }) => monitorIssues(body, known, egress),
  answers: { 200: { description: 'The SERP monitor.', schema: SerpMonitor } },
  async handle({ params, body, principal, actor, services }) {
    const { teamId } = principal
    const { monitor } = doneOf(await editMonitor(services, SERP_RECORDS, { teamId, actor, id: params.id, patch: body }))
    return ok(await stored(monitor, { services, principal }))
  },
})

const remove = route({
  method: 'DELETE',
  path: '/v1/serp-monitors/:id',
  summary: 'Delete a SERP monitor',
  description: 'A run can then be read by its id only. Pending deliveries are completed.',
  tag,
  policy: 'monitors.write',
  params: ById,
  answers: { 204: { description: 'The SERP monitor is deleted.' } },
  async handle({ params, principal: { teamId }, actor, services }) {
    doneOf(await deleteMonitor(services, { teamId, actor, id: params.id, kind }))
    return noContent()
  },
})

const pause = route({
  method: 'POST',
  path: '/v1/serp-monitors/:id/pause',
  summary: 'Pause a SERP monitor',
  description: 'A run that is queued or running is still completed.',
  tag,
  policy: 'monitors.write',
  params: ById,
  answers: { 200: { description: 'The SERP monitor, paused.', schema: SerpMonitor } },
  async handle({ params, principal, actor, services }) {
    const { teamId } = principal
    const { monitor } = doneOf(await pauseMonitor(services, { teamId, actor, id: params.id, kind }))
    return ok(shownSerpMonitor(monitor, { services, principal }))
  },
})

const resume = route({
  method: 'POST',
  path: '/v1/serp-monitors/:id/resume',
  summary: 'Resume a SERP monitor',
  description:
    'The monitor becomes active with no failures counted, and a run is due at once. An active monitor does not change.',
  tag,
  policy: 'monitors.write',
  params: ById,
  answers: { 200: { description: 'The SERP monitor, active.', schema: SerpMonitor } },
  async handle({ params, principal, actor, services }) {
    const { teamId } = principal
    const { monitor } = doneOf(await resumeMonitor(services, { teamId, actor, id: params.id, kind }))
    return ok(await stored(monitor, { services, principal }))
  },
})

const runNow = route({
  method: 'POST',
  path: '/v1/serp-monitors/:id/run',
  summary: 'Run a SERP monitor now',
  description:
    'It uses one run for each of its pages. Also works for a paused monitor. While a run is queued, another request ' +
    'returns the same run.',
  tag,
  policy: 'monitors.write',
  params: ById,
  answers: { 200: { description: 'The run, readable as running from now on.', schema: RunQueued } },
  async handle({ params, principal: { teamId }, actor, services }) {
    const { runId } = doneOf(await runMonitor(services, { teamId, actor, id: params.id, kind }))
    return ok({ run_id: runId, queued: true })
  },
})

/** In the order of the OpenAPI document. */
export const serpMonitorRoutes = [
  list,
  create,
  preview,
  get,
  edit,
  remove,
  pause,
  resume,
  runNow,
  monitorRunsRoute(SEARCHES),
  manifestRoute(SEARCHES),
  ...signingSecretRoutes(SEARCHES),
]
