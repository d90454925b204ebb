import { monitorIssues } from '../../../monitors/check/monitor-issues.ts'
import { extractLook } from '../../../monitors/looks/extract-look.ts'
import { findCandidates } from '../../../monitors/looks/find-candidates.ts'
import { lookAtPage } from '../../../monitors/looks/look-at-page.ts'
import { lookIssues } from '../../../monitors/looks/look-issues.ts'
import { LookCandidates, LookPoint } from '../../../schema/monitor/look-candidates.ts'
import { Look, LookExtract, LookExtracted, LookRequest } from '../../../schema/monitor/look.ts'
import { later } from '../../http/common-errors.ts'
import { doneOf } from '../../http/outcome-error.ts'
import { ById, ok, route } from '../../http/route.ts'

export const lookRoute = route({
  method: 'POST',
  path: '/v1/looks',
  summary: 'Look at a page, to point at what a monitor shall read',
  description:
    'Fetches the page directly and renders it in a browser, as a run would, and returns a picture with the elements ' +
    'that it shows. A page with `request_config` is only fetched. The look is kept for 15 minutes, with both ' +
    'documents, and then deleted with its picture. One run is used, and no picture. A page that fails also gets ' +
    '200: `documents` says why. Looks share the slots of previews: one process runs at most two per team and four ' +
    'in total at a time. If all slots are taken, the response is 429 `RATE_LIMIT_EXCEEDED` with `Retry-After`. A ' +
    'refused request uses no run.',
  tag: 'Monitors',
  policy: 'monitors.write',
  work: 'preview',
  beyond: true,
  body: LookRequest,
  bodyLimit: 'configuration',
  defaults: true,
  review: (body, known, { egress }) => lookIssues(body, known, egress),
  answers: { 200: { description: 'What the page shows.', schema: Look } },
  async handle({ body, principal: { teamId }, services }) {
    const { store, secrets, objects, previews, imageLinks } = services
    if (!previews) throw later('This process makes no looks.')
    const ports = { store, secrets, objects, previews, extractor: previews.extractor }
    const outcome = await lookAtPage(ports, { teamId, asked: body })
    const { look, imageId, nowMs, expiresMs } = doneOf(outcome)
    const picture = imageId === null ? null : imageLinks.sign(teamId, imageId, nowMs, (expiresMs - nowMs) / 1000)
    return ok({ ...look, picture, expires_at: new Date(expiresMs).toISOString() } satisfies Look)
  },
})

export const extractLookRoute = route({
  method: 'POST',
  path: '/v1/looks/:id/extract',
  summary: 'Try rules on the documents of a look',
  description:
    'Returns the values that a run would store, of the document as it was fetched and as it was rendered, and for ' +
    '`css` and `xpath` how many elements each rule matches and which of them the look lists. Nothing is fetched, no ' +
    'run is used, and no model is asked: `prompt` is 422. A look that is no longer kept is 404: look again.',
  tag: 'Monitors',
  policy: 'monitors.write',
  work: 'look_extract',
  beyond: true,
  params: ById,
  body: LookExtract,
  bodyLimit: 'configuration',
  review: (body, known, { egress }) => monitorIssues(body, known, egress),
  answers: { 200: { description: 'The values of each document.', schema: LookExtracted } },
  async handle({ params, body, principal: { teamId }, signal, left, services }) {
    const { store, secrets, previews, openedLooks } = services
    const ports = { store, secrets, openedLooks, extractor: previews?.extractor, signal: signal ?? left }
    const wanted = { teamId, id: params.id, config: body.extract_config }
    const outcome = await extractLook(ports, wanted)
    if (outcome.kind === 'no_extractor') throw later('This process makes no looks.')
    return ok(doneOf(outcome).extracted)
  },
})

export const lookCandidatesRoute = route({
  method: 'POST',
  path: '/v1/looks/:id/candidates',
  summary: 'Find rules for an element of a look',
  description:
    'Returns the rules that read the element, best first. Each is tried: it is offered only if the first match in ' +
    'the rendered document is this element. Nothing is fetched, and no run is used. An element that no rule reads is ' +
    '422 with the reason.',
  tag: 'Monitors',
  policy: 'monitors.write',
  work: 'look_extract',
  beyond: true,
  params: ById,
  body: LookPoint,
  answers: { 200: { description: 'The rules.', schema: LookCandidates } },
  async handle({ params, body, principal: { teamId }, signal, left, services }) {
    const { store, secrets, previews, openedLooks } = services
    const ports = { store, secrets, openedLooks, extractor: previews?.extractor, signal: signal ?? left }
    const outcome = await findCandidates(ports, { teamId, id: params.id, point: body })
    if (outcome.kind === 'no_extractor') throw later('This process makes no looks.')
    return ok(doneOf(outcome).candidates)
  },
})
