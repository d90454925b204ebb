import { createHash, timingSafeEqual } from 'node:crypto'

/** The health of a process, reported by the command that runs it. */
export interface Health {
  /** Returns whether the process can serve. Each check is `ok`, or says what is wrong. Resolves within seconds. */
  ready(): Promise<{ readonly ok: boolean; readonly checks: Readonly<Record<string, string>> }>
  /** Returns the metrics in the text format of Prometheus. */
  metrics(): Promise<string>
}

/**
 * Returns what a request for the metrics must send; undefined: nothing. It is asked for at each request: the file of
 * the token may be read again.
 */
export type MetricsToken = () => string | undefined

export const openToAll: MetricsToken = () => undefined

/**
 * Returns whether a request may read the metrics: the installation has set no token, or the request sends it as
 * `Authorization: Bearer …`.
 */
export function mayReadMetrics(token: string | undefined, authorization: string | undefined): boolean {
  if (token === undefined) return true
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(`Bearer ${token}`), digest(authorization ?? ''))
}

/** A loop counts as moving while its last claim is younger than this. */
export const MOVING_MS = 15_000

/** The content type of `Health.metrics`. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
