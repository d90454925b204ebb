import { sql } from 'slonik'
import Type from 'typebox'
import type { Static } from 'typebox'
import { levelOf } from '../../../schema/level.ts'
import type { MessageConfig } from '../../../schema/message/message.ts'
import type { DigestConfig } from '../../../schema/monitor/digest.ts'
import type { QuietHours } from '../../../schema/monitor/quiet-hours.ts'
import { SerpMonitorSpec } from '../../../schema/serp/serp-monitor.ts'
import { SEARCH_RUNS } from '../../queue/record-search.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { kindTable, rowProperties } from './kind-table.ts'
import { identityOf, openDeliveries, Stored, TextOrNull } from './monitor-row.ts'

const OWN = {
  keyword: { schema: Type.String(), type: 'text', isCounted: true },
  engine: { schema: Stored<SerpMonitorSpec['engine']>(), type: 'text' },
  mode: { schema: Stored<SerpMonitorSpec['mode']>(), type: 'text' },
  pages: { schema: Type.Integer(), type: 'int2' },
  location_code: { schema: Type.String(), type: 'text' },
  language_code: { schema: Type.String(), type: 'text' },
  device: { schema: Stored<SerpMonitorSpec['device']>(), type: 'text' },
  target_domain: { schema: TextOrNull, type: 'text', isCounted: true },
  rank_change_threshold: { schema: Type.Union([Type.Integer(), Type.Null()]), type: 'int4' },
  quiet_hours: { schema: Stored<QuietHours | null>(), type: 'json' },
  message: { schema: Stored<MessageConfig | null>(), type: 'json' },
  digest: { schema: Stored<DigestConfig | null>(), type: 'json' },
} as const

const PROPERTIES = rowProperties(OWN, {
  kind: Type.Literal('serp'),
  notify_on: Stored<SerpMonitorSpec['notify_on']>(),
})
const SerpMonitorRow = Type.Object(PROPERTIES)
/** A monitor of a search with the state of its check. */
export type SerpMonitorRow = Static<typeof SerpMonitorRow>

/** Monitors of searches. */
export const SEARCH_TABLE = kindTable<SerpMonitorSpec, typeof PROPERTIES, SerpMonitorRow>(
  {
    kind: 'serp',
    own: OWN,
    hasHeaders: false,
    // Without runs, each check that is due is a skipped run.
    nextRunAt: sql.fragment`c.next_run_at`,
    // Locked where the plan has no SERP and no credits are left (core/machine/plan.ts).
    target: sql.fragment`m.keyword || ' · ' || m.engine`,
    search: sql.fragment`json_build_object('keyword', m.keyword, 'engine', m.engine, 'location_code', m.location_code,
      'language_code', m.language_code, 'device', m.device, 'pages', m.pages, 'target_domain', m.target_domain)`,
    teams: sql.fragment`
      select clock() as at, t.id, t.trial_over or t.serp = 'none' and u.credits = 0 as locked
      from teams t join team_usage u on u.team_id = t.id`,
    runs: SEARCH_RUNS,
    results: {
      // The rank of its target and the number of results in the last check that has any.
      values: sql.fragment`(
        select json_strip_nulls(json_build_object('rank', r.target_rank, 'results', json_array_length(coalesce(
          r.organic_results, (select organic_results from runs f where f.monitor_no = c.no and f.id = r.reading_id)
        ))))
        from runs r where r.monitor_no = c.no and r.status = 'success' order by r.id desc limit 1)`,
      isChange: sql.fragment`(r.fired or r.delivery_triggered)`,
      change: sql.fragment`json_build_object(
        'fields_changed', json_build_array(case m.mode when 'rank_tracking' then 'rank' else 'results' end),
        'before', json_strip_nulls(json_build_object('rank', d.target_rank + d.rank_delta)),
        'after', json_strip_nulls(json_build_object('rank', d.target_rank)))`,
    },
    check: (spec) => ({
      queue: 'serp',
      cost: spec.pages,
      is_isolated: false,
      level: levelOf(SerpMonitorSpec, spec),
    }),
    // A paid run asks for the pages that it was paid with: another number of pages counts from the next one.
    edited: ({ spec: { pages }, changed }) =>
      changed.includes('pages')
        ? [
            sql.fragment`
              cost = case when c.queued_run_id is null and (c.run_id is null or c.is_unpaid) then ${pages}::smallint
                else c.cost end`,
          ]
        : [],
  },
  PROPERTIES,
  serpMonitorSpec,
)

/** Returns the configuration in a row, with its secrets decrypted. */
export function serpMonitorSpec(stored: SerpMonitorRow, secrets: SecretBox): SerpMonitorSpec {
  return {
    name: stored.name,
    keyword: stored.keyword,
    schedule_interval_seconds: stored.schedule_interval_seconds,
    mode: stored.mode,
    engine: stored.engine,
    location_code: stored.location_code,
    language_code: stored.language_code,
    device: stored.device,
    pages: stored.pages,
    target_domain: stored.target_domain,
    rank_change_threshold: stored.rank_change_threshold,
    deliveries: openDeliveries(stored, secrets),
    notify_on: stored.notify_on,
    quiet_hours: stored.quiet_hours,
    message: stored.message,
    digest: stored.digest,
    ...identityOf(stored),
  }
}
