import { Running } from '../../concurrency/loops/wakeable-loop.ts'
import { byKind } from '../../core/by-kind.ts'
import type { Tracer } from '../../core/tracer.ts'
import type { Task } from '../../runners/check/task.ts'
import type { RunFault } from '../../schema/run/run-fault.ts'
import { storeOutage } from '../../store/db/store-fault.ts'
import type { WorkKind } from '../kinds/work-kind.ts'
import type { Recorder, RecordContext, RecordingOptions } from './recording.ts'
import { createRunLog, createRunWriters, type Recordable, type RunEnd } from './run-writers.ts'

interface RecorderOptions extends RecordingOptions {
  readonly kinds: readonly WorkKind[]
  readonly tracer?: Tracer | undefined
}

export function createRecorder(options: RecorderOptions): Recorder {
  const { kinds, log } = options
  const running = new Running()
  const runLog = createRunLog(log)

  function onFault({ runId, monitorId }: Task, { message }: RunFault): void {
    log.error({ run_id: runId, monitor_id: monitorId, reason: message }, 'a run ended with an internal error')
    options.onInternalError?.()
  }

  const parts = { ...options, writers: createRunWriters(options), onFault }
  const recordings = kinds.map((kind) => ({ kind: kind.kind, recording: kind.recording(parts) }))

  async function write(finished: Recordable, context: RecordContext): Promise<RunEnd | null> {
    const { task } = finished
    return byKind(recordings, task.kind).recording.record({ finished, task, context })
  }

  async function record(finished: Recordable, context: RecordContext): Promise<void> {
    try {
      const end = await write(finished, context)
      if (!end) return
      runLog.ended(finished, context.monitorName, end)
      if (options.tracer) trace(options.tracer, finished, end)
    } catch (error) {
      if (storeOutage(log).covers(error, 'outcomes that were given up')) return
      const text = 'an outcome was not recorded; the check runs again when its lease ends'
      log.error({ err: error, run_id: finished.task.runId }, text)
    }
  }

  return {
    record(finished, context) {
      const recorded = record(finished, context)
      running.add(recorded)
      return recorded
    },
    async settle() {
      await running.settled()
      runLog.close()
    },
  }
}

/** The store's times are turned into this process's: the claim was at both. */
function trace(tracer: Tracer, { task, reading, startedMs, endedMs }: Recordable, end: RunEnd): void {
  const { claimedAt, claimedMs, runId, monitorId } = task
  const startedAt = claimedAt + startedMs - claimedMs
  tracer.check({
    task,
    runId,
    monitorId,
    layer: reading.fetchMethod,
    outcome: end.outcome,
    fired: end.fired,
    code: end.code ?? null,
    claimedAt: Math.min(claimedAt, startedAt),
    startedAt,
    endedAt: claimedAt + endedMs - claimedMs,
  })
}
