import { isPageSlug } from '../../schema/rules/status-rules.ts'
import { Closed, Text } from '../../schema/shape/shape.ts'
import { STATUS_LIMITS } from '../../schema/status/status-limits.ts'
import { MAX_SLUG } from '../../schema/status/status-page.ts'
import { apiError } from '../http/api-error.ts'
import { later } from '../http/common-errors.ts'
import { type Answer, publicRoute, type PublicCall, type Route } from '../http/route.ts'
import { sentFile } from '../http/sent-file.ts'
import { feedAddress, statusAddress } from './status-address.ts'
import { STATUS_HEADERS } from './status-html.ts'
import type { StatusPart } from './status-pages.ts'

const shared = {
  method: 'GET',
  tag: 'Status pages',
  policy: 'public',
  perAddress: STATUS_LIMITS.perMinute,
  countedAs: 'status pages',
  isCountedHere: true,
  params: Closed({ slug: Text(1, MAX_SLUG) }),
} as const

/** The status pages for everybody. They read no cookie. */
export const statusRoutes: readonly Route[] = [
  publicRoute({
    ...shared,
    path: statusAddress(':slug'),
    summary: 'Page: the states of some monitors',
    answers: { 200: { description: 'The page.', only: 'text/html' } },
    handle: (call) => answerOf(call, 'page'),
  }),
  publicRoute({
    ...shared,
    path: feedAddress(':slug'),
    summary: 'The changes of a status page as RSS',
    answers: { 200: { description: 'The feed.', only: 'application/rss+xml' } },
    handle: (call) => answerOf(call, 'feed'),
  }),
]

type Call = Pick<PublicCall<{ readonly slug: string }, unknown, unknown>, 'params' | 'services' | 'headers'>

async function answerOf({ params: { slug }, services, headers: asked }: Call, part: StatusPart): Promise<Answer> {
  // What no page can have as its slug takes no place in a round.
  const file = isPageSlug(slug) ? await services.statusPages.find(slug, part) : null
  if (file === 'busy') throw later('The status page cannot be read now. Try again in a moment.')
  if (!file) throw apiError('NOT_FOUND', 'There is no status page at this address.')
  return sentFile(file, asked, {
    ...STATUS_HEADERS,
    'cache-control': `public, max-age=${STATUS_LIMITS.freshMs / 1_000}`,
    ...(!file.isIndexed && { 'x-robots-tag': 'noindex' }),
  })
}
