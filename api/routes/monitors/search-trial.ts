import { backtestSearch } from '../../../monitors/backtest/backtest-search.ts'
import { previewSearch } from '../../../monitors/preview/preview-search.ts'
import { SerpBacktest, SerpBacktestRequest } from '../../../schema/serp/serp-backtest.ts'
import { SerpPreview } from '../../../schema/serp/serp-check.ts'
import { SerpMonitorPreview, type SerpMonitorSpec } from '../../../schema/serp/serp-monitor.ts'
import { later } from '../../http/common-errors.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ById, ok, route } from '../../http/route.ts'

export const previewSearchRoute = route({
  method: 'POST',
  path: '/v1/serp-monitors/preview',
  summary: 'Try a search without creating a monitor',
  description:
    'Makes the search now, as a check would, and returns the results. Only `keyword` is needed; the other keys are ' +
    'those of a create. Nothing is stored and nothing is delivered. It uses one run for each page. One that fails ' +
    'also gets 200: `status` is `error`, with `error_code` and `error_message`. While the engine is left alone, or ' +
    'other searches of it do not end in time, it fails so, and uses no run.',
  tag: 'SERP monitors',
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

export const backtestSearchRoute = route({
  method: 'POST',
  path: '/v1/serp-monitors/:id/backtest',
  summary: 'Try when a search would have fired on its stored results',
  description:
    'Returns which of the stored runs whose results differ would have fired, and why. A key that is absent is that ' +
    'of the monitor. Each run is compared with the one before of the same source and with as many pages. Checks ' +
    'without all their pages are left out. Nothing is stored and nothing is sent.',
  tag: 'SERP monitors',
  policy: 'runs.read',
  work: 'backtest',
  params: ById,
  body: SerpBacktestRequest,
  answers: { 200: { description: 'The result for each stored run.', schema: SerpBacktest } },
  beyond: true,
  async handle({ params, body, principal: { teamId }, signal, services: { store } }) {
    const { backtest } = doneOf(await backtestSearch(store, { teamId, id: params.id, asked: body, signal }))
    return ok(backtest)
  },
})
