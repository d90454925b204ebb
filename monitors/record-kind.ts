import type { MonitorManifest } from '../core/custom-resource/monitor-manifest.ts'
import { identityOfKey, type ResourceIdentity } from '../core/custom-resource/resource-name.ts'
import { monitorManifest } from '../core/custom-resource/monitor-manifest.ts'
import type { Invalid } from '../core/outcome.ts'
import type { EgressPolicy } from '../egress/policy.ts'
import type { Requester } from '../schema/account/audit.ts'
import { MonitorSpec } from '../schema/monitor/monitor.ts'
import type { Manager } from '../schema/monitor/labels.ts'
import { SerpMonitorSpec } from '../schema/serp/serp-monitor.ts'
import {
  MONITOR_RESOURCE,
  SERP_MONITOR_RESOURCE,
  type MonitorKind,
  type ResourceKind,
} from '../schema/resource-kind.ts'
import { checkerOf, type Validated, withDefaults } from '../schema/validation/validate.ts'
import type { Queryable, Transaction } from '../store/db/client.ts'
import { type Declared, insertMonitors } from '../store/monitors/monitor-create.ts'
import { lockMonitor, saveMonitor } from '../store/monitors/monitor-edit.ts'
import { type MonitorRow, monitorSpec, type SerpMonitorRow, serpMonitorSpec } from '../store/monitors/monitor-record.ts'
import { mirroredRecords, type ResultsRow, resultsOf } from '../store/monitors/monitor-resource.ts'
import { findMonitor } from '../store/monitors/monitors.ts'
import { insertSerpMonitors, saveSerpMonitor } from '../store/monitors/serp-monitors.ts'
import type { SecretBox } from '../store/secrets/secret-box.ts'
import { checkDeclaration, checkSerpDeclaration } from './check/check-configuration.ts'
import { serpMonitorWarnings } from './create-serp-monitor.ts'
import { overDeliveryCaps, type OverCap } from './outcome.ts'
import { run, type RunOutcome } from './run-monitor.ts'
import { serpSpecChange, type SpecChange, specChange } from './declared/spec-change.ts'

/** The part of a stored monitor that all kinds have. */
export interface MonitorRecord {
  readonly id: string
  readonly no: number
  readonly name: string
  readonly managed_by: Manager
  readonly external_key: string | null
  readonly declared_in: string | null
  readonly paused: boolean
  readonly suspended: boolean
}

/** A record to create. */
interface NewRecord<Spec> {
  readonly teamId: string
  readonly userId: string
  readonly spec: Spec
  readonly declared: Declared
}

/** A valid configuration in place of the stored one, and how they differ. */
interface RecordEdit<Spec, Stored> extends SpecChange {
  readonly stored: Stored
  readonly spec: Spec
}

/**
 * One kind of monitor that custom resources declare, with what applying them needs. Those who handle all kinds alike
 * take `RecordKind` without arguments, and give each kind its own values back.
 */
