/** Limits of one fetch. */
export interface FetchLimits {
  /** Body bytes as received. */
  readonly maxWireBytes: number
  /** Body bytes after decoding. */
  readonly maxBodyBytes: number
  readonly maxRedirects: number
}

export const FETCH_LIMITS: FetchLimits = {
  maxWireBytes: 10 * 1024 * 1024,
  maxBodyBytes: 10 * 1024 * 1024,
  maxRedirects: 5,
}

/** Milliseconds for a whole static fetch. */
export const FETCH_DEADLINE_MS = 30_000

/** Milliseconds for all pages of a list together. A preview waits for it and must answer within 60 s. */
export const PAGES_DEADLINE_MS = 45_000
