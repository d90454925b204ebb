import { isDeepStrictEqual } from 'node:util'
import type { Invalid, NotFound } from '../core/outcome.ts'
import { type SerpMonitorPatch, SerpMonitorSpec } from '../schema/serp/serp-monitor.ts'
import { checkerOf, withDefaults } from '../schema/validation/validate.ts'
import type { Requester } from '../schema/account/audit.ts'
import { type AuditEntry, recordAudit } from '../store/accounts/audit.ts'
import type { Transaction } from '../store/db/client.ts'
import { lockMonitor } from '../store/monitors/monitor-edit.ts'
import { type SerpMonitorRow, serpMonitorSpec } from '../store/monitors/monitor-record.ts'
import { saveSerpMonitor } from '../store/monitors/serp-monitors.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'
import { auditedAs, type MonitorContext, type OneMonitor } from './context.ts'
import {
  type DoneMonitor,
  externalKeyTaken,
  type KeyTaken,
  type Managed,
  managedElsewhere,
  NO_MONITOR,
  overDeliveryCap,
  type OverCap,
} from './outcome.ts'

/** An edit of a monitor of a search. The shape of the patch and its addresses were checked already. */
interface SerpMonitorEdition extends Omit<OneMonitor, 'kind'> {
  readonly patch: SerpMonitorPatch
}

type EditOutcome = DoneMonitor<'serp'> | NotFound | Managed | Invalid | OverCap | KeyTaken

/**
 * Replaces each key of the configuration that the patch has. Switching to `full_analysis` clears the target, unless the
 * patch itself names one, which is refused. A patch that changes nothing writes no audit entry.
 */
export async function editSerpMonitor(context: MonitorContext, edition: SerpMonitorEdition): Promise<EditOutcome> {
  const outcome = await context.store.transaction((tx) => edit(tx, context, edition))
  if (outcome.kind === 'done') context.wake()
  return outcome
}

async function edit(
  tx: Transaction,
  { secrets }: Pick<MonitorContext, 'secrets'>,
  { teamId, actor, id, patch }: SerpMonitorEdition,
): Promise<EditOutcome> {
  const stored = await lockMonitor(tx, teamId, id, 'serp')
  if (!stored) return NO_MONITOR
  const managed = await managedElsewhere(tx, stored)
  if (managed) return managed
  const before = serpMonitorSpec(stored, secrets)
  const cleared = patch.mode === 'full_analysis' ? { target_domain: null } : {}
  const merged = checkerOf(SerpMonitorSpec).validate(withDefaults(SerpMonitorSpec, { ...before, ...cleared, ...patch }))
  if (!merged.ok) return { kind: 'invalid', issues: merged.issues }
  const over = Object.keys(patch).length > 0 ? await overDeliveryCap(tx, teamId, merged.value) : null
  if (over) return over
  const { external_key: externalKey } = merged.value
  const taken = await externalKeyTaken(tx, teamId, 'serp', { id, externalKey })
  if (taken) return taken
  const spec = merged.value
  return { kind: 'done', monitor: await changeSerpSpec(tx, secrets, { teamId, actor, stored, before, spec }) }
}

/** A valid configuration in place of the stored one. */
interface SerpSpecChange extends Requester {
  readonly stored: SerpMonitorRow
  readonly before: SerpMonitorSpec
  readonly spec: SerpMonitorSpec
  /** For the audit entry. */
  readonly metadata?: AuditEntry['metadata']
}

/**
 * Keys whose change makes the next run a baseline, because earlier results are not comparable. Another number of pages
 * is none of them: alerts compare what both checks cover.
 */
const MEANING: readonly (keyof SerpMonitorSpec)[] = [
  'keyword',
  'engine',
  'location_code',
  'language_code',
  'device',
  'mode',
  'target_domain',
]

/** Stores a configuration and its audit entry, if it differs from the one before. Returns the monitor. */
export async function changeSerpSpec(
  tx: Transaction,
  secrets: SecretBox,
  { teamId, actor, stored, before, spec, metadata = {} }: SerpSpecChange,
): Promise<SerpMonitorRow> {
  const changed = serpSpecChange(before, spec)
  if (changed.length === 0) return stored
  const resetsBaseline = MEANING.some((key) => changed.includes(key))
  const monitor = await saveSerpMonitor(tx, secrets, { stored, spec, changed, resetsBaseline })
  const target = { id: monitor.id, label: monitor.name }
  const action = auditedAs('serp', 'updated')
  await recordAudit(tx, { teamId, actor, action, target, metadata: { ...metadata, changed } })
  return monitor
}

/** Returns the keys in which two configurations differ. */
export const serpSpecChange = (before: SerpMonitorSpec, after: SerpMonitorSpec): (keyof SerpMonitorSpec)[] =>
  (Object.keys(after) as (keyof SerpMonitorSpec)[]).filter((key) => !isDeepStrictEqual(before[key], after[key]))
