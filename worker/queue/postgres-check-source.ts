import type { CheckQueue } from '../../core/check-queue.ts'
import type { Store } from '../../store/db/client.ts'
import { extendLeases, releaseChecks } from '../../store/queue/lease.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { Task } from '../../runners/check/task.ts'
import type { RecordContext, Recorder } from '../record/recorder.ts'
import { createClaims } from './claims.ts'
import type { CheckSource } from '../../runners/check/check-source.ts'
import type { Prompts } from '../prompts/prompts-port.ts'
import { createSettling } from './completion.ts'
import { contextOf } from './task-of.ts'

interface PostgresCheckSourceOptions {
  readonly store: Store
  readonly secrets: SecretBox
  readonly recorder: Recorder
  /** Asks the model; null: this installation has no model. */
  readonly prompts?: Prompts | null
  /** Queues in the order in which they are tried. */
  readonly queues: readonly CheckQueue[]
  readonly leaseMs: number
}

/** The check source within the process: it claims from the tables and records into them. */
export function createPostgresCheckSource(options: PostgresCheckSourceOptions): CheckSource {
  const { store, secrets, recorder, prompts = null, queues, leaseMs } = options
  const leaseSeconds = leaseMs / 1000
  const contexts = new WeakMap<Task, RecordContext>()
  const settle = createSettling({ store, recorder, prompts })
  const claim = createClaims({
    store,
    secrets,
    queues,
    leaseSeconds,
    hasModel: prompts !== null,
    onTask: (task, row) => contexts.set(task, contextOf(row)),
  })

  return {
    claim: (limit) => claim(limit, null),
    heartbeat: (tasks) => extendLeases(store, tasks, leaseSeconds),
    async complete(finished, signal = NEVER) {
      const context = contexts.get(finished.task)
      if (!context) throw new TypeError('a check source completes only what it gave out')
      await settle(finished, context, signal)
    },
    release: (tasks, delayMs) =>
      releaseChecks(
        store,
        tasks.map(({ no, fence }) => ({ no, fence, delayMs })),
      ),
  }
}

const NEVER = new AbortController().signal
