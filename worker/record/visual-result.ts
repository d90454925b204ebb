import type { VisualBlock } from '../../core/payload.ts'
import type { Task } from '../../runners/check/task.ts'
import type { Shot } from '../../runners/browser/page/shot.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { VisualConfig } from '../../schema/monitor/visual-config.ts'
import type { Baseline } from '../../store/queue/baselines.ts'
import type { RunPictures } from '../../store/queue/record-pictured.ts'
import type { Pictures } from '../pictures/pictures.ts'

/** What the visual layer adds to a run. */
export interface Seen {
  readonly kind: 'seen'
  readonly pictures: RunPictures | null
  readonly warnings: readonly string[]
  /** Present if it fires. */
  readonly fired?: VisualBlock
}

interface Shown {
  readonly task: Task
  readonly teamId: string
  readonly shots: readonly Shot[] | undefined
}

type VisualResult = Seen | { readonly kind: 'failed'; readonly fault: RunFault }

/** The default percentage of changed area at which deliveries fire. */
const THRESHOLD_PCT = 1

/** Compares and stores the screenshots of a check, if it took any. */
export async function visualResult(
  { task: { no, runId }, teamId, shots }: Shown,
  baseline: Baseline,
  pictures: Pictures | undefined,
): Promise<VisualResult> {
  if (!shots) return { kind: 'seen', warnings: [], pictures: null }
  if (!pictures) return { kind: 'failed', fault: NO_STORE }
  const captured = await pictures.take({ teamId, no, runId, shots, baseline: baseline.pictures })
  if (captured.kind === 'failed') return captured
  if (captured.kind === 'skipped') return { kind: 'seen', warnings: captured.warnings, pictures: null }
  const fired = firedBy(captured.pictures, baseline.visual_config)
  return { kind: 'seen', warnings: captured.warnings, pictures: captured.pictures, ...(fired && { fired }) }
}

const NO_STORE: RunFault = {
  code: 'not_available',
  message: 'Screenshots need an object store, which this process does not have; disable visual_config.',
}

/** If nothing changed, nothing fires, even if the threshold is 0. */
function firedBy({ changePct, hasChanges }: RunPictures, config: VisualConfig | null): VisualBlock | null {
  const threshold_pct = config?.thresholdPct ?? THRESHOLD_PCT
  return hasChanges && changePct >= threshold_pct ? { change_pct: changePct, threshold_pct } : null
}
