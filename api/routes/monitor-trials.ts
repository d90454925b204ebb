import { backtestMonitor } from '../../monitors/backtest/backtest-monitor.ts'
import { monitorIssues } from '../../monitors/check/monitor-issues.ts'
import { previewMonitor } from '../../monitors/preview-monitor.ts'
import { Backtest, BacktestRequest } from '../../schema/monitor/backtest.ts'
import { MonitorCreate, type MonitorSpec } from '../../schema/monitor/monitor.ts'
import { Preview } from '../../schema/monitor/preview.ts'
import { ApiError } from '../http/api-error.ts'
import { doneOf, later } from '../http/outcome-error.ts'
import { ById, ok, route } from '../http/route.ts'

export const previewMonitorRoute = route({
  method: 'POST',
  path: '/v1/monitors/preview',
  summary: 'Try a monitor without creating it',
  description:
    'Fetches and extracts now, as a run would, and answers what it found. Nothing is stored and nothing is ' +
    'delivered; one run is used. A check that fails is answered with 200 too: `status` is `error`, with ' +
    '`error_code` and `error_message`. What creating it would refuse is refused here too. Two of a team and four ' +
    'in all run at a time in one process: 429 `RATE_LIMIT_EXCEEDED` with `Retry-After` when all places are taken. ' +
    'What is refused uses no run.',
  tag: 'Monitors',
  policy: 'monitors.write',
  beyond: true,
  body: MonitorCreate,
  defaults: true,
  review: (body, known, { egress }) => monitorIssues(body, known, egress),
  answers: { 200: { description: 'What a run would give.', schema: Preview } },
  async handle({ body, principal: { teamId }, services: { store, previews } }) {
    if (!previews) throw later('This process makes no previews.')
    // The frame has filled in every default: the body is whole.
    const wanted = { teamId, spec: body as MonitorSpec }
    const { preview } = doneOf(await previewMonitor({ store, previews }, wanted))
    return ok(preview)
  },
})

export const backtestMonitorRoute = route({
  method: 'POST',
  path: '/v1/monitors/:id/backtest',
  summary: 'Try a predicate on the stored runs of a monitor',
  description:
    'Which of the stored runs that found a difference would have fired, and why. Nothing is stored and nothing is ' +
    'sent. Runs without a difference never fire, nor do those that set a baseline.',
  tag: 'Monitors',
  policy: 'runs.read',
  params: ById,
  body: BacktestRequest,
  review: (body, known, { egress }) => monitorIssues(body, known, egress),
  answers: { 200: { description: 'What would have happened.', schema: Backtest } },
  beyond: true,
  async handle({ params, body, principal: { teamId }, services: { store, patterns } }) {
    if (!patterns) throw new ApiError('UNAVAILABLE', 'This process makes no backtests.')
    const wanted = { teamId, id: params.id, predicate: body.diff_predicate }
    const { backtest } = doneOf(await backtestMonitor({ store, patterns }, wanted))
    return ok(backtest)
  },
})
