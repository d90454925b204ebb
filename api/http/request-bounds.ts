import { Slots } from '../../concurrency/gates/slots.ts'
import { REQUEST_LIMITS } from '../../schema/request-limits.ts'
import { ApiError } from './api-error.ts'
import { left } from './common-errors.ts'

type Bounded = 'handling' | 'bodies' | 'answers' | 'pictures'
type Limits = {
  readonly [K in keyof typeof REQUEST_LIMITS]: K extends Bounded
    ? { readonly [B in keyof (typeof REQUEST_LIMITS)[K]]: number }
    : number
}

const RETRY = { headers: { 'retry-after': '2' } } as const
const NOUNS = {
  handling: 'requests',
  bodies: 'large bodies',
  answers: 'large answers',
  pictures: 'pictures',
} as const satisfies Record<Bounded, string>

/**
 * Bounds what the requests of one team take of this process. Without it the team with the most connections has all
 * connections to the store, and as many bodies and answers in memory as it sends and does not read.
 */
export class RequestBounds {
  readonly limits: Limits
  readonly #slots: Readonly<Record<Bounded, Slots>>

  constructor(limits: Limits = REQUEST_LIMITS) {
    this.limits = limits
    this.#slots = {
      handling: new Slots(limits.handling),
      bodies: new Slots(limits.bodies),
      answers: new Slots(limits.answers),
      pictures: new Slots(limits.pictures),
    }
  }

  /** What is taken now: requests, or bytes. */
  held(what: Bounded): number {
    return this.#slots[what].held
  }

  /** How many wait now. */
  waiting(what: Bounded): number {
    return this.#slots[what].waiting
  }

  /**
   * Waits until one request is handled, or so many bytes are received, sent or read. Returns what gives them back.
   * Throws the 429 of what waits too long. `leftOf` returns what fires when the client has left; it is called only
   * where there is a wait.
   */
  async take(what: Bounded, teamId: string, amount: number, leftOf: () => AbortSignal): Promise<() => void> {
    const slots = this.#slots[what]
    const { waitMs } = this.limits[what]
    const taken = slots.tryTake(teamId, amount) ?? (await slots.take(teamId, { amount, signal: leftOf(), waitMs }))
    if (typeof taken === 'function') return taken
    if (taken === 'left') throw left()
    const message = `Too many ${NOUNS[what]} of your team are under way at once. Send fewer at the same time.`
    throw new ApiError('RATE_LIMIT_EXCEEDED', message, RETRY)
  }
}
