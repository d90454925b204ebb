import { Slots } from '../../concurrency/gates/slots.ts'
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
    predicate_trial: createKind('predicate_trial', bounds.predicate_trial),
    difference: createKind('difference', bounds.difference),
    export: createKind('export', bounds.export),
    bulk: createKind('bulk', bounds.bulk),
    replay: createKind('replay', bounds.replay),
    delivery_test: createKind('delivery_test', bounds.delivery_test),
    look_extract: createKind('look_extract', bounds.look_extract),
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
  const { total, perTeam, waiting: teamWaiting, waitMs } = bound
  const slots = new Slots({ total, perTeam, teamWaiting })
  const ended = { done: 0, full: 0, late: 0, left: 0 }

  async function take(teamId: string, signal: AbortSignal): Promise<() => void> {
    const leave = await slots.take(teamId, { signal, waitMs })
    if (typeof leave === 'function')
      return () => {
        ended.done += 1
        leave()
      }
    ended[leave] += 1
    throw leave === 'left' ? left() : noSlot(kind, bound, leave)
  }

  return {
    take,
    ended,
    get working() {
      return slots.held
    },
    get waiting() {
      return slots.waiting
    },
  }
}

const NOUNS = {
  backtest: 'backtests',
  predicate_trial: 'trials of predicates',
  difference: 'comparisons of texts',
  export: 'exports',
  bulk: 'bulk actions',
  replay: 'replays of many deliveries',
  delivery_test: 'tests of destinations',
  look_extract: 'trials of rules',
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
