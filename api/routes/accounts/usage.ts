import { Usage } from '../../../schema/account/usage.ts'
import { readUsage } from '../../../store/quota/usage-summary.ts'
import { ok, route } from '../../http/route.ts'

export const getUsageRoute = route({
  method: 'GET',
  path: '/v1/usage',
  summary: 'Read the usage summary',
  description: "The team's usage in the current period of its plan.",
  tag: 'Usage',
  policy: 'usage.read',
  answers: { 200: { description: 'The summary.', schema: Usage } },
  handle: async ({ principal, services: { store } }) => ok(await readUsage(store, principal.teamId)),
})
