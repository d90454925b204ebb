import { backtestMonitor } from '../../../monitors/backtest/backtest-monitor.ts'
import { monitorIssues } from '../../../monitors/check/monitor-issues.ts'
import { previewFromLook } from '../../../monitors/preview/preview-from-look.ts'
import { previewMonitor } from '../../../monitors/preview/preview-monitor.ts'
import { Backtest, BacktestRequest } from '../../../schema/monitor/backtest.ts'
import { MonitorPreview, type PreviewSpec } from '../../../schema/monitor/monitor.ts'
import { Preview } from '../../../schema/monitor/preview.ts'
import { ApiError } from '../../http/api-error.ts'
import { later } from '../../http/common-errors.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ById, ok, route } from '../../http/route.ts'

export const previewMonitorRoute = route({
  method: 'POST',
  path: '/v1/monitors/preview',
  summary: 'Try a monitor without creating it',
  description:
    'Fetches and extracts now, as a run would, and returns the result. Only `url` and `extract_config` are needed; ' +
    'the other keys are those of a create. Nothing is stored and nothing is ' +
    'delivered. One run is used. A check that fails also gets 200: `status` is `error`, with `error_code` and ' +
    '`error_message`. A configuration that cannot be created is refused here too. One process runs at most two ' +
    'previews per team and four in total at a time. If all slots are taken, the response is 429 ' +
    '`RATE_LIMIT_EXCEEDED` with `Retry-After`. A refused request uses no run. With `from_look` the documents of a ' +
    'look are read: nothing is fetched, and no run is used. `url`, `request_headers`, `request_config` and ' +
    '`wait_for` are then those of the look. A prompt and pictures are 422 there. A look that is no longer kept is 404.',
  tag: 'Monitors',
  policy: 'monitors.write',
  work: 'preview',
  beyond: true,
  refusals: ['NOT_FOUND'],
  body: MonitorPreview,
  bodyLimit: 'configuration',
  defaults: true,
  review: (body, known, { egress }) => monitorIssues(body, known, egress),
  answers: { 200: { description: 'The result that a run would have.', schema: Preview } },
  async handle({ body: { from_look: lookId = null, ...body }, principal: { teamId }, services }) {
    const { store, secrets, openedLooks, previews } = services
    if (!previews) throw later('This process makes no previews.')
    // All defaults have been filled in before this call, so nothing is missing that a preview needs.
    const wanted = { teamId, spec: body as PreviewSpec }
    if (lookId === null) return ok(doneOf(await previewMonitor({ store, previews }, wanted)).preview)
    const ports = { store, secrets, openedLooks, previews }
    return ok(doneOf(await previewFromLook(ports, { ...wanted, lookId })).preview)
  },
})

export const backtestMonitorRoute = route({
  method: 'POST',
  path: '/v1/monitors/:id/backtest',
  summary: 'Try a predicate on the stored runs of a monitor',
  description:
    'Returns which of the stored runs with a difference would have fired, and why, with the beginnings of the values ' +
    'before and after. `days` leaves out older runs. Nothing is stored and nothing is sent. Runs without a ' +
    'difference and runs that set a baseline never fire.',
  tag: 'Monitors',
  policy: 'runs.read',
  work: 'backtest',
  params: ById,
  body: BacktestRequest,
  bodyLimit: 'configuration',
  review: (body, known, { egress }) => monitorIssues(body, known, egress),
  answers: { 200: { description: 'The result for each stored run.', schema: Backtest } },
  beyond: true,
  async handle({ params, body, principal: { teamId }, signal, services: { store, patterns } }) {
    if (!patterns) throw new ApiError('UNAVAILABLE', 'This process makes no backtests.')
    const wanted = { teamId, id: params.id, predicate: body.diff_predicate, days: body.days ?? null, signal }
    const { backtest } = doneOf(await backtestMonitor({ store, patterns }, wanted))
    return ok(backtest)
  },
})
