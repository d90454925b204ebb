import Type from 'typebox'
import { runIdTime } from '../../../core/run-id.ts'
import { type VisualHistoryItem as Item, VisualHistoryItem } from '../../../schema/run/run-images.ts'
import { Closed, Whole } from '../../../schema/shape/shape.ts'
import { listRunImages } from '../../../store/images/run-images.ts'
import { noSuch } from '../../http/outcome-error.ts'
import { ok, route } from '../../http/route.ts'
import { ById } from '../by-id.ts'

const MOST = 20

export const listVisualHistoryRoute = route({
  method: 'GET',
  path: '/v1/monitors/:id/visual-history',
  summary: "List what a monitor's runs saw, newest first",
  description: 'The runs that took pictures. The addresses are good for five minutes.',
  tag: 'Monitors',
  policy: 'runs.read',
  params: ById,
  query: Closed({ limit: Type.Optional(Whole(1, MOST, { default: MOST })) }),
  answers: {
    200: { description: 'The newest.', schema: Closed({ data: Type.Array(VisualHistoryItem, { maxItems: MOST }) }) },
  },
  async handle({ params, query: { limit = MOST }, principal: { teamId }, services: { store, imageLinks } }) {
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
