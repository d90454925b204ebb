import type { CheckQueue } from '../../core/check-queue.ts'
import type { CheckSource } from '../../runners/check/check-source.ts'
import type { Task } from '../../runners/check/task.ts'
import type { Extractor } from '../../runners/extract/pool/extractor.ts'
import type { Store } from '../../store/db/client.ts'
import { extendLeases, releaseChecks } from '../../store/queue/lease.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { SearchClaims, SearchSettling, WorkKind } from '../kinds/work-kind.ts'
import type { Prompts } from '../prompts/prompts-port.ts'
import type { RecordContext, Recorder } from '../record/recording.ts'
import { createClaims } from './claim-round.ts'
import { contextOf } from './claimed.ts'
import { createSettling } from './settling.ts'

interface PostgresCheckSourceOptions {
  readonly store: Store
  readonly secrets: SecretBox
  readonly kinds: readonly WorkKind[]
  readonly recorder: Recorder
  /** Asks the model; null: this installation has no model. */
  readonly prompts?: Prompts | null
  /** Treats answers of the model. Absent: no check has treatments. */
  readonly extractor?: Pick<Extractor, 'read'> | undefined
  /** Queues in the order in which they are tried. */
  readonly queues: readonly CheckQueue[]
  readonly leaseMs: number
  /** How searches are claimed and spaced. */
  readonly search?: (SearchClaims & SearchSettling) | undefined
}

/** The check source within the process: it claims from the tables and records into them. */
export function createPostgresCheckSource(options: PostgresCheckSourceOptions): CheckSource {
  const { store, secrets, kinds, recorder, prompts = null, extractor, queues, leaseMs, search } = options
  const leaseSeconds = leaseMs / 1000
  const contexts = new WeakMap<Task, RecordContext>()
  const settling = createSettling(kinds, { store, recorder, prompts, extractor, search })
  const claim = createClaims({
    store,
    secrets,
    kinds,
    queues,
    leaseSeconds,
    hasModel: prompts !== null,
    search,
    onTask: (task, row) => contexts.set(task, contextOf(row)),
  })

  /** Returns the kinds of some tasks with what those hold. */
  const ofKinds = (tasks: readonly Task[]) =>
    kinds.flatMap(({ kind, exits }) => {
      const own = exits ? tasks.filter((task) => task.kind === kind) : []
      return own.length > 0 ? [{ exits, own }] : []
    })

  return {
    claim: (limit, exceptTeams) => claim(limit, { holder: null, exceptTeams }),
    async heartbeat(tasks) {
      for (const { exits, own } of ofKinds(tasks)) await exits?.keep(store, own, leaseSeconds)
      return extendLeases(store, tasks, leaseSeconds)
    },
    async complete(finished, signal = NEVER) {
      const context = contexts.get(finished.task)
      if (!context) throw new TypeError('a check source completes only what it gave out')
      await settling.settle(finished, context, signal)
    },
    async release(tasks, delayMs) {
      for (const { exits, own } of ofKinds(tasks)) await exits?.free(store, own, search?.spacingMs ?? 0)
      await releaseChecks(
        store,
        tasks.map(({ no, fence }) => ({ no, fence, delayMs })),
      )
    },
  }
}

const NEVER = new AbortController().signal
