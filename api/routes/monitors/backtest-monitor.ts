import { backtestMonitor } from '../../../monitors/backtest/backtest-monitor.ts'
import { monitorIssues } from '../../../monitors/check/monitor-issues.ts'
import { Backtest, BacktestRequest } from '../../../schema/monitor/backtest.ts'
import { ApiError } from '../../http/api-error.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'

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
