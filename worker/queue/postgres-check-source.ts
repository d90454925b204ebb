import type { CheckQueue } from '../../core/check-queue.ts'
import type { CheckSource, Finished } from '../../runners/check/check-source.ts'
import { fieldsToRender } from '../../runners/check/missing-match.ts'
import type { PageTask, Task } from '../../runners/check/task.ts'
import type { Store } from '../../store/db/client.ts'
import { freeExits, keepExits } from '../../store/queue/claim-search.ts'
import { extendLeases, releaseChecks } from '../../store/queue/lease.ts'
import { handOver, rememberLayer, renderMissing } from '../../store/queue/remember-layer.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import type { Prompts } from '../prompts/prompts-port.ts'
import type { Recorder } from '../record/recorder.ts'
import type { RecordContext } from '../record/recording.ts'
import type { EndedSearch, Searches } from '../searches/searches.ts'
import { answered, heldBy } from './answered.ts'
import { createClaims, contextOf, type SearchClaims } from './claim-round.ts'

interface PostgresCheckSourceOptions {
  readonly store: Store
  readonly secrets: SecretBox
  readonly recorder: Recorder
  /** Asks the model; null: this installation has no model. */
  readonly prompts?: Prompts | null
  /** Queues in the order in which they are tried. */
  readonly queues: readonly CheckQueue[]
  readonly leaseMs: number
  /** How searches are claimed and spaced. */
  readonly search?: (SearchClaims & SearchSettling) | undefined
}

/** What the end of a search needs. */
export interface SearchSettling {
  /** `TIDEMARK_SERP_SPACING_MS`. */
  readonly spacingMs: number
  /** Absent: the outcome is recorded as it is. */
  readonly searches?: Searches | undefined
}

/** The check source within the process: it claims from the tables and records into them. */
export function createPostgresCheckSource(options: PostgresCheckSourceOptions): CheckSource {
  const { store, secrets, recorder, prompts = null, queues, leaseMs, search } = options
  const leaseSeconds = leaseMs / 1000
  const contexts = new WeakMap<Task, RecordContext>()
  const settle = createSettling({ store, recorder, prompts, search })
  const claim = createClaims({
    store,
    secrets,
    queues,
    leaseSeconds,
    hasModel: prompts !== null,
    search,
    onTask: (task, row) => contexts.set(task, contextOf(row)),
  })

  return {
    claim: (limit, exceptTeams) => claim(limit, { holder: null, exceptTeams }),
    async heartbeat(tasks) {
      const searches = tasks.filter(isSearch)
      if (searches.length > 0) await keepExits(store, searches, leaseSeconds)
      return extendLeases(store, tasks, leaseSeconds)
    },
    async complete(finished, signal = NEVER) {
      const context = contexts.get(finished.task)
      if (!context) throw new TypeError('a check source completes only what it gave out')
      await settle(finished, context, signal)
    },
    async release(tasks, delayMs) {
      const searches = tasks.filter(isSearch)
      if (searches.length > 0) await freeExits(store, searches, search?.spacingMs ?? 0)
      await releaseChecks(
        store,
        tasks.map(({ no, fence }) => ({ no, fence, delayMs })),
      )
    },
  }
}

const isSearch = ({ kind }: Task) => kind === 'serp'

const NEVER = new AbortController().signal

interface SettlingOptions {
  readonly store: Store
  readonly recorder: Recorder
  /** Asks the model; null: this installation has no model. */
  readonly prompts: Prompts | null
  readonly search?: SearchSettling | undefined
}

/**
 * The trusted side of a check that ended: hands the check over, remembers its layer, asks the model, records the
 * outcome. Both kinds of check source use it. Returns false if the signal or a stop came before the model's answer;
 * then nothing was done and the check is still leased.
 */
type Settle = (finished: Finished, context: RecordContext, signal: AbortSignal) => Promise<boolean>

export function createSettling({ store, recorder, prompts, search }: SettlingOptions): Settle {
  return async (finished, context, signal) => {
    const { task, reading } = finished
    if (task.kind === 'serp') return settleSearch({ ...finished, task }, context, signal)
    if (reading.kind === 'moved') {
      await handOver(store, { ...task, reason: reading.reason })
      return true
    }
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
    const recordable = await answered({ ...finished, reading }, { prompts, teamId: context.teamId, signal })
    if (recordable === null) return false
    await recorder.record(recordable, context)
    return true
  }

  /** Hands a check over to the browser where only that may find what its rules select. Returns whether it did. */
  async function isRenderedForMissing(task: PageTask, reading: Finished['reading']): Promise<boolean> {
    const fields = fieldsToRender(reading, task)
    return fields.length > 0 && renderMissing(store, { ...task, fields })
  }

  async function settleSearch(given: EndedSearch, context: RecordContext, signal: AbortSignal): Promise<boolean> {
    const settled = search?.searches ? await search.searches.ended(given, context.teamId, signal) : given
    const { reading, ...ended } = settled
    if (reading.kind === 'moved' || reading.kind === 'text')
      throw new TypeError(`the check of a search cannot be ${reading.kind}`)
    await recorder.record({ ...ended, reading }, context)
    return true
  }
}

/** A check that found the model's queue full is due again after this time. */
const FULL_MS = 10_000
