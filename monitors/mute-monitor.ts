import type { Invalid, NotFound } from '../core/outcome.ts'
import type { EverySpec } from '../schema/monitor/every-spec.ts'
import { MOST_MUTE_MS, type Mute, type MuteRequest } from '../schema/monitor/mute.ts'
import { recordAudit } from '../store/accounts/audit.ts'
import type { Transaction } from '../store/db/client.ts'
import { moveMuted } from '../store/deliveries/muted-messages.ts'
import { storeTime } from '../store/maintenance/clock-back.ts'
import type { EveryRow } from '../store/monitors/kinds/monitor-row.ts'
import { levelWith, lockMonitor } from '../store/monitors/monitor-edit.ts'
import { setMute } from '../store/monitors/monitor-mute.ts'
import { auditedAs, type MonitorContext, type OneMonitor } from './context.ts'
import type { Kind } from './kinds/kind.ts'
import { type DoneMonitor, NO_MONITOR } from './outcome.ts'

export type MuteOutcome<Row extends EveryRow = EveryRow> = DoneMonitor<Row> | NotFound | Invalid

/**
 * Mutes a monitor: its checks go on, and what fires waits for the end, or is dropped. A mute in place of another one
 * holds what that one held. Open also for what a manifest owns.
 */
export const muteMonitor = <Spec extends EverySpec, Row extends EveryRow>(
  { store, secrets }: Pick<MonitorContext, 'store' | 'secrets'>,
  kind: Kind<Spec, Row>,
  { teamId, actor, id, ...request }: OneMonitor & MuteRequest,
): Promise<MuteOutcome<Row>> =>
  store.transaction(async (tx): Promise<MuteOutcome<Row>> => {
    const stored = await lockMonitor(tx, teamId, id, kind.table)
    if (!stored) return NO_MONITOR
    const mute = muteOf(request, await storeTime(tx))
    if ('kind' in mute) return mute
    const monitor = await change(tx, { kind, secrets, stored, mute })
    const target = { id: stored.id, label: stored.name }
    const { since: _, ...metadata } = mute
    await recordAudit(tx, { teamId, actor, action: auditedAs(kind, 'muted'), target, metadata })
    return { kind: 'done', monitor }
  })

/** Returns the mute that is asked for. `nowMs`: the time of the store. */
export function muteOf({ until, reason, drop }: MuteRequest, nowMs: number): Mute | Invalid {
  const untilMs = until === null ? null : Date.parse(until)
  if (untilMs !== null && untilMs <= nowMs) return badEnd('must be in the future')
  if (untilMs !== null && untilMs > nowMs + MOST_MUTE_MS)
    return badEnd('must be at most 50 years ahead: null mutes the monitor until somebody unmutes it')
  return {
    since: new Date(nowMs).toISOString(),
    until: untilMs === null ? null : new Date(untilMs).toISOString(),
    reason: reason ?? null,
    drop: drop ?? false,
  }
}

const badEnd = (message: string): Invalid => ({ kind: 'invalid', issues: [{ path: 'until', message }] })

export type UnmuteOutcome<Row extends EveryRow = EveryRow> = DoneMonitor<Row> | NotFound

/**
 * Ends the mute of a monitor: all that waited is sent, unless there are quiet hours. One that is not muted does not
 * change, and no audit entry is written.
 */
export async function unmuteMonitor<Spec extends EverySpec, Row extends EveryRow>(
  { store, secrets, wake }: MonitorContext,
  kind: Kind<Spec, Row>,
  { teamId, actor, id }: OneMonitor,
): Promise<UnmuteOutcome<Row>> {
  const outcome = await store.transaction(async (tx): Promise<UnmuteOutcome<Row>> => {
    const stored = await lockMonitor(tx, teamId, id, kind.table)
    if (!stored) return NO_MONITOR
    if (!stored.mute) return { kind: 'done', monitor: stored }
    const monitor = await change(tx, { kind, secrets, stored, mute: null })
    const target = { id: stored.id, label: stored.name }
    await recordAudit(tx, { teamId, actor, action: auditedAs(kind, 'unmuted'), target })
    return { kind: 'done', monitor }
  })
  if (outcome.kind === 'done') wake()
  return outcome
}

interface Change<Spec extends EverySpec, Row extends EveryRow> extends Pick<MonitorContext, 'secrets'> {
  readonly kind: Kind<Spec, Row>
  readonly stored: Row
  readonly mute: Mute | null
}

/** The check is written first: a run that ends at the same time is recorded before it, and is found among the held. */
async function change<Spec extends EverySpec, Row extends EveryRow>(
  tx: Transaction,
  { kind: { table }, secrets, stored, mute }: Change<Spec, Row>,
): Promise<Row> {
  const monitor = await setMute(tx, { no: stored.no, mute, level: levelWith(mute, stored.level) }, table)
  await moveMuted(tx, secrets, stored)
  return monitor
}
