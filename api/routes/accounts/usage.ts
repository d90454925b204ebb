import { UsageDays, UsageDaysQuery, UsageMonitors, UsageMonitorsQuery } from '../../../schema/account/usage-days.ts'
import { Usage } from '../../../schema/account/usage.ts'
import { readUsageDays, readUsageMonitors } from '../../../store/quota/usage-days.ts'
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

export const getUsageDaysRoute = route({
  method: 'GET',
  path: '/v1/usage/days',
  summary: 'Read what was used on each of the last days',
  description:
    'Counted once an hour: the present day is up to an hour behind, and an hour around midnight is of either.',
  tag: 'Usage',
  policy: 'usage.read',
  query: UsageDaysQuery,
  answers: { 200: { description: 'The days.', schema: UsageDays } },
  beyond: true,
  async handle({ query: { days = 30 }, principal, services: { store } }) {
    const { data, since } = await readUsageDays(store, principal.teamId, days)
    return ok({ data: [...data], known_from: since })
  },
})

export const getUsageMonitorsRoute = route({
  method: 'GET',
  path: '/v1/usage/monitors',
  summary: 'List the monitors that use most runs of the period',
  description:
    'Since `from`, which is up to an hour behind the beginning of the period. Each check counts at what it costs ' +
    'now, also one that was skipped or refused, for which no run is taken.',
  tag: 'Usage',
  policy: 'usage.read',
  query: UsageMonitorsQuery,
  answers: { 200: { description: 'The monitors.', schema: UsageMonitors } },
  beyond: true,
  handle: async ({ query: { limit = 10 }, principal, services: { store } }) =>
    ok(await readUsageMonitors(store, principal.teamId, limit)),
})
