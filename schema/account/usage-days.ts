import Type, { type Static } from 'typebox'
import { MONITOR_KINDS } from '../resource-kind.ts'
import { Choice, Closed, Instant, Text, Uuid, Whole } from '../shape/shape.ts'

/** Days that are kept. */
export const MAX_USAGE_DAYS = 400
/** Most monitors that are listed. */
const MAX_USAGE_MONITORS = 100

const Count = (description: string) => Type.Integer({ minimum: 0, description })

const UsageDay = Closed({
  day: Text(10, 10, 'The day in UTC, as 2026-05-24.'),
  runs: Count('Runs out of the pool of runs.'),
  visual_runs: Count('Runs out of the pool of visual runs, where there is one.'),
  serp_runs: Count('Runs out of the pool of searches, where there is one.'),
  credit_runs: Count('Runs that credits paid for.'),
  llm_calls: Count('Calls of the model.'),
  picture_bytes: Count('Bytes of pictures that were stored.'),
  proxy_bytes: Count('Bytes that were transferred through the proxy.'),
})
export type UsageDay = Static<typeof UsageDay>

/** Query parameters of `GET /v1/usage/days`. */
export const UsageDaysQuery = Closed({
  days: Type.Optional(Whole(1, MAX_USAGE_DAYS, { default: 30, description: 'How many days, up to today.' })),
})

/** Response of `GET /v1/usage/days`. */
export const UsageDays = Closed({
  data: Type.Array(UsageDay, { maxItems: MAX_USAGE_DAYS, description: 'The oldest first, each day once.' }),
  known_from: Instant('Since when days are counted. What was used before is in none.'),
})
export type UsageDays = Static<typeof UsageDays>

/** Query parameters of `GET /v1/usage/monitors`. */
export const UsageMonitorsQuery = Closed({
  limit: Type.Optional(Whole(1, MAX_USAGE_MONITORS, { default: 10, description: 'How many monitors.' })),
})

/** Response of `GET /v1/usage/monitors`. */
export const UsageMonitors = Closed({
  data: Type.Array(
    Closed({
      id: Uuid(),
      kind: Choice(MONITOR_KINDS),
      name: Text(1, 200),
      runs: Count('Runs since `from`, at the cost that one has now.'),
    }),
    { maxItems: MAX_USAGE_MONITORS, description: 'The monitors that use most runs, the first uses most.' },
  ),
  others: Count('Runs of all other monitors.'),
  from: Instant('The beginning of the period, or when counting began in it.'),
})
export type UsageMonitors = Static<typeof UsageMonitors>
