import { publicRoute, type Route } from '../http/route.ts'
import { pageAnswer } from './page-answer.ts'

const page = pageAnswer({
  title: 'Tidemark is running',
  lines: [
    'It watches pages, APIs, feeds and search results, and tells what changed.',
    'Monitors are made on the command line, by manifests, or over the API. The documentation shows each of them.',
  ],
  links: [
    { href: '/docs/quickstart', text: 'Quickstart: your first change' },
    { href: '/docs', text: 'Documentation' },
    { href: '/docs/api', text: 'Try the API' },
  ],
})

/** What a browser shows that opens the address which a start prints. */
export const welcomePage: Route = publicRoute({
  method: 'GET',
  path: '/',
  summary: 'Page: where the documentation is',
  tag: 'Documentation',
  policy: 'public',
  answers: { 200: { description: 'A page.', only: 'text/html' } },
  handle: async () => page,
})
