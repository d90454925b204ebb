import { MonitorCreate, type MonitorSpec } from '../../../schema/monitor/monitor.ts'
import { Preview } from '../../../schema/monitor/preview.ts'
import type { PreviewLimit } from '../../../worker/previews/previews.ts'
import { monitorQueue } from '../../../core/check-queue.ts'
import { spendRun } from '../../../store/quota/spend-run.ts'
import { ApiError, apiError } from '../../http/api-error.ts'
import { ok, route } from '../../http/route.ts'
import { monitorIssues } from '../../../monitors/check/monitor-issues.ts'
import { refuseDeliveriesOverCap } from './refuse-configuration.ts'

const RETRY_SECONDS = '5'

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
    if (!previews) throw unavailable('This process makes no previews.')
    // The frame has filled in every default: the body is whole.
    const spec = body as MonitorSpec
    await refuseDeliveriesOverCap(store, teamId, spec)
    const place = previews.enter(teamId)
    if (place.kind === 'limit') throw busy(place)
    try {
      const paid = await spendRun(store, teamId, monitorQueue(spec) === 'visual' ? 'visual' : 'runs')
      if (paid.kind === 'used_up')
        throw apiError('RUN_LIMIT_REACHED', "The month's runs and the run credits are used up.", [paid.quota])
      const shown = await place.run(spec)
      if (!shown) throw unavailable('The service is stopping. Try again in a moment.')
      return ok(shown)
    } finally {
      place.leave()
    }
  },
})

const unavailable = (message: string) => new ApiError('UNAVAILABLE', message, { headers: { 'retry-after': '2' } })

const busy = ({ of, limit }: PreviewLimit) =>
  new ApiError(
    'RATE_LIMIT_EXCEEDED',
    `At most ${limit} previews ${of === 'team' ? 'of a team' : 'of all teams'} run at once in one process, and so ` +
      `many are running. Try again in ${RETRY_SECONDS} s.`,
    { headers: { 'retry-after': RETRY_SECONDS } },
  )
