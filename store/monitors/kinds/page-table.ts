import { sql } from 'slonik'
import Type from 'typebox'
import type { Static } from 'typebox'
import { monitorQueue } from '../../../core/check-queue.ts'
import { levelOf } from '../../../schema/level.ts'
import type { MessageConfig } from '../../../schema/message/message.ts'
import type { DiffPredicate } from '../../../schema/monitor/diff-predicate.ts'
import type { DigestConfig } from '../../../schema/monitor/digest.ts'
import type { ExtractConfig } from '../../../schema/monitor/extract-config.ts'
import { type FETCH_MODES, MonitorSpec } from '../../../schema/monitor/monitor.ts'
import type { QuietHours } from '../../../schema/monitor/quiet-hours.ts'
import type { RequestConfig } from '../../../schema/monitor/request-config.ts'
import type { RequestHeaders } from '../../../schema/monitor/request-headers.ts'
import type { VisualConfig } from '../../../schema/monitor/visual-config.ts'
import { PLAIN_RUNS } from '../../queue/runs-of-kind.ts'
import { poolOf, RUNS_RESET_AT } from '../../quota/pool.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { HEADERS, kindTable, PLAIN_RESULTS, rowProperties } from './kind-table.ts'
import { identityOf, openDeliveries, Stored, TextOrNull } from './monitor-row.ts'

const OWN = {
  url: { schema: Type.String(), type: 'text', isCounted: true },
  extract_config: { schema: Stored<ExtractConfig>(), type: 'json', isCounted: true },
  diff_predicate: { schema: Stored<DiffPredicate>(), type: 'json', isCounted: true },
  fetch_mode: { schema: Stored<(typeof FETCH_MODES)[number]>(), type: 'text' },
  request_config: { schema: Stored<RequestConfig | null>(), type: 'json', isCounted: true },
  visual_config: { schema: Stored<VisualConfig | null>(), type: 'json', isCounted: true },
  template_slug: { schema: TextOrNull, type: 'text', isFixed: true },
  isolation: { schema: Stored<MonitorSpec['isolation']>(), type: 'text' },
  quiet_hours: { schema: Stored<QuietHours | null>(), type: 'json' },
  message: { schema: Stored<MessageConfig | null>(), type: 'json' },
  digest: { schema: Stored<DigestConfig | null>(), type: 'json' },
} as const

const PROPERTIES = rowProperties(OWN, {
  ...HEADERS,
  kind: Type.Literal('page'),
  notify_on: Stored<MonitorSpec['notify_on']>(),
})
const MonitorRow = Type.Object(PROPERTIES)
/** A monitor of a page with the state of its check. */
export type MonitorRow = Static<typeof MonitorRow>

/** Monitors of pages, APIs and feeds. */
export const PAGE_TABLE = kindTable<MonitorSpec, typeof PROPERTIES, MonitorRow>(
  {
    kind: 'page',
    own: OWN,
    hasHeaders: true,
    // Without runs, the next one is when there are runs again.
    nextRunAt: sql.fragment`case when c.next_run_at is not null then greatest(c.next_run_at, (
      select ${RUNS_RESET_AT}
      from team_usage u join teams t on t.id = u.team_id ${poolOf(sql.fragment`c.queue`)}
      where u.team_id = m.team_id and c.cost > pool.remaining
    )) end`,
    target: sql.fragment`m.url`,
    teams: sql.fragment`select clock() as at, t.id, t.trial_over as locked from teams t`,
    runs: PLAIN_RUNS,
    results: PLAIN_RESULTS,
    check: (spec) => ({
      queue: monitorQueue(spec),
      cost: 1,
      is_isolated: spec.isolation === 'pod',
      level: levelOf(MonitorSpec, spec),
    }),
    // When the meaning of a run changes, the remembered layer is reset as well.
    edited: ({ spec, resetsBaseline }) => [
      sql.fragment`is_isolated = ${spec.isolation === 'pod'}`,
      ...(resetsBaseline ? [resetOf(spec)] : []),
    ],
  },
  PROPERTIES,
  monitorSpec,
)

const resetOf = (spec: MonitorSpec) => sql.fragment`
  queue = ${monitorQueue(spec)}::check_queue, static_again_at = null, layer_reason = null,
  missing_rendered_at = null, media_again_at = null, etag = null, last_modified = null, read_by = 0`

/** Returns the configuration in a row, with its secrets decrypted. */
export function monitorSpec(stored: MonitorRow, secrets: SecretBox): MonitorSpec {
  const { team_id: teamId, request_headers: headers } = stored
  const place = { teamId, column: 'monitors.request_headers', rowId: stored.id } as const
  return {
    name: stored.name,
    url: stored.url,
    schedule_interval_seconds: stored.schedule_interval_seconds,
    extract_config: stored.extract_config,
    diff_predicate: stored.diff_predicate,
    deliveries: openDeliveries(stored, secrets),
    template_slug: stored.template_slug,
    fetch_mode: stored.fetch_mode,
    request_headers: headers ? (secrets.open(place, headers) as RequestHeaders | null) : null,
    request_config: stored.request_config,
    visual_config: stored.visual_config,
    notify_on: stored.notify_on,
    quiet_hours: stored.quiet_hours,
    message: stored.message,
    digest: stored.digest,
    isolation: stored.isolation,
    ...identityOf(stored),
  }
}
