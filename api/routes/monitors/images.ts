import Type from 'typebox'
import { runIdMonitor, runIdTime } from '../../../core/run-id.ts'
import { RunImages, VisualHistoryItem, type VisualHistoryItem as Item } from '../../../schema/run/run-images.ts'
import { Closed, Text, Whole } from '../../../schema/shape/shape.ts'
import { findImage, imageName } from '../../../store/images/images.ts'
import { findRunImages, listRunImages } from '../../../store/images/run-images.ts'
import { ObjectStoreError } from '../../../store/objects/object-store.ts'
import { apiError } from '../../http/api-error.ts'
import { noSuch } from '../../http/common-errors.ts'
import { unavailable } from '../../http/fault.ts'
import { type Answer, ById, ok, publicRoute, route } from '../../http/route.ts'

const MAX_LISTED = 20

export const listVisualHistoryRoute = route({
  method: 'GET',
  path: '/v1/monitors/:id/visual-history',
  summary: "List the pictures of a monitor's runs, newest first",
  description: 'Only runs that took pictures. The addresses are valid for five minutes.',
  tag: 'Monitors',
  policy: 'runs.read',
  params: ById,
  query: Closed({ limit: Type.Optional(Whole(1, MAX_LISTED, { default: MAX_LISTED })) }),
  answers: {
    200: {
      description: 'The newest runs with pictures.',
      schema: Closed({ data: Type.Array(VisualHistoryItem, { maxItems: MAX_LISTED }) }),
    },
  },
  async handle({ params, query: { limit = MAX_LISTED }, principal: { teamId }, services: { store, imageLinks } }) {
    const rows = await listRunImages(store, { teamId, monitorId: params.id, limit })
    if (!rows) throw noSuch('monitor')
    const data = rows.map((found): Item => ({
      run_id: found.run_id,
      started_at: new Date(runIdTime(found.run_id) + found.start_offset_ms).toISOString(),
      change_pct: found.change_pct,
      has_changes: found.has_changes,
      thumb_url: imageLinks.sign(teamId, found.thumb_id, found.now_ms),
    }))
    return ok({ data })
  },
})

export const getRunImagesRoute = route({
  method: 'GET',
  path: '/v1/run-images/:id',
  summary: 'Read the pictures of a run',
  description:
    'For a run whose monitor has the visual layer: the pictures of its regions, the pictures before, and the ' +
    'differences. The addresses are valid for five minutes.',
  tag: 'Runs',
  policy: 'runs.read',
  params: ById,
  answers: { 200: { description: 'The pictures.', schema: RunImages } },
  async handle({ params, principal: { teamId }, services: { store, imageLinks } }) {
    const found = await findRunImages(store, { teamId, no: runIdMonitor(params.id), runId: params.id })
    if (!found) throw apiError('NOT_FOUND', 'There are no pictures of such a run.')
    const link = (imageId: string) => imageLinks.sign(teamId, imageId, found.now_ms)
    const images: RunImages = {
      kind: 'visual',
      aggregateChangePct: found.change_pct,
      hasChanges: found.has_changes,
      regions: found.regions.map(({ label, pct, before, after, diff }, regionIndex) => ({
        regionIndex,
        label,
        changedPct: pct,
        hasChanges: diff !== null,
        beforeUrl: before === null ? null : link(before),
        afterUrl: link(after),
        diffUrl: diff === null ? null : link(diff),
      })),
    }
    return ok(images)
  },
})

/** A page of history shows twenty pictures, and a person opens several pages. */
const PER_MINUTE = 1200

export const getImageRoute = publicRoute({
  method: 'GET',
  path: '/v1/images/:token',
  summary: 'Read a picture by its signed address',
  description:
    "The address comes from a run's pictures or a visual history, and is the credential: anyone who has it " +
    'can read this one picture for five minutes.',
  tag: 'Runs',
  policy: 'public',
  perAddress: PER_MINUTE,
  params: Closed({ token: Text(1, 200) }),
  answers: { 200: { description: 'The picture.', only: 'image/png' } },
  refusals: ['FORBIDDEN'],
  beyond: true,
  async handle({ params, services }): Promise<Answer> {
    const { store, objects, imageLinks } = services
    const signed = imageLinks.read(params.token)
    if (!signed) throw refused()
    const found = await findImage(store, { ...signed, id: signed.imageId })
    if (found && !found.is_current) throw refused()
    if (!objects) throw apiError('UNAVAILABLE', 'This process has no object store.')
    if (!found) throw gone()
    const { teamId, imageId } = signed
    const read = async () => {
      const content = await objects.get(imageName(teamId, imageId)).catch(away)
      if (!content) throw gone()
      return content
    }
    return { status: 200, picture: { type: 'image/png', teamId, bytes: found.bytes, read }, headers: HEADERS }
  },
})

const gone = () => apiError('NOT_FOUND', 'There is no such picture any more.')

/** A wrong address and an expired one get the same response. */
const refused = () => apiError('FORBIDDEN', 'This address is not signed by us, or its time is over. Ask for a new one.')

/** The content can run no script, even when somebody opens the address itself. */
const HEADERS = {
  'cache-control': 'private, max-age=60',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
}

function away(error: unknown): never {
  throw error instanceof ObjectStoreError ? unavailable(error) : error
}
