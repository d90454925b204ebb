import type { Finished } from '../../runners/check/check-source.ts'
import { fieldsToRender } from '../../runners/check/missing-match.ts'
import type { PageTask } from '../../runners/check/task.ts'
import { releaseChecks } from '../../store/queue/lease.ts'
import { handOver, rememberLayer, rememberMedia, renderMissing } from '../../store/queue/remember-layer.ts'
import { answered, heldBy } from '../queue/answered.ts'
import type { Settling, SettlingParts } from './work-kind.ts'

/** Returns what hands a check of a page over, remembers its layer, asks the model, and records the outcome. */
export function createPageSettling({ store, recorder, prompts, extractor }: SettlingParts): Settling<PageTask> {
  return {
    async settle(finished, context, signal) {
      const { task, reading } = finished
      if (reading.kind === 'moved') {
        await handOver(store, { ...task, reason: reading.reason })
        return true
      }
      if (isReadTwice(finished)) await rememberMedia(store, { ...task, isNeeded: 'needsMedia' in reading })
      if ('remember' in reading && reading.remember) await rememberLayer(store, { ...task, queue: reading.remember })
      else if (await isRenderedForMissing(task, reading)) return true
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
      const recordable = await answered(
        { ...finished, reading },
        { prompts, extractor, teamId: context.teamId, signal },
      )
      if (recordable === null) return false
      await recorder.record(recordable, context)
      return true
    },
  }

  /** Hands a check over to the browser where only that may find what its rules select. Returns whether it did. */
  async function isRenderedForMissing(task: PageTask, reading: Finished['reading']): Promise<boolean> {
    const fields = fieldsToRender(reading, task)
    return fields.length > 0 && renderMissing(store, { ...task, fields })
  }
}

/** Returns whether a page was rendered without its media, and then with them. */
function isReadTwice({ task, reading }: Finished<PageTask>): boolean {
  if ('needsMedia' in reading) return true
  const isRead = reading.kind === 'values' || reading.kind === 'unchanged'
  return isRead && task.withoutMedia !== undefined && !task.triesStatic && reading.withoutMedia !== true
}

/** A check that found the model's queue full is due again after this time. */
const FULL_MS = 10_000
