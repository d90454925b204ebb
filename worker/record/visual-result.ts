import type { VisualBlock } from '../../core/payload.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { VisualConfig } from '../../schema/monitor/visual-config.ts'
import type { Baseline } from '../../store/queue/baselines.ts'
import type { RunPictures } from '../../store/queue/record-pictured.ts'
import type { Pictures } from '../pictures/pictures.ts'
import type { Read, VisualSide } from './reading-row.ts'

/** What the visual layer says of a check. */
type Sight =
  | (VisualSide & { readonly kind: 'seen'; readonly pictures: RunPictures | null })
  | { readonly kind: 'failed'; readonly fault: RunFault }

/** Percent of changed area at which deliveries fire, unless it is given. */
const THRESHOLD_PCT = 1

/** Looks at the shots of a check: null where there are none. */
export function createSight({ pictures }: { readonly pictures?: Pictures }) {
  return async function see({ finished, reading, teamId }: Read, baseline: Baseline): Promise<Sight | null> {
    const { shots } = reading
    if (!shots) return null
    if (!pictures) return { kind: 'failed', fault: NO_STORE }
    const { no, runId } = finished.task
    const captured = await pictures.take({ teamId, no, runId, shots, baseline: baseline.pictures })
    if (captured.kind === 'failed') return captured
    if (captured.kind === 'skipped') return { kind: 'seen', warnings: captured.warnings, pictures: null }
    const fired = firedBy(captured.pictures, baseline.visual_config)
    return { kind: 'seen', warnings: captured.warnings, pictures: captured.pictures, ...(fired && { fired }) }
  }
}

const NO_STORE: RunFault = {
  code: 'not_available',
  message: 'Screenshots need an object store, which this process does not have; disable visual_config.',
}

/** Nothing changed fires nothing, though the threshold be 0. */
function firedBy({ changePct, hasChanges }: RunPictures, config: VisualConfig | null): VisualBlock | null {
  const threshold_pct = config?.thresholdPct ?? THRESHOLD_PCT
  return hasChanges && changePct >= threshold_pct ? { change_pct: changePct, threshold_pct } : null
}