export interface RecordKind<Spec = unknown, Stored extends MonitorRecord = MonitorRecord> {
  readonly resource: ResourceKind
  /** The API's definition of the configuration. */
  readonly definition: object
  /** The prefix of its audit actions. */
  readonly audited: 'monitor' | 'serp_monitor'
  /** Checks a configuration in the API's spelling, and fills in the defaults. */
  check(body: unknown, egress: EgressPolicy): { readonly kind: 'valid'; readonly spec: Spec } | Invalid
  find(store: Queryable, teamId: string, id: string): Promise<Stored | null>
  /** Locks the record against other edits. */
  lock(tx: Transaction, teamId: string, id: string): Promise<Stored | null>
  /** Returns the stored configuration. */
  spec(secrets: SecretBox, stored: Stored): Spec
  /** Returns a configuration with the keys of a patch, or what is wrong with it. Missing keys get their defaults. */
  merge(before: Spec, patch: Partial<Spec>): Validated<Spec>
  /** Returns what a manifest makes of a configuration: what it cannot say stays as it is. */
  asDeclared(before: Spec, spec: Spec): Spec
  change(before: Spec, after: Spec): SpecChange
  /** Returns for each configuration of a team why the plan does not allow it, or null. */
  overCaps(store: Queryable, teamId: string, specs: readonly Spec[]): Promise<readonly (OverCap | null)[]>
  /**
   * Stores records that resources own, without audit entries. Returns them in the same order, and null for each that
   * was not stored (`notStored`).
   */
  insert(tx: Transaction, secrets: SecretBox, records: readonly NewRecord<Spec>[]): Promise<readonly (Stored | null)[]>
  /** Stores an edited record. Returns null when the team has no room for it. */
  save(tx: Transaction, secrets: SecretBox, edit: RecordEdit<Spec, Stored>): Promise<Stored | null>
  run(tx: Transaction, one: Requester & { readonly id: string }): Promise<RunOutcome>
  /** Returns what the checks of records came to, by their numbers. */
  results(store: Queryable, all: readonly number[]): Promise<ReadonlyMap<number, ResultsRow>>
  /** Returns for each record that was just stored what should be known about it. */
  warnings(
    store: Queryable,
    stored: readonly Stored[],
    settings: { readonly serpSpacingMs: number },
  ): Promise<readonly (readonly string[])[]>
  /** Returns a page of the team's records that the API owns, in the order of their numbers. */
  mirrored(
    store: Queryable,
    teamId: string,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly Stored[]>
  /** Returns the resource that declares a record. */
  manifest(secrets: SecretBox, stored: Stored, as: ResourceIdentity & { readonly adopts: boolean }): MonitorManifest
}

/** Monitors of pages, APIs and feeds. */
export const PAGE_RECORDS: RecordKind<MonitorSpec, MonitorRow> = {
  resource: MONITOR_RESOURCE,
  definition: MonitorSpec,
  audited: 'monitor',
  check: checkDeclaration,
  find: findMonitor,
  lock: lockMonitor,
  spec: (secrets, stored) => monitorSpec(stored, secrets),
  merge: (before, patch) => checkerOf(MonitorSpec).validate(withDefaults(MonitorSpec, { ...before, ...patch })),
  // A manifest names no template and no key of another client.
  asDeclared: (before, spec) => ({
    ...spec,
    template_slug: before.template_slug,
    external_key: declaredKey(before.external_key, spec.external_key),
  }),
  change: specChange,
  overCaps: overDeliveryCaps,
  insert: insertMonitors,
  save: saveMonitor,
  run,
  results: resultsOf,
  warnings: async (_store, stored) => stored.map(() => []),
  mirrored: mirroredRecords,
  manifest: (secrets, stored, as) =>
    monitorManifest({
      id: stored.id,
      resource: MONITOR_RESOURCE,
      definition: MonitorSpec,
      spec: monitorSpec(stored, secrets),
      isPaused: stored.paused || stored.suspended,
      ...as,
    }),
}

/** Monitors of searches. */
export const SERP_RECORDS: RecordKind<SerpMonitorSpec, SerpMonitorRow> = {
  resource: SERP_MONITOR_RESOURCE,
  definition: SerpMonitorSpec,
  audited: 'serp_monitor',
  check: checkSerpDeclaration,
  find: (store, teamId, id) => findMonitor(store, teamId, id, 'serp'),
  lock: (tx, teamId, id) => lockMonitor(tx, teamId, id, 'serp'),
  spec: (secrets, stored) => serpMonitorSpec(stored, secrets),
  // Switching to full_analysis clears the target, unless the patch itself names one, which is refused.
  merge: (before, patch) => {
    const cleared = patch.mode === 'full_analysis' ? { target_domain: null } : {}
    return checkerOf(SerpMonitorSpec).validate(withDefaults(SerpMonitorSpec, { ...before, ...cleared, ...patch }))
  },
  asDeclared: (before, spec) => ({ ...spec, external_key: declaredKey(before.external_key, spec.external_key) }),
  change: serpSpecChange,
  overCaps: overDeliveryCaps,
  insert: insertSerpMonitors,
  save: saveSerpMonitor,
  run: (tx, one) => run(tx, { ...one, kind: 'serp' }),
  results: resultsOf,
  warnings: (store, stored, { serpSpacingMs }) => serpMonitorWarnings(store, stored, serpSpacingMs),
  mirrored: (store, teamId, page) => mirroredRecords(store, teamId, page, 'serp'),
  manifest: (secrets, stored, as) =>
    monitorManifest({
      id: stored.id,
      resource: SERP_MONITOR_RESOURCE,
      definition: SerpMonitorSpec,
      spec: serpMonitorSpec(stored, secrets),
      isPaused: stored.paused || stored.suspended,
      ...as,
    }),
}

/** Every kind of monitor that custom resources declare. */
const RECORD_KINDS: readonly RecordKind[] = [PAGE_RECORDS, SERP_RECORDS]

/** Returns the kind that the store calls so. */
export function recordKind(declares: MonitorKind): RecordKind {
  const found = RECORD_KINDS.find(({ resource }) => resource.declares === declares)
  if (!found) throw new Error(`no custom resource declares monitors of the kind ${declares}`)
  return found
}

/**
 * Returns the external key of a record that is declared: the identity of its manifest. A key of a client's own stays,
 * and so does every key where the declaration has none, as in a cluster.
 */
export function declaredKey(before: string | null, declared: string | null): string | null {
  const isOwn = before !== null && identityOfKey(before) === null
  return isOwn ? before : (declared ?? before)
}
