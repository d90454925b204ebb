import { WaitingBudget } from '../../concurrency/gates/waiting-budget.ts'
import { REQUEST_LIMITS } from '../../schema/request-limits.ts'
import { ApiError } from './api-error.ts'
import { left } from './common-errors.ts'

type Limits = { readonly [K in keyof typeof REQUEST_LIMITS]: number }

/** Gives back what was taken. To be called once. */
type GiveBack = () => void

/** Returns what fires when the client has left. Called only where a request has to wait. */
type Left = () => AbortSignal

const RETRY = { headers: { 'retry-after': '2' } } as const
const NOUNS = {
  handling: 'requests',
  bodies: 'large bodies',
  answers: 'large answers',
  pictures: 'pictures',
} as const
type Bounded = keyof typeof NOUNS

/**
 * Bounds what the requests of one team take of this process. Without it the team with the most connections has all
 * connections to the store, and as many bodies and answers in memory as it sends and does not read.
 */
export class RequestBounds {
  readonly limits: Limits
  readonly #budgets: Readonly<Record<Bounded, WaitingBudget<string>>>

  constructor(limits: Limits = REQUEST_LIMITS) {
    this.limits = limits
    this.#budgets = {
      handling: new WaitingBudget<string>({
        total: limits.total,
        perKey: limits.perTeam,
        mostWaiting: limits.waiting,
        mostWaitingPerKey: limits.teamWaiting,
      }),
      bodies: new WaitingBudget<string>({
        total: limits.bodyBytes,
        perKey: limits.teamBodyBytes,
        mostWaiting: limits.bodiesWaiting,
        mostWaitingPerKey: limits.teamBodiesWaiting,
      }),
      answers: new WaitingBudget<string>({
        total: limits.answerBytes,
        perKey: limits.teamAnswerBytes,
        mostWaiting: limits.answersWaiting,
        mostWaitingPerKey: limits.teamAnswersWaiting,
      }),
      pictures: new WaitingBudget<string>({
        total: limits.pictureBytes,
        perKey: limits.teamPictureBytes,
        mostWaiting: limits.picturesWaiting,
        mostWaitingPerKey: limits.teamPicturesWaiting,
      }),
    }
  }

  /** What is taken now: requests, or bytes. */
  held(what: Bounded): number {
    return this.#budgets[what].held
  }

  /** How many wait now. */
  waiting(what: Bounded): number {
    return this.#budgets[what].waiting
  }

  /** Waits for the turn of a request. Throws the 429 of one that waits too long. */
  turn(teamId: string, left: Left): Promise<GiveBack> {
    return this.#take('handling', teamId, { amount: 1, waitMs: this.limits.waitMs, left })
  }

  /** Waits until a body of this size may be received. */
  body(teamId: string, bytes: number, left: Left): Promise<GiveBack> {
    return this.#take('bodies', teamId, { amount: bytes, waitMs: this.limits.bytesWaitMs, left })
  }

  /** Waits until an answer of this size may be sent. */
  answer(teamId: string, bytes: number, left: Left): Promise<GiveBack> {
    return this.#take('answers', teamId, { amount: bytes, waitMs: this.limits.bytesWaitMs, left })
  }

  /** Waits until a picture of this size may be read and sent. */
  picture(teamId: string, bytes: number, left: Left): Promise<GiveBack> {
    return this.#take('pictures', teamId, { amount: bytes, waitMs: this.limits.bytesWaitMs, left })
  }

  async #take(
    what: Bounded,
    teamId: string,
    wait: { readonly amount: number; readonly waitMs: number; readonly left: Left },
  ): Promise<GiveBack> {
    const budget = this.#budgets[what]
    const taken =
      budget.tryTake(teamId, wait.amount) ??
      (await budget.take(teamId, wait.amount, { signal: wait.left(), waitMs: wait.waitMs }))
    if (typeof taken === 'function') return taken
    if (taken === 'left') throw left()
    const message = `Too many ${NOUNS[what]} of your team are under way at once. Send fewer at the same time.`
    throw new ApiError('RATE_LIMIT_EXCEEDED', message, RETRY)
  }
}
