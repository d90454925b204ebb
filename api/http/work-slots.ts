import { createKeyedBudget } from '../../concurrency/gates/keyed-budget.ts'
import { createSlotQueue } from '../../concurrency/gates/slot-queue.ts'
import { WORK, type WorkBound, type WorkKind } from '../../schema/work.ts'
import { ApiError } from './api-error.ts'
import { left } from './common-errors.ts'

/** The kinds whose slots are here. Previews keep theirs themselves (worker/previews). */
export type SlotKind = Exclude<WorkKind, 'preview'>

/** The slots of this process for each kind of work. */
export interface WorkSlots {
  /**
   * Returns a function that frees the slot, to be called once. Throws the error that answers a request without a slot.
   */
  take(kind: SlotKind, teamId: string, signal: AbortSignal): Promise<() => void>
  readonly figures: Readonly<Record<SlotKind, WorkFigures>>
}

/** Requests of one kind of work: now, and since the start by how they ended. */
interface WorkFigures {
  readonly working: number
  readonly waiting: number
  /** `done`: they had a slot, whatever the answer. `full`, `late`: refused. `left`: closed while they waited. */
  readonly ended: Readonly<Record<'done' | 'full' | 'late' | 'left', number>>
}

/** Creates the slots with these bounds. */
export function createWorkSlots(bounds: Readonly<Record<SlotKind, WorkBound>> = WORK): WorkSlots {
  const kinds = {
    backtest: createKind('backtest', bounds.backtest),
    difference: createKind('difference', bounds.difference),
    export: createKind('export', bounds.export),
    bulk: createKind('bulk', bounds.bulk),
  } as const satisfies Readonly<Record<SlotKind, Kind>>
  return {
    take: (kind, teamId, signal) => kinds[kind].take(teamId, signal),
    figures: kinds,
  }
}

interface Kind extends WorkFigures {
  take(teamId: string, signal: AbortSignal): Promise<() => void>
}

function createKind(kind: SlotKind, bound: WorkBound): Kind {
  const { total, perTeam, waiting: mayWait, waitMs } = bound
  const queue = createSlotQueue({ total, perKey: perTeam })
  // Those at work and those that wait. Where other teams have all slots, all of a team's wait.
  const present = createKeyedBudget<string>({ total: Infinity, perKey: perTeam + mayWait })
  const figures = { working: 0, waiting: 0, ended: { done: 0, full: 0, late: 0, left: 0 } }

  async function take(teamId: string, signal: AbortSignal): Promise<() => void> {
    const depart = present.take(teamId, 1)
    if (typeof depart === 'string') throw refused(kind, bound, 'full')
    figures.waiting += 1
    const leave = await queue.enter(teamId, signal, waitMs)
    figures.waiting -= 1
    if (typeof leave === 'function') {
      figures.working += 1
      return () => {
        figures.working -= 1
        figures.ended.done += 1
        leave()
        depart()
      }
    }
    depart()
    if (leave === 'late') throw refused(kind, bound, 'late')
    figures.ended.left += 1
    throw left()
  }

  function refused(...[, , why]: Parameters<typeof noSlot>): ApiError {
    figures.ended[why] += 1
    return noSlot(kind, bound, why)
  }

  return Object.assign(figures, { take })
}

const NOUNS = {
  backtest: 'backtests',
  difference: 'comparisons of texts',
  export: 'exports',
  bulk: 'bulk actions',
} as const satisfies Record<SlotKind, string>

function noSlot(kind: SlotKind, { perTeam, total, waiting, waitMs, budgetMs }: WorkBound, why: 'full' | 'late') {
  const seconds = Math.ceil(Math.min(waitMs, budgetMs ?? waitMs) / 1_000)
  const limits = `${perTeam} of a team and ${total} of all teams are at work at once in one process`
  const message =
    why === 'full'
      ? `Of ${NOUNS[kind]}, ${limits}, and ${waiting} more of a team wait. So many do.`
      : `Of ${NOUNS[kind]}, ${limits}. None of these ended within ${waitMs / 1_000} s.`
  return new ApiError('RATE_LIMIT_EXCEEDED', `${message} Nothing was done. Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  })
}
