import type { Store } from '../../store/db/client.ts'
import { releaseChecks } from '../../store/queue/lease.ts'
import { handOver, rememberLayer } from '../../store/queue/remember-layer.ts'
import type { RecordContext, Recorder } from '../record/recorder.ts'
import { answered, heldBy } from './answered.ts'
import type { Finished } from '../../runners/check/check-source.ts'
import type { Prompts } from '../prompts/prompts-port.ts'

interface SettlingOptions {
  readonly store: Store
  readonly recorder: Recorder
  /** Asks the model; null: this installation has no model. */
  readonly prompts: Prompts | null
}

/**
 * The trusted side of a check that ended: hands the check over, remembers its layer, asks the model, records the
 * outcome. Both kinds of check source use it. Returns false if the signal or a stop came before the model's answer;
 * then nothing was done and the check is still leased.
 */
type Settle = (finished: Finished, context: RecordContext, signal: AbortSignal) => Promise<boolean>

export function createSettling({ store, recorder, prompts }: SettlingOptions): Settle {
  return async (finished, context, signal) => {
    const { task, reading } = finished
    if (reading.kind === 'moved') {
      await handOver(store, { ...task, queue: reading.queue })
      return true
    }
    if (reading.kind !== 'failed' && reading.remember) await rememberLayer(store, { ...task, queue: reading.remember })
    if (reading.kind !== 'text') {
      await recorder.record({ ...finished, reading }, context)
      return true
    }
    // If the model's queue is full, the check is released and runs again later. Its page would be too old by the time
    // of the answer.
    if (prompts?.hasRoom(heldBy(reading)) === false) {
      await releaseChecks(store, [{ no: task.no, fence: task.fence, delayMs: FULL_MS }]).catch(() => {})
      return true
    }
    const recordable = await answered({ ...finished, reading }, { prompts, teamId: context.teamId, signal })
    if (recordable === null) return false
    await recorder.record(recordable, context)
    return true
  }
}

/** A check that found the model's queue full is due again after this time. */
const FULL_MS = 10_000
