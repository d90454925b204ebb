import { sql } from 'slonik'
import Type from 'typebox'
import type { Services } from '../../../api/services.ts'
import type { DeliveryConfig } from '../../../schema/monitor/delivery-config.ts'
import type { HoldReason } from '../../../schema/monitor/quiet-hours.ts'
import type { DeliveryStatus } from '../../../schema/run/delivery.ts'
import { nothing, row } from '../../../store/db/row.ts'
import { newDelivery } from '../../../store/deliveries/delivery-row.ts'

const made = row({ id: Type.String() })

/** A run as a worker would have recorded it. */
interface SeededRun {
  /** How long ago it was claimed, as Postgres writes intervals; default now. */
  readonly age?: string
  readonly status?: 'success' | 'error' | 'skipped'
  readonly extracted?: object | null
  /** The run whose values it has again. */
  readonly readingId?: string
  readonly diff?: object
  readonly fetchMethod?: 'static' | 'browser' | 'proxy'
  readonly triggered?: boolean
  readonly startOffsetMs?: number
  readonly durationMs?: number
  readonly errorCode?: string
  readonly errorMessage?: string
  readonly warnings?: readonly string[]
  /** Of a search. */
  readonly results?: readonly object[]
  readonly rank?: number
  readonly check?: object
  /** What its engine shows beside the results. Without it: nobody knows. */
  readonly aiOverview?: boolean
  readonly featuredSnippet?: boolean
  /** What lists show of the difference. */
  readonly change?: object
}

type Stored = Pick<Services, 'store' | 'secrets'>

/** Stores a run of a monitor; answers its id. */
export async function seedRun({ store }: Stored, monitorId: string, run: SeededRun = {}): Promise<string> {
  const { age = '0 s', status = 'success' } = run
  await store.query(sql.type(nothing)`select ensure_run_partition(clock() - ${age}::interval)`)
  const { id } = await store.one(sql.type(made)`
    with m as (select no, team_id from monitors where id = ${monitorId}::uuid),
    counted as (update checks set runs_total = runs_total + 1 where no = (select no from m))
    insert into runs (monitor_no, id, team_id, reading_id, start_offset_ms, duration_ms, status, fetch_method,
      delivery_triggered, extracted, diff,
      error_code, error_message, warnings, organic_results, target_rank, serp_check, change,
      ai_overview_present, featured_snippet_present)
    select m.no, new_run_id(clock() - ${age}::interval, m.no), m.team_id, ${run.readingId ?? null}::uuid,
      ${run.startOffsetMs ?? 0},
      ${run.durationMs ?? 12}, ${status}::run_status, ${run.fetchMethod ?? null}::fetch_method,
        ${run.triggered ?? false},
      ${json(run.extracted)}::jsonb, ${json(run.diff)}::jsonb, ${run.errorCode ?? null}, ${run.errorMessage ?? null},
        ${json(run.warnings)}::jsonb, ${json(run.results)}::json, ${run.rank ?? null}::int,
        ${json(run.check)}::json, ${json(run.change)}::json,
        ${run.aiOverview ?? null}::bool, ${run.featuredSnippet ?? null}::bool
    from m
    returning id
  `)
  return id
}

const json = (value: object | null | undefined) => (value ? JSON.stringify(value) : null)

/** Stores what the next reading of a monitor is compared with. */
export const seedBaseline = ({ store }: Pick<Services, 'store'>, monitorId: string, extracted: object) =>
  store.query(sql.type(nothing)`
    insert into baselines (no, team_id, extracted)
    select no, team_id, ${json(extracted)}::json from monitors where id = ${monitorId}::uuid`)

/** A delivery as the outbox and its loop would have left it. */
interface SeededDelivery {
  readonly config?: DeliveryConfig
  readonly status?: DeliveryStatus
  readonly attempts?: number
  readonly payload?: object
  /** How long ago it was made. */
  readonly age?: string
  /** Seconds until its next attempt; null: none ahead. */
  readonly nextInSeconds?: number | null
  readonly responseStatus?: number
  readonly responseBody?: string
  /** Why it waits. */
  readonly held?: HoldReason
  /** Its destination takes none of the monitor since then. */
  readonly isFailing?: boolean
}

/** Stores a delivery of a run; answers its id. */
export async function seedDelivery(
  { store, secrets }: Stored,
  runId: string,
  delivery: SeededDelivery = {},
): Promise<string> {
  const { config = { type: 'webhook', url: 'https://example.com/hook' }, age = '0 s', status = 'pending' } = delivery
  const run = await store.one(sql.type(row({ team_id: Type.String(), monitor_no: Type.Integer() }))`
    select team_id, monitor_no from runs where id = ${runId}::uuid`)
  const payload = (id: string) => ({ id, ...delivery.payload })
  const fresh = newDelivery({ secrets, teamId: run.team_id, config, at: Date.now(), payload })
  const { nextInSeconds = status === 'pending' ? 0 : null, attempts = status === 'pending' ? 0 : 1 } = delivery
  await store.query(sql.type(nothing)`
    with dead as (
      insert into dead_destinations (monitor_no, target_key, response_status)
      select ${run.monitor_no}, ${fresh.target_key}, ${delivery.responseStatus ?? null}::int
      where ${delivery.isFailing ?? false}
      on conflict do nothing
    )
    insert into deliveries (id, team_id, monitor_no, run_id, type, service, target, host, target_key, payload, status,
      attempts, due_at, next_attempt_at, last_attempt_at, response_status, response_body, created_at, held)
    select ${fresh.id}::uuid, ${run.team_id}::uuid, ${run.monitor_no}, ${runId}::uuid, ${fresh.type}, ${fresh.service},
      ${sql.binary(fresh.target)}, ${fresh.host}, ${fresh.target_key},
      ${fresh.payload}, ${status}, ${attempts}::int, clock() + make_interval(secs => ${nextInSeconds}),
        clock() + make_interval(secs => ${nextInSeconds}),
      case when ${attempts}::int > 0
        then clock() end, ${delivery.responseStatus ?? null}::int, ${delivery.responseBody ?? null},
      clock() - ${age}::interval, ${delivery.held ?? null}
  `)
  return fresh.id
}

/** Runs that differ in their time alone. */
interface SeededRuns {
  readonly count: number
  /** How many seconds ago the newest was claimed; each other one is a second older. Default 1. */
  readonly from?: number
  readonly extracted?: object
  readonly diff?: object
  /** Of a search. */
  readonly results?: readonly object[]
}

/** Stores many runs of a monitor in one statement. */
export async function seedRuns(
  { store }: Stored,
  monitorId: string,
  { count, from = 1, extracted, diff, results }: SeededRuns,
): Promise<void> {
  await store.query(sql.type(nothing)`
    select ensure_run_partition(clock() - make_interval(secs => ${from + count}))`)
  await store.query(sql.type(nothing)`
    insert into runs (monitor_no, id, team_id, start_offset_ms, duration_ms, status, extracted, diff, organic_results)
    select no, new_run_id(clock() - make_interval(secs => n), no), team_id, 0, 1, 'success',
      ${json(extracted)}::json, ${json(diff)}::json, ${json(results)}::json
    from monitors, generate_series(${from}::int, ${from + count - 1}::int) n where id = ${monitorId}::uuid`)
}
