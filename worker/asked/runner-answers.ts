import { sleep } from '../../concurrency/loops/sleep.ts'
import type { SerpEngine } from '../../schema/serp/serp-search.ts'
import type { AnswerSignals } from '../../store/asked/answer-signals.ts'
import type { AskedWork } from '../../store/asked/asked-work.ts'
import { areOffersClaimed, lookAtOffer, MAX_OF_TEAM, offerWork } from '../../store/asked/offers.ts'
import type { Store } from '../../store/db/client.ts'
import { isStoreAway } from '../../store/db/store-fault.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { openAnswer, sealRequest } from '../queue/asked-kind.ts'

/** Asked work that runners do, for a process without a browser. */
export interface RunnerAnswers {
  /** Returns whether anybody would do it. */
  areClaimed(isIsolated: boolean): Promise<boolean>
  /** Waits for a runner's answer. Rejects when the store is away until the end. */
  ask(offered: Offered, signal: AbortSignal): Promise<RunnerAnswer>
}

interface Offered {
  readonly work: AskedWork
  /** As JSON: its kind says what is in it, and in the answer. */
  readonly request: unknown
  /** The engine of a search. Null: it asks none. */
  readonly engine: SerpEngine | null
  readonly isIsolated: boolean
  /** How long a runner has, the start of its pod included. */
  readonly seconds: number
  /** What the runner must have (schema/level.ts). */
  readonly level: number
}

export type RunnerAnswer =
  /** What was kept of the answer. */
  | { readonly kind: 'answered'; readonly kept: unknown }
  /** No runner answered in time. `isBegun`: one has tried. */
  | { readonly kind: 'unanswered'; readonly seconds: number; readonly isBegun: boolean }
  /** The engine of the search is left alone until this time, so no runner makes it. */
  | { readonly kind: 'left_alone'; readonly untilMs: number }
  | { readonly kind: 'limit'; readonly of: 'installation'; readonly limit: number }
  /** The process is stopping. */
  | { readonly kind: 'stopping' }

interface RunnerAnswersOptions {
  readonly store: Store
  readonly secrets: SecretBox
  readonly signals: AnswerSignals
  /** Shortens each wait to so many seconds. Default: none is. */
  readonly mostSeconds?: number
}

/** How often the store is asked where no signal comes. */
const LOOK_MS = 1_000

export function createRunnerAnswers({ store, secrets, signals, ...limits }: RunnerAnswersOptions): RunnerAnswers {
  const { mostSeconds = Infinity } = limits

  /** Waits until there is an answer, or until the time is over. A store that is away is asked again. */
  async function endOf(work: AskedWork, until: number, signal: AbortSignal): ReturnType<typeof lookAtOffer> {
    const watch = signals.watch(work.id)
    const stop = () => watch.stop()
    signal.addEventListener('abort', stop)
    try {
      for (let left = until - performance.now(); left > 0 && !signal.aborted; left = until - performance.now()) {
        await watch.next(Math.min(LOOK_MS, left))
        const seen = await lookAtOffer(store, work).catch(async (error: unknown) => {
          if (!isStoreAway(error) || until < performance.now()) throw error
          await sleep(Math.min(LOOK_MS, left))
          return null
        })
        if (seen !== null && (seen.answer !== null || seen.left_until_ms !== null)) return seen
      }
      return await lookAtOffer(store, work)
    } finally {
      signal.removeEventListener('abort', stop)
      watch.stop()
    }
  }

  return {
    areClaimed: (isIsolated) => areOffersClaimed(store, isIsolated),
    async ask({ work, request, engine, isIsolated, seconds: wanted, level }, signal) {
      const seconds = Math.min(wanted, mostSeconds)
      const until = performance.now() + seconds * 1000
      const sealed = sealRequest(secrets, work, request)
      if (!(await offerWork(store, work, { request: sealed, isIsolated, engine, seconds, level })))
        return { kind: 'limit', of: 'installation', limit: MAX_OF_TEAM }
      const { answer, is_begun: isBegun, left_until_ms: untilMs } = await endOf(work, until, signal)
      if (answer !== null) return { kind: 'answered', kept: openAnswer(secrets, work, answer) }
      if (untilMs !== null) return { kind: 'left_alone', untilMs }
      return signal.aborted ? { kind: 'stopping' } : { kind: 'unanswered', seconds, isBegun }
    },
  }
}
