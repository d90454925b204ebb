import { monitorQueue } from '../../core/check-queue.ts'
import type { DiskFull } from '../../core/disk-guard.ts'
import type { PreviewSpec } from '../../schema/monitor/monitor.ts'
import type { Preview } from '../../schema/monitor/preview.ts'
import type { AskedWork } from '../../store/asked/asked-work.ts'
import type { Queryable } from '../../store/db/client.ts'
import { type Locked, overDeliveryCap, type OutOfRuns, type OverCap } from '../outcome.ts'
import { paidWork } from '../paid-work.ts'

/** The slots for previews: a few in a process, and fewer for each team. */
interface PreviewSlots {
  enter(teamId: string): PreviewSlot | PreviewLimit | DiskFull
}

interface PreviewSlot {
  readonly kind: 'place'
  /** Makes the preview. `work` is what was paid for. */
  run(
    work: AskedWork,
    spec: PreviewSpec,
  ): Promise<{ readonly kind: 'done'; readonly preview: Preview } | PreviewLimit | Stopping | Unanswered>
  leave(): void
}

/** All slots are taken: those of the team here or everywhere, or those of the process. */
export interface PreviewLimit {
  readonly kind: 'limit'
  readonly of: 'team' | 'process' | 'installation'
  readonly limit: number
}

/** The process is stopping, so the check was ended. */
export interface Stopping {
  readonly kind: 'stopping'
}

/** The page needs a browser, and no runner answered within so many seconds. */
export interface Unanswered {
  readonly kind: 'unanswered'
  readonly seconds: number
  /** A runner has tried. */
  readonly isBegun: boolean
  /** It was not a page. */
  readonly of?: 'search'
}

/** Creating the monitor would be refused, so the preview is refused too. */
type PreviewOutcome =
  | { readonly kind: 'done'; readonly preview: Preview }
  | OverCap
  | OutOfRuns
  | Locked
  | PreviewLimit
  | DiskFull
  | Stopping
  | Unanswered

/** Tries a checked configuration now. It costs one run of the team's quota. A refused preview costs no run. */
export async function previewMonitor(
  { store, previews }: { readonly store: Queryable; readonly previews: PreviewSlots },
  { teamId, spec }: { readonly teamId: string; readonly spec: PreviewSpec },
): Promise<PreviewOutcome> {
  const over = await overDeliveryCap(store, teamId, spec)
  if (over) return over
  const slot = previews.enter(teamId)
  if (slot.kind !== 'place') return slot
  try {
    const pool = monitorQueue(spec) === 'visual' ? 'visual' : 'runs'
    return await paidWork(
      store,
      { kind: 'preview', teamId, pool, cost: 1 },
      (work) => slot.run(work, spec),
      ({ kind }) => kind === 'done',
    )
  } finally {
    slot.leave()
  }
}
