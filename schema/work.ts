import { DELIVERY_TIMEOUT_MS } from './run/delivery.ts'

/** What bounds the routes of one kind of work, in each API process. */
export interface WorkBound {
  /** How many requests of a team are at work at once. */
  readonly perTeam: number
  /** How many requests of all teams are at work at once. */
  readonly total: number
  /** How many further requests of a team wait for a slot. Teams take turns. */
  readonly waiting: number
  /** How long a request waits, in milliseconds. */
  readonly waitMs: number
  /** After this time the work ends by itself, in milliseconds. Null: its parts have their own limits. */
  readonly budgetMs: number | null
  /**
   * What becomes of work whose client has closed the request. `ends`: it ends, and its slot is free. `goes on`: it ends
   * as if the client were still connected, because a part of it cannot be taken back. Until then it keeps its slot.
   */
  readonly whenClosed: 'ends' | 'goes on'
}

/**
 * The routes that do work instead of reading or writing a record. Each declares its kind. A request for which there is
 * no slot is 429 `RATE_LIMIT_EXCEEDED`.
 */
export const WORK = {
  /** Evaluates a predicate on stored changes. Its patterns may be slow. */
  backtest: { perTeam: 1, total: 2, waiting: 2, waitMs: 10_000, budgetMs: 5_000, whenClosed: 'ends' },
  /** Evaluates a predicate on two readings, as a person types. Its patterns may be slow. */
  predicate_trial: { perTeam: 2, total: 4, waiting: 8, waitMs: 10_000, budgetMs: 5_000, whenClosed: 'ends' },
  /** Compares the texts of a run. */
  difference: { perTeam: 1, total: 4, waiting: 8, waitMs: 10_000, budgetMs: 15_000, whenClosed: 'ends' },
  /** Sends the audit log or the history of a monitor at the pace of its reader. Behind its time the connection ends. */
  export: { perTeam: 1, total: 8, waiting: 1, waitMs: 10_000, budgetMs: 300_000, whenClosed: 'ends' },
  /** Changes up to a hundred monitors, each in a transaction. */
  bulk: { perTeam: 1, total: 4, waiting: 4, waitMs: 10_000, budgetMs: null, whenClosed: 'goes on' },
  /** Makes up to ten thousand deliveries due again, in batches. */
  replay: { perTeam: 1, total: 2, waiting: 2, waitMs: 10_000, budgetMs: null, whenClosed: 'goes on' },
  /** Sends one message to a destination, which may take its time. */
  delivery_test: {
    perTeam: 2,
    total: 8,
    waiting: 2,
    waitMs: 10_000,
    budgetMs: DELIVERY_TIMEOUT_MS,
    whenClosed: 'ends',
  },
  /** Tries rules on the documents of a look. A letter in a selector asks once. */
  look_extract: { perTeam: 2, total: 4, waiting: 8, waitMs: 10_000, budgetMs: 20_000, whenClosed: 'ends' },
  /** Makes a check, or a look. It asks somebody else's site, and is paid for with a run. */
  preview: { perTeam: 2, total: 4, waiting: 0, waitMs: 0, budgetMs: null, whenClosed: 'goes on' },
} as const satisfies Readonly<Record<string, WorkBound>>

export type WorkKind = keyof typeof WORK
