import type { DiskFull } from '../../core/disk-guard.ts'
import type { PreviewLimit, Unanswered } from '../../monitors/preview/preview-monitor.ts'
import { ApiError, apiError } from './api-error.ts'

export function unanswered({ seconds, of, isBegun }: Unanswered): ApiError {
  const why = (isBegun ? BEGUN : NOT_BEGUN)[of ?? 'page'](seconds)
  const wait = isBegun && of === 'search' ? SEARCH_SECONDS : BUSY_SECONDS
  return new ApiError('UNAVAILABLE', why, { headers: { 'retry-after': wait } })
}

const notBegun = (what: string) => (seconds: number) =>
  `The ${what}, and no runner answered within ${seconds} s. Nothing was used of the plan. Try again ` +
  'in a moment: a runner may be starting. If it stays so, ask whoever runs this installation whether runners work.'
const NOT_BEGUN = {
  page: notBegun('page needs a browser'),
  search: notBegun('search needs a browser and a free exit'),
}

/** A search that is under way keeps its exit until it ends, so another one would wait for it. */
const BEGUN = {
  page: (seconds: number) =>
    `A runner began to render the page, and had not answered after ${seconds} s. Nothing was used of the plan. Try ` +
    'again in a moment: the runner may have begun late. If it stays so, create the monitor: a run has more time.',
  search: (seconds: number) =>
    `A runner makes the search, and had not answered after ${seconds} s. Nothing was used of the plan. The engine is ` +
    'asked nothing else from there until the search ends. Try again in a minute, with fewer pages if it had several, ' +
    'or create the monitor: a run has more time.',
}
const SEARCH_SECONDS = '60'

const BUSY_SECONDS = '5'
export function busy({ of, limit }: PreviewLimit): ApiError {
  const whose = of === 'process' ? 'of all teams' : 'of a team'
  const where = of === 'installation' ? 'wait for a browser at once' : 'run at once in one process'
  return new ApiError(
    'RATE_LIMIT_EXCEEDED',
    `At most ${limit} previews ${whose} ${where}, and so many do. Try again in ${BUSY_SECONDS} s.`,
    { headers: { 'retry-after': BUSY_SECONDS } },
  )
}

export const diskFull = ({ reason }: DiskFull): ApiError =>
  apiError('INSUFFICIENT_STORAGE', `${reason}. Previews wait until there is room again; checks go on.`)
