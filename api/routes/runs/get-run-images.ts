import { RunImages } from '../../../schema/run/run-images.ts'
import { runIdMonitor } from '../../../core/run-id.ts'
import { findRunImages } from '../../../store/images/run-images.ts'
import { apiError } from '../../http/api-error.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'

export const getRunImagesRoute = route({
  method: 'GET',
  path: '/v1/run-images/:id',
  summary: 'See what a run saw',
  description:
    'Of a run whose monitor has the visual layer: the pictures of its regions, those before, and what changed. ' +
    'The addresses are good for five minutes.',
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
