import type { ChangeContent } from '../core/example-change.ts'
import type { Invalid, NotFound } from '../core/outcome.ts'
import { DeliveryConfig } from '../schema/monitor/delivery-config.ts'
import type { EverySpec } from '../schema/monitor/every-spec.ts'
import { joinPath } from '../schema/validation/issue.ts'
import { splitLater } from '../schema/validation/later-keys.ts'
import { type AddedByMonitor, type SealedTarget, sealedTarget } from '../store/deliveries/sealed-target.ts'
import { findMonitor } from '../store/monitors/monitors.ts'
import { findSigningFacts } from '../store/monitors/signing-secret.ts'
import type { MonitorContext } from './context.ts'
import type { Kind } from './kinds/kind.ts'
import { lastFiredChange } from './last-fired-change.ts'
import type { LaterKeys } from './later-keys.ts'
import { NO_MONITOR } from './outcome.ts'

/** A destination of a stored monitor. */
interface Wanted {
  readonly teamId: string
  readonly monitorId: string
  readonly index: number
  readonly nowMs: number
}

/** The same, and what a test of it sends. */
interface TestedDelivery {
  readonly kind: 'done'
  readonly config: SealedTarget
  /** The change of its last run that fired, else one that is made up. */
  readonly content: ChangeContent
  /** Null: the monitor signs nothing. */
  readonly secret: string | null
  readonly of: { readonly monitorId: string; readonly name: string; readonly index: number }
}

/** Finds a destination of a monitor of any of these kinds. */
export async function findTestedDelivery(
  { store, secrets }: Pick<MonitorContext, 'store' | 'secrets'>,
  kinds: readonly Kind[],
  { teamId, monitorId, index, nowMs }: Wanted,
): Promise<TestedDelivery | NotFound | Invalid | LaterKeys> {
  for (const { table, example } of kinds) {
    const stored = await findMonitor(store, teamId, monitorId, table)
    if (!stored) continue
    const spec = table.spec(stored, secrets)
    const config = spec.deliveries[index]
    if (!config) return { kind: 'invalid', issues: [{ path: 'index', message: noSuchIndex(spec) }] }
    const { later } = splitLater(DeliveryConfig, config)
    const paths = later.map((path) => joinPath('', 'deliveries', index, ...path))
    if (paths.length > 0) return { kind: 'later_keys', name: spec.name, paths }
    const facts = await findSigningFacts(store, secrets, { teamId, id: monitorId, kind: table.kind })
    const made = example({ nowMs, monitorId }, spec)
    const { monitor } = made
    const content = (await lastFiredChange(store, { teamId, monitorId, kind: table.kind, monitor })) ?? made
    // The configuration of a search has its engine.
    const target = sealedTarget(config, spec as AddedByMonitor)
    return {
      kind: 'done',
      config: target,
      content,
      secret: facts?.secret ?? null,
      of: { monitorId, name: spec.name, index },
    }
  }
  return NO_MONITOR
}

function noSuchIndex({ deliveries: { length } }: EverySpec): string {
  if (length === 0) return 'has no destination: the monitor sends nothing'
  return length === 1 ? 'must be 0: the monitor has one destination' : `must be at most ${length - 1}`
}
