import { deliveryPayload, listChanges } from '../../core/payload.ts'
import { numericFields } from '../../core/predicate/fires.ts'
import { type DeliveryConfig, isForPeople } from '../../schema/monitor/delivery-config.ts'
import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'
import type { TextChange, VisualBlock } from '../../schema/run/delivery.ts'
import type { Diff } from '../../schema/run/run.ts'
import type { Values } from '../../schema/shape/json.ts'
import { type DeliveryRow, newDelivery } from '../../store/deliveries/delivery-row.ts'
import type { Baseline } from '../../store/queue/baselines.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'

/**
 * The destinations cannot be opened. The run reports it. The baseline stays as it is, so the run fires once they can be
 * opened.
 */
export class SealedError extends Error {
  override readonly name = 'SealedError'
}

/** A run that fired. */
interface Fired {
  readonly runId: string
  readonly teamId: string
  /** By the store's clock, in milliseconds since the epoch. */
  readonly firedAtMs: number
  /** Null: only the picture differs. */
  readonly diff: Diff | null
  /** Present if the visual layer fired. */
  readonly visual?: VisualBlock | undefined
  /** Present if a whole page changed whose readable text is known. */
  readonly text?: TextChange | undefined
  readonly baseline: Baseline
  /** What the run has read. */
  readonly values: Values
}

/** Returns the outbox rows of a run that fired: one for each destination. Throws SealedError. */
export function outboxOf(fired: Fired, secrets: SecretBox): DeliveryRow[] {
  const { teamId, baseline, firedAtMs } = fired
  const about = {
    monitorId: baseline.monitor_id,
    runId: fired.runId,
    firedAtMs,
    diff: fired.diff,
    lists: fired.diff && listChanges(fired.diff, baseline.lists),
    ...(fired.visual && { visual: fired.visual }),
    ...(fired.text && { text: fired.text }),
    monitor: { url: baseline.url, name: baseline.name },
  }
  const numeric = numericFields(baseline.diff_predicate as DiffPredicate)
  const forPeople = { ...about, numericFields: (fired.diff?.fields_changed ?? []).filter((name) => numeric.has(name)) }
  return destinationsOf(fired, secrets).map((config, place) => {
    const content = isForPeople(config) ? forPeople : about
    const payload = (id: string) => deliveryPayload({ id, ...content })
    return newDelivery({
      secrets,
      teamId,
      config,
      at: firedAtMs,
      place,
      payload,
      by: { ...baseline, values: fired.values },
    })
  })
}

/** What destinations are opened with. */
interface Destined {
  readonly teamId: string
  readonly baseline: Pick<Baseline, 'monitor_id' | 'deliveries'>
}

/** Returns the destinations of a monitor. Throws SealedError. */
export function destinationsOf({ teamId, baseline }: Destined, secrets: SecretBox): readonly DeliveryConfig[] {
  if (!baseline.deliveries) return []
  const place = { teamId, column: 'monitors.deliveries', rowId: baseline.monitor_id } as const
  try {
    return secrets.open(place, baseline.deliveries) as DeliveryConfig[]
  } catch (cause) {
    const text = 'The stored deliveries cannot be decrypted with the current encryption key; set deliveries again.'
    throw new SealedError(text, { cause })
  }
}
