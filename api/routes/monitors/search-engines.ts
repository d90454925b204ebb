import { SerpEngines } from '../../../schema/serp/serp-engine.ts'
import { SERP_ENGINES } from '../../../schema/serp/serp-search.ts'
import { listRefusals } from '../../../store/queue/search-exits.ts'
import { ok, route } from '../../http/route.ts'

/** The route of the state of the search engines. */
export const searchEnginesRoute = route({
  method: 'GET',
  path: '/v1/serp-engines',
  summary: 'List the search engines, with which are left alone after a refusal',
  description: 'An engine that refuses is left alone by the whole installation, whichever team asked.',
  tag: 'SERP monitors',
  policy: 'monitors.read',
  answers: { 200: { description: 'The engines.', schema: SerpEngines } },
  beyond: true,
  async handle({ services: { store } }) {
    const refused = new Map((await listRefusals(store)).map((row) => [row.engine, row]))
    return ok({
      data: SERP_ENGINES.map((engine) => ({
        engine,
        left_alone_until: refused.get(engine)?.left_alone_until ?? null,
        refusals: refused.get(engine)?.refusals ?? 0,
      })),
    })
  },
})
