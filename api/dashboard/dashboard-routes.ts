import { join } from 'node:path'
import Type from 'typebox'
import { PAGES } from '../../schema/account/pages.ts'
import { RESOURCE_KINDS } from '../../schema/resource-kind.ts'
import { Closed, Text } from '../../schema/shape/shape.ts'
import { apiError } from '../http/api-error.ts'
import { redirect } from '../http/redirect.ts'
import { publicRoute, type PublicCall, type Route } from '../http/route.ts'
import { sentFile } from '../http/sent-file.ts'
import { pageAnswer } from '../pages/page-answer.ts'
import { pageSession } from '../pages/page-session.ts'
import { statusRoutes } from '../status/status-routes.ts'
import { BuiltFiles } from './built-files.ts'

const BUILT = join(import.meta.dirname, '../../dashboard/dist')

/**
 * What the pages of the dashboard may do: run, show and ask what this service serves. Nothing inline, nothing made from
 * text. React Aria empties its live region by `innerHTML`: the one policy of trusted types accepts the empty text.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; font-src 'none'; " +
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; " +
  "require-trusted-types-for 'script'; trusted-types default"

const GUARD = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
}

/** The screens. Links in messages lead to those of runs. */
const SCREENS: readonly string[] = [
  '/',
  '/changes',
  '/deliveries',
  '/deliveries/:id',
  '/searches',
  '/searches/keyword',
  '/new',
  '/new/search',
  '/team',
  '/keys',
  '/audit',
  '/status-pages',
  '/status-pages/:id',
  '/usage',
  '/account',
  ...Object.values(RESOURCE_KINDS).flatMap(({ collection }) => [
    `/${collection}/:id`,
    `/${collection}/:id/edit`,
    `/${collection}/:id/runs/:run`,
  ]),
]

const shared = {
  method: 'GET',
  tag: 'Dashboard',
  policy: 'public',
  answers: { 200: { description: 'The page of the dashboard.', only: 'text/html' } },
} as const
const Name = Text(0, 200)
/** How often an address is answered with a screen in a minute: each looks at the session. */
const SCREENS_PER_MINUTE = 600

/**
 * The dashboard, as it was built into `folder`: one page for all screens, and the files that it loads. With it come the
 * status pages for everybody, which are made there.
 */
export function dashboardRoutes(folder = BUILT): readonly Route[] {
  const files = new BuiltFiles(folder)
  const screens = SCREENS.map((path) =>
    publicRoute({
      ...shared,
      path,
      perAddress: SCREENS_PER_MINUTE,
      summary: `Page: the dashboard at ${path}`,
      params: Closed(Object.fromEntries(Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => [name, Name]))),
      // What the list is filtered by is the affair of the page.
      query: Type.Unsafe<Query>({ type: 'object' }),
      async handle(call) {
        const built = await files.read()
        if (built === null) return NOT_BUILT
        // Who is not signed in is sent to the sign-in, which leads back to the same screen.
        if ((await pageSession(call)) === null) return redirect(signInPath(path, call))
        return sentFile(built.page, call.headers, { ...GUARD, 'cache-control': 'private, no-cache' })
      },
    }),
  )
  return [
    ...screens,
    ...statusRoutes,
    publicRoute({
      ...shared,
      path: '/assets/:build/:file',
      summary: 'A file of the dashboard',
      params: Closed({ build: Name, file: Name }),
      answers: { 200: { description: 'The file.', only: 'text/javascript' } },
      async handle(call) {
        const { build, file } = call.params
        const found = (await files.read())?.assets.get(`${build}/${file}`)
        if (!found) throw apiError('NOT_FOUND', 'This file is of another version. Load the page again.')
        return sentFile(found, call.headers, { ...GUARD, 'cache-control': 'public, max-age=31536000, immutable' })
      },
    }),
  ]
}

type Query = Readonly<Record<string, string>>

function signInPath(path: string, call: PublicCall<unknown, Query, unknown>): string {
  const params = call.params as Readonly<Record<string, string>>
  const own = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const query = new URLSearchParams(call.query).toString()
  return `${PAGES.signIn}?next=${encodeURIComponent(own + (query && `?${query}`))}`
}

const NOT_BUILT = pageAnswer({
  title: 'Tidemark is running, without its dashboard',
  lines: [
    'The files of the dashboard are missing here. In a clone, the packages were installed without scripts, or ' +
      'without those for development: npm ci installs all and builds the dashboard, and npm run prepare only builds ' +
      'it. The package of npm and the images come with these files: install the package or fetch the image again.',
  ],
  links: [
    { href: '/docs', text: 'Documentation' },
    { href: '/docs/api', text: 'Try the API' },
  ],
})
