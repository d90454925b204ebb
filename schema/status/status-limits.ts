/** Limits of what everybody may ask of status pages. Each process of the API counts for itself. */
export const STATUS_LIMITS = {
  /** Requests a minute from one address, for all status pages together. */
  perMinute: 120,
  /** Milliseconds for which a page is sent as it was read. */
  freshMs: 10_000,
  /** From this age on it is read again behind the requests that it answers. */
  renewMs: 5_000,
  /** Milliseconds between two readings of the store: what is asked for between them is read together. */
  roundMs: 1_000,
  /** Pages and feeds that one reading makes. What is beyond waits for the next one. */
  perRound: 50,
  /** Milliseconds after which somebody who waits for a reading gets 503. */
  waitMs: 8_000,
  /** Milliseconds for which a page whose reading failed is not read again: it would delay the others each time. */
  heldBackMs: 60_000,
  /** Addresses that may wait for a reading. One more is refused. */
  waiting: 1_000,
  /** What is remembered: pages and feeds, and the bytes of all of them. */
  keptPages: 500,
  keptBytes: 32 * 1024 * 1024,
  /** The newest changes that a feed has, and how old the oldest one may be. */
  feedItems: 50,
  feedDays: 30,
  /** So many changes of the team are looked through for them. */
  feedLooks: 5_000,
} as const
