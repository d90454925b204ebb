import { sql } from 'slonik'
import Type from 'typebox'
import type { MonitorSummary } from '../../../core/overview/monitor-summary.ts'
import type { Mute } from '../../../schema/monitor/mute.ts'
import type { Store } from '../../../store/db/client.ts'
import { row } from '../../../store/db/row.ts'
import { conditionOf, literal, type Monitors, runStatement, type Statements } from './stored-rows.ts'

const change = (on: Statements, monitors: Monitors, assignments: string) =>
  runStatement(on, `update checks set ${assignments} where ${conditionOf(monitors)}`)

/** Their next check is in so many seconds. */
export const scheduleIn = (on: Statements, monitors: Monitors, seconds: number): Promise<void> =>
  change(
    on,
    monitors,
    `due_at = clock() + make_interval(secs => ${seconds}), next_run_at = clock() + make_interval(secs => ${seconds})`,
  )

/** Their next check is due now. */
export const makeDue = (on: Statements, monitors: Monitors): Promise<void> => scheduleIn(on, monitors, 0)

/** What is claimed is due again now, as when its lease has ended. What is scheduled stays so. */
export const endLeases = (on: Statements, monitors: Monitors): Promise<void> => change(on, monitors, 'due_at = clock()')

/** Nothing of them is scheduled or claimed. */
export const stopChecks = (on: Statements, monitors: Monitors): Promise<void> =>
  change(on, monitors, 'due_at = null, next_run_at = null, run_id = null')

/** Whoever has claimed them has lost them, and they are not scheduled. */
export const takeBack = (on: Statements, monitors: Monitors): Promise<void> =>
  change(on, monitors, 'fence = fence + 1, run_id = null, holder = null, due_at = null, next_run_at = null')

/** Whoever has claimed them has lost them, as by an edit. They are due again when the lease ends. */
export const raiseFence = (on: Statements, monitors: Monitors): Promise<void> =>
  change(on, monitors, 'fence = fence + 1, holder = null')

/** They have run so many times, and a check of them costs so many runs. */
export const setRuns = (on: Statements, monitors: Monitors, total: number, cost = 1): Promise<void> =>
  change(on, monitors, `runs_total = ${total}, cost = ${cost}`)

/** Somebody asked for a run of them. */
export const askForRun = (on: Statements, monitors: Monitors): Promise<void> =>
  change(on, monitors, 'due_at = clock(), queued_run_id = new_run_id(clock(), no)')

/** A run of them is under way, the one that was asked for where there is one; it began so many days ago. */
export const beginRun = (on: Statements, monitors: Monitors, daysAgo = 0): Promise<void> =>
  change(
    on,
    monitors,
    `run_id = coalesce(queued_run_id, new_run_id(clock() - interval '${daysAgo} days', no)), queued_run_id = null`,
  )

/** Their last checks failed, so many in a row, and the last one has just ended. */
export const failTimes = (on: Statements, monitors: Monitors, failures: number): Promise<void> =>
  change(on, monitors, `failures = ${failures}, last_run_at = clock()`)

/** A check of them ended in so many seconds from now, or now. */
export const endCheck = (on: Statements, monitors: Monitors, seconds = 0): Promise<void> =>
  change(on, monitors, `last_run_at = clock() + make_interval(secs => ${seconds})`)

/** The next run of them is a first one, whatever it reads. */
export const forgetReading = (on: Statements, monitors: Monitors): Promise<void> =>
  change(on, monitors, 'reading_id = null, reading_hash = null, body_hash = null')

/** A check of them has just read this. */
export const giveReading = (on: Statements, monitors: Monitors, extracted: object): Promise<void> =>
  runStatement(
    on,
    `with c as (
       update checks set reading_id = new_run_id(clock(), no), last_run_at = clock() where ${conditionOf(monitors)}
       returning no, team_id
     )
     insert into baselines (no, team_id, extracted) select no, team_id, ${literal(extracted)} from c`,
  )

/** Lists show this as the last change of them. */
export const giveChange = (on: Statements, monitors: Monitors, change: LastChange): Promise<void> =>
  runStatement(
    on,
    `with c as (
       update checks set last_change_id = ${literal(change.run_id)} where ${conditionOf(monitors)} returning no, team_id
     )
     insert into baselines (no, team_id, extracted, summary)
     select no, team_id, '{}', ${literal({ value: null, change, spark: null })} from c
     on conflict (no) do update set summary = excluded.summary`,
  )

type LastChange = NonNullable<MonitorSummary['change']>

/** Their page sent this with their last reading. */
export const rememberAnswer = (
  on: Statements,
  monitors: Monitors,
  { etag, bodyHash }: { etag: string; bodyHash: Buffer },
): Promise<void> =>
  change(
    on,
    monitors,
    `reading_id = new_run_id(clock(), no), etag = ${literal(etag)}, body_hash = ${literal(bodyHash)}`,
  )

/** The lowest level of a process that may claim them. */
export const setLevel = (on: Statements, monitors: Monitors, level: number): Promise<void> =>
  change(on, monitors, `level = ${level}`)

/** They have this mute, and nothing that another one holds was moved. Null: they are not muted. */
export const changeMute = (on: Statements, monitors: Monitors, mute: Partial<Mute> | null): Promise<void> =>
  change(on, monitors, `mute = ${mute === null ? 'null' : literal(JSON.stringify(mute))}`)

/** Each of their checks takes a pod of its own. */
export const isolate = (on: Statements, monitors: Monitors): Promise<void> => change(on, monitors, 'is_isolated = true')

/** The static layer is tried again at their next check. */
export const tryStaticAgain = (on: Statements, monitors: Monitors): Promise<void> =>
  change(on, monitors, 'static_again_at = clock()')

/** Their last reading is a static one, and no page was rendered for what it lacks: as an earlier version left it. */
export const forgetRendering = (on: Statements, monitors: Monitors): Promise<void> =>
  change(on, monitors, 'missing_rendered_at = null, read_by = 1')

/** The pages that a search reads, which are its cost. */
export async function setPages(on: Statements, monitors: Monitors, pages: number): Promise<void> {
  await runStatement(on, `update monitors set pages = ${pages} where ${conditionOf(monitors)}`)
  await change(on, monitors, `cost = ${pages}`)
}

/** Who does the checks of a monitor. */
export const queueOf = (store: Store, monitorId: string): Promise<string> =>
  store.oneFirst(sql.type(row({ queue: Type.String() }))`
    select queue::text from checks where no = (select no from monitors where id = ${monitorId}::uuid)`)
