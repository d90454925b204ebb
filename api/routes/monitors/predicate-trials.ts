import { tryPredicate } from '../../../monitors/backtest/try-predicate.ts'
import { monitorIssues } from '../../../monitors/check/monitor-issues.ts'
import { PredicateTrial, PredicateTrialRequest } from '../../../schema/monitor/predicate-trial.ts'
import type { Values } from '../../../schema/shape/json.ts'
import { ApiError } from '../../http/api-error.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ok, route } from '../../http/route.ts'

export const tryPredicateRoute = route({
  method: 'POST',
  path: '/v1/predicates/try',
  summary: 'Try a predicate on two readings',
  description:
    'Returns whether a run with these values would fire, and why. It is decided as in a run. Nothing is fetched, ' +
    'stored or sent. What a run knows of earlier ones is unknown here: items of a list that was empty for a moment, ' +
    'and numbers that were missing. With `extract_config` the predicate may only name its fields, as in a monitor.',
  tag: 'Monitors',
  policy: 'runs.read',
  work: 'predicate_trial',
  body: PredicateTrialRequest,
  bodyLimit: 'configuration',
  review: (body, known, { egress }) => monitorIssues(body, known, egress),
  answers: { 200: { description: 'The result.', schema: PredicateTrial } },
  beyond: true,
  async handle({ body, principal: { teamId }, signal, services: { patterns } }) {
    if (!patterns) throw new ApiError('UNAVAILABLE', 'This process tries no predicates.')
    const { diff_predicate: predicate, extract_config: config, before, after } = body
    // What came as JSON is made of values of JSON.
    const values = { before: before as Values | null, after: after as Values }
    const { trial } = doneOf(await tryPredicate({ patterns }, { teamId, predicate, config, signal, ...values }))
    return ok(trial)
  },
})
