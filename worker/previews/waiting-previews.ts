import { sleep } from '../../concurrency/loops/sleep.ts'
import type { Store } from '../../store/db/client.ts'
import { isStoreAway } from '../../store/db/store-fault.ts'
import type { AnswerSignals } from '../../store/previews/answer-signals.ts'
import {
  addPreview,
  arePreviewsClaimed,
  dropLeftAlone,
  dropPreview,
  MOST_OF_TEAM,
  takeAnswer,
} from '../../store/previews/previews.ts'
import type { SecretBox } from '../../store/secrets/secret-box.ts'
import { openAnswer, type PreviewAnswer, type PreviewRequest, sealRequest } from './preview-record.ts'

/** Previews that runners do, for a process without a browser. */
export interface WaitingPreviews {
  /** Returns whether anybody would do them. */
  areClaimed(isIsolated: boolean): Promise<boolean>
  /** Waits for a runner's answer. Rejects when the store is away until the end. */
  ask(wanted: WantedPreview, signal: AbortSignal): Promise<PreviewAnswered>
}

interface WantedPreview {
  readonly teamId: string
  readonly request: PreviewRequest
  readonly isIsolated: boolean
}

export type PreviewAnswered =
  | ({ readonly kind: 'answered' } & PreviewAnswer)
  /** No runner answered in time. `isBegun`: one has tried. */
  | { readonly kind: 'unanswered'; readonly seconds: number; readonly isBegun: boolean }
  /** The engine of the search is left alone until this time, so no runner makes it. */
  | { readonly kind: 'left_alone'; readonly untilMs: number }
  | { readonly kind: 'limit'; readonly of: 'installation'; readonly limit: number }
  /** The process is stopping. */
  | { readonly kind: 'stopping' }

interface WaitingPreviewsOptions {
  readonly store: Store
  readonly secrets: SecretBox
  readonly signals: AnswerSignals
  /** How long a runner has, the start of its pod included. Default 55, and 35 where the model is asked after it. */
  readonly seconds?: number
}

/** A client and a proxy before it wait for a minute. */
const SECONDS = 55
/** The model needs the rest of it. */
const PROMPT_SECONDS = 35
/** How often the store is asked where no signal comes. */
const LOOK_MS = 1_000

interface Waiting {
  readonly until: number
  readonly isSearch: boolean
  readonly signal: AbortSignal
}

/** How waiting ended: with an answer or without one, or because the engine is left alone until a time. */
type Ended = { readonly answer: Buffer | null; readonly isBegun?: boolean } | { readonly untilMs: number }

export function createWaitingPreviews(options: WaitingPreviewsOptions): WaitingPreviews {
  const { store, secrets, signals } = options

  /** Waits until there is an answer, or until the time is over. A store that is away is asked again. */
  async function endOf(id: string, { until, isSearch, signal }: Waiting): Promise<Ended> {
    const watch = signals.watch(id)
    const stop = () => watch.stop()
    signal.addEventListener('abort', stop)
    try {
      for (let left = until - performance.now(); left > 0 && !signal.aborted; left = until - performance.now()) {
        await watch.next(Math.min(LOOK_MS, left))
        const ended = await look(id, isSearch).catch(async (error: unknown) => {
          if (!isStoreAway(error) || until < performance.now()) throw error
          await sleep(Math.min(LOOK_MS, left))
          return null
        })
        if (ended !== null) return ended
      }
      return await dropPreview(store, id)
    } finally {
      signal.removeEventListener('abort', stop)
      watch.stop()
    }
  }

  /** Null: it still waits. */
  async function look(id: string, isSearch: boolean): Promise<Ended | null> {
    const answer = await takeAnswer(store, id)
    if (answer !== null) return { answer }
    const untilMs = isSearch ? await dropLeftAlone(store, id) : null
    return untilMs === null ? null : { untilMs }
  }

  return {
    areClaimed: (isIsolated) => arePreviewsClaimed(store, isIsolated),
    async ask({ teamId, request: asked, isIsolated }, signal) {
      const asksModel = 'extract' in asked && asked.extract.method === 'prompt'
      const seconds = options.seconds ?? (asksModel ? PROMPT_SECONDS : SECONDS)
      const until = performance.now() + seconds * 1000
      const row = { id: crypto.randomUUID(), teamId }
      const request = sealRequest(secrets, row, asked)
      const engine = 'search' in asked ? asked.search.engine : null
      if (!(await addPreview(store, { ...row, request, isIsolated, engine, seconds })))
        return { kind: 'limit', of: 'installation', limit: MOST_OF_TEAM }
      const ended = await endOf(row.id, { until, isSearch: engine !== null, signal })
      if ('untilMs' in ended) return { kind: 'left_alone', untilMs: ended.untilMs }
      if (ended.answer !== null) return { kind: 'answered', ...openAnswer(secrets, row, ended.answer) }
      return signal.aborted ? { kind: 'stopping' } : { kind: 'unanswered', seconds, isBegun: ended.isBegun === true }
    },
  }
}
