import {
  createStatusPage,
  deleteStatusPage,
  editStatusPage,
  hideStatusPage,
  showStatusPage,
  statusPageTag,
} from '../../accounts/status-pages.ts'
import {
  MAX_STATUS_PAGES,
  StatusPage,
  StatusPageCreate,
  StatusPagePatch,
  StatusPagePublish,
  StatusPages,
} from '../../schema/status/status-page.ts'
import { previewOfPage } from '../../store/status/public-pages.ts'
import { findStatusPage, listStatusPages } from '../../store/status/status-pages.ts'
import { permits } from '../auth/policies.ts'
import { noSuch } from '../http/common-errors.ts'
import { readIfMatch } from '../http/if-match.ts'
import { doneOf } from '../http/outcome-error.ts'
import { type Answer, ById, created, noContent, ok, type Route, route } from '../http/route.ts'
import { shownStatusPage } from '../presenters/status-page.ts'
import type { Services } from '../services.ts'
import { previewHtml, STATUS_HEADERS } from '../status/status-html.ts'

const tag = 'Status pages'
const whole = { 200: { description: 'The status page.', schema: StatusPage } }

/** Routes of the status pages of a team. */
export const statusPageRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/status-pages',
    summary: 'List the status pages of the team, the oldest first',
    tag,
    policy: 'monitors.read',
    answers: { 200: { description: 'All of them.', schema: StatusPages } },
    beyond: true,
    async handle({ principal: { teamId }, services: { store, baseUrl } }) {
      const stored = await listStatusPages(store, teamId)
      return ok({ data: stored.map((page) => shownStatusPage(page, baseUrl)) })
    },
  }),
  route({
    method: 'POST',
    path: '/v1/status-pages',
    summary: 'Make a status page, which is not published yet',
    description: `A team can have ${MAX_STATUS_PAGES}. One more, and a slug that is taken, is a CONFLICT.`,
    tag,
    policy: 'monitors.write',
    bodyLimit: 'statusPage',
    body: StatusPageCreate,
    defaults: true,
    answers: { 201: { description: 'The status page.', schema: StatusPage } },
    refusals: ['CONFLICT'],
    beyond: true,
    async handle({ principal: { teamId }, actor, body, services }) {
      const { id } = doneOf(await createStatusPage(services, { teamId, actor, wanted: body }))
      return created(await pageOf(services, teamId, id))
    },
  }),
  route({
    method: 'GET',
    path: '/v1/status-pages/:id',
    summary: 'Get a status page',
    tag,
    policy: 'monitors.read',
    params: ById,
    answers: whole,
    beyond: true,
    sendsTag: true,
    handle: async ({ principal: { teamId }, params: { id }, services }) => answerOf(services, teamId, id),
  }),
  route({
    method: 'PATCH',
    path: '/v1/status-pages/:id',
    summary: 'Change a status page',
    description:
      'Keys that are absent stay as they are. A page that is published can be changed by those who may publish. ' +
      'With the slug null it gets another random address, and the old one leads nowhere.',
    tag,
    policy: 'monitors.write',
    params: ById,
    bodyLimit: 'statusPage',
    body: StatusPagePatch,
    answers: whole,
    refusals: ['CONFLICT'],
    beyond: true,
    sendsTag: true,
    takesTag: true,
    async handle({ principal, actor, params: { id }, body, headers, services }) {
      const { teamId } = principal
      const seen = readIfMatch(headers['if-match'])
      const mayPublish = permits('status.publish', principal)
      forget(services, doneOf(await editStatusPage(services, { teamId, actor, id, patch: body, mayPublish, seen })))
      return answerOf(services, teamId, id)
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/status-pages/:id',
    summary: 'Delete a status page, also one that is published',
    tag,
    policy: 'monitors.write',
    params: ById,
    answers: { 204: { description: 'It is deleted.' } },
    refusals: ['CONFLICT'],
    beyond: true,
    takesTag: true,
    async handle({ principal: { teamId }, actor, params: { id }, headers, services }) {
      const seen = readIfMatch(headers['if-match'])
      forget(services, doneOf(await deleteStatusPage(services, { teamId, actor, id, seen })))
      return noContent()
    },
  }),
  route({
    method: 'POST',
    path: '/v1/status-pages/:id/publish',
    summary: 'Publish a status page: everybody can see it',
    tag,
    policy: 'status.publish',
    params: ById,
    body: StatusPagePublish,
    bodyOptional: true,
    answers: whole,
    sendsTag: true,
    refusals: ['CONFLICT'],
    beyond: true,
    async handle({ principal: { teamId, userId }, actor, params: { id }, body, services }) {
      const seenAt = body.updated_at
      forget(services, doneOf(await showStatusPage(services, { teamId, userId, actor, id, seenAt })))
      return answerOf(services, teamId, id)
    },
  }),
  route({
    method: 'POST',
    path: '/v1/status-pages/:id/unpublish',
    summary: 'Take a status page back: only the team sees it',
    description: 'It is gone within half a minute, when no cache has it any more.',
    tag,
    policy: 'monitors.write',
    params: ById,
    answers: whole,
    sendsTag: true,
    beyond: true,
    async handle({ principal: { teamId }, actor, params: { id }, services }) {
      forget(services, doneOf(await hideStatusPage(services, { teamId, actor, id })))
      return answerOf(services, teamId, id)
    },
  }),
  route({
    method: 'GET',
    path: '/v1/status-pages/:id/preview',
    summary: 'Show a status page as everybody would see it',
    tag,
    policy: 'monitors.read',
    params: ById,
    answers: { 200: { description: 'The page.', only: 'text/html' } },
    beyond: true,
    async handle({ principal: { teamId }, params: { id }, services: { store } }): Promise<Answer> {
      const page = await previewOfPage(store, teamId, id)
      if (!page) throw noSuch('status_page')
      const headers = { ...STATUS_HEADERS, 'cache-control': 'no-store', 'x-robots-tag': 'noindex' }
      return { status: 200, text: { type: 'text/html', content: previewHtml(page) }, headers }
    },
  }),
]

/** The pages of other slugs are kept as they are: an edit by one team costs the visitors of others nothing. */
function forget({ statusPages }: Services, { slugs }: { readonly slugs: readonly string[] }): void {
  for (const slug of slugs) statusPages.forget(slug)
}

/** Returns the answer with a status page and its entity tag. */
async function answerOf(services: Pick<Services, 'store' | 'baseUrl'>, teamId: string, id: string): Promise<Answer> {
  const page = await pageOf(services, teamId, id)
  return { ...ok(page), headers: { etag: statusPageTag(page) } }
}

async function pageOf({ store, baseUrl }: Pick<Services, 'store' | 'baseUrl'>, teamId: string, id: string) {
  const stored = await findStatusPage(store, teamId, id)
  if (!stored) throw noSuch('status_page')
  return shownStatusPage(stored, baseUrl)
}
