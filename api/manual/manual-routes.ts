import Type from 'typebox'
import { Closed, Text } from '../../schema/shape/shape.ts'
import { acceptsGzip } from '../http/accepts-gzip.ts'
import { isKnown } from '../http/is-known.ts'
import { type Answer, okText, publicRoute, type PublicCall, type Route } from '../http/route.ts'
import { pageAnswer } from '../pages/page-answer.ts'
import type { readManual } from './manual.ts'

// Read by the first request, and kept: the files belong to the program, and do not change while it runs. So a server
// whose pages nobody reads does not load what renders them.
let manual: ReturnType<typeof readManual> | undefined

const readOnce = () =>
  (manual ??= import('./manual.ts')
    .then((module) => module.readManual())
    .catch((error: unknown) => {
      manual = undefined
      throw error
    }))

const guardedBy = (policy: string) => ({
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
})

async function answerOf(address: string, { headers }: Pick<PublicCall<unknown, unknown, unknown>, 'headers'>) {
  const file = (await readOnce()).files.get(address)
  if (!file) return notFound
  const shared = {
    etag: file.etag,
    vary: 'accept-encoding',
    // Kept by browsers and proxies, and asked for again at each use, so that an upgrade shows at once.
    'cache-control': 'public, no-cache',
    ...guardedBy(file.policy),
  }
  if (isKnown(headers['if-none-match'], file.etag)) return { status: 304, headers: shared } satisfies Answer
  const isCompressed = acceptsGzip(headers)
  const type = file.type === 'image/png' ? file.type : `${file.type}; charset=utf-8`
  return {
    status: 200,
    bytes: { type, content: isCompressed ? file.compressed : file.content },
    headers: isCompressed ? { ...shared, 'content-encoding': 'gzip' } : shared,
  } satisfies Answer
}

const notFound = pageAnswer(
  {
    title: 'No such page',
    lines: ['The documentation has no page at this address.'],
    links: [{ href: '/docs', text: 'All pages' }],
  },
  404,
)

const shared = {
  method: 'GET',
  tag: 'Documentation',
  policy: 'public',
  answers: { 200: { description: 'A page.', only: 'text/html' } },
} as const
const Name = Text(0, 200)
const SEARCHES_PER_MINUTE = 60

/** The documentation, for everybody who reaches the API. */
export const manualRoutes: readonly Route[] = [
  publicRoute({
    ...shared,
    path: '/docs',
    summary: 'Page: the table of contents',
    handle: (call) => answerOf('/docs', call),
  }),
  publicRoute({
    ...shared,
    path: '/docs/search',
    summary: 'Page: a search in the documentation',
    query: Type.Object({ q: Type.Optional(Type.String()) }),
    perAddress: SEARCHES_PER_MINUTE,
    async handle({ query: { q = '' } }) {
      const { html, policy } = (await readOnce()).search(q)
      return { ...okText('text/html', html), headers: guardedBy(policy) }
    },
  }),
  publicRoute({
    ...shared,
    path: '/docs/:page',
    summary: 'Page: a page',
    params: Closed({ page: Name }),
    handle: (call) => answerOf(`/docs${call.params.page === '' ? '' : `/${call.params.page}`}`, call),
  }),
  publicRoute({
    ...shared,
    path: '/docs/:folder/:page',
    summary: 'Page: a page of a folder',
    params: Closed({ folder: Name, page: Name }),
    handle: (call) => answerOf(`/docs/${call.params.folder}/${call.params.page}`, call),
  }),
]
