import { Backtest, BACKTEST_CHANGES, BACKTEST_CONDITIONS, BacktestRequest } from '../../../schema/monitor/backtest.ts'
import type { DiffPredicate } from '../../../schema/monitor/diff-predicate.ts'
import { PREDICATE_FIELDS } from '../../../schema/rules/monitor-rules.ts'
import { listChanges } from '../../../store/monitors/monitor-stored-runs.ts'
import { findMonitor } from '../../../store/monitors/monitors.ts'
import { ApiError } from '../../http/api-error.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'
import { backtestChanges } from './backtest-changes.ts'
import { noSuchMonitor } from './monitor-faults.ts'
import { monitorIssues } from '../../../monitors/check/monitor-issues.ts'
import { refuseIssues } from './refuse-configuration.ts'

const MOST_BYTES = 16 * 1024 * 1024
const BUDGET_MS = 5_000

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
  async handle({ params, body: { diff_predicate }, principal: { teamId }, services: { store, patterns } }) {
    if (!patterns) throw new ApiError('UNAVAILABLE', 'This process makes no backtests.')
    const stored = await findMonitor(store, teamId, params.id)
    if (!stored) throw noSuchMonitor()
    refuseIssues(PREDICATE_FIELDS.check({ extract_config: stored.extract_config, diff_predicate }))
    refuseTooMany(diff_predicate)
    const wanted = { teamId, monitorNo: stored.no, limit: BACKTEST_CHANGES + 1, maxBytes: MOST_BYTES }
    const found = await listChanges(store, wanted)
    const changes = found.slice(0, BACKTEST_CHANGES)
    const { runs, isCut, warnings } = await backtestChanges(changes, diff_predicate, { patterns, budgetMs: BUDGET_MS })
    return ok({
      changes: runs.length,
      would_fire: runs.filter(({ fires }) => fires).length,
      truncated: isCut || (found[0]?.found ?? 0) > changes.length,
      warnings,
      runs,
    })
  },
})

function refuseTooMany(predicate: DiffPredicate): void {
  const count = countConditions(predicate)
  if (count <= BACKTEST_CONDITIONS) return
  const message = `has ${count} conditions; a backtest tries at most ${BACKTEST_CONDITIONS}`
  refuseIssues([{ path: 'diff_predicate', message }])
}

function countConditions(predicate: DiffPredicate): number {
  if (predicate.type !== 'composite') return 1
  return predicate.conditions.reduce((sum, condition) => sum + countConditions(condition), 0)
}
