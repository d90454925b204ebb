import type { Shot } from '../../runners/browser/page/shot.ts'
import type { Task } from '../../runners/check/task.ts'
import type { VisualConfig } from '../../schema/monitor/visual-config.ts'
import type { VisualBlock } from '../../schema/run/delivery.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import type { FetchMethod } from '../../schema/run/run.ts'
import type { Baseline } from '../../store/queue/baselines.ts'
import type { PictureSet, RunPictures, VisualBaseline } from '../../store/queue/record-pictured.ts'
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
  /** The layer that drew the page. */
  readonly layer: FetchMethod
  readonly shots: readonly Shot[] | undefined
}

type VisualResult = Seen | { readonly kind: 'failed'; readonly fault: RunFault }

/** The default percentage of changed area at which deliveries fire. */
const THRESHOLD_PCT = 1

/** Compares and stores the screenshots of a check, if it took any. */
export async function visualResult(
  { task: { no, runId }, teamId, layer, shots }: Shown,
  { pictures: last, visual_config: config }: Baseline,
  pictures: Pictures | undefined,
): Promise<VisualResult> {
  if (!shots) return { kind: 'seen', warnings: [], pictures: null }
  if (!pictures) return { kind: 'failed', fault: NO_STORE }
  const own = last?.other?.layer === layer ? last.other : last
  const captured = await pictures.take({ teamId, no, runId, shots, baseline: own })
  if (captured.kind === 'failed') return captured
  if (captured.kind === 'skipped') return { kind: 'seen', warnings: captured.warnings, pictures: null }
  const { fired, other, warnings } = byDrawer(last, layer, firedBy(captured.pictures, config))
  return {
    kind: 'seen',
    warnings: [...captured.warnings, ...warnings],
    pictures: { ...captured.pictures, baseline: { ...captured.pictures.baseline, layer, other } },
    ...(fired && { fired }),
  }
}

/**
 * Returns what fires, and the pictures of the other layer that are kept. A change of the layer by itself never fires: a
 * site may show another page to the address of the proxy, in another language or with a notice in front. Such a
 * difference cannot be told from a change. So the first pictures of a layer that differ from those of the layer before
 * only warn, and those before are kept. Where that layer draws the page again, its pictures are compared with its own.
 * What fires is known, so nothing is kept then.
 */
function byDrawer(last: VisualBaseline | null, layer: FetchMethod, differs: VisualBlock | null) {
  const nothing = { fired: null, other: null, warnings: [] }
  if (last === null) return nothing
  const { other, ...before } = last
  if (last.layer === layer || other !== null)
    return differs ? { ...nothing, fired: differs } : { ...nothing, other: last.layer === layer ? other : before }
  return differs ? { fired: null, other: before, warnings: [otherPage(last.layer, layer)] } : nothing
}

const otherPage = (before: FetchMethod, now: FetchMethod) =>
  `The page was drawn by another layer (${now}) than before (${before}), and looks otherwise. Nothing is sent for ` +
  'that; the next pictures are compared with those of the same layer.'

const NO_STORE: RunFault = {
  code: 'not_available',
  message: 'Screenshots need an object store, which this process does not have; disable visual_config.',
}

/** If nothing changed, nothing fires, even if the threshold is 0. */
function firedBy({ changePct, hasChanges }: RunPictures<PictureSet>, config: VisualConfig | null): VisualBlock | null {
  const threshold_pct = config?.thresholdPct ?? THRESHOLD_PCT
  return hasChanges && changePct >= threshold_pct ? { change_pct: changePct, threshold_pct } : null
}
