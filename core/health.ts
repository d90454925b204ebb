/** The health of a process, reported by the command that runs it. */
export interface Health {
  /** Returns whether the process can serve. Each check is `ok`, or says what is wrong. Resolves within seconds. */
  ready(): Promise<{ readonly ok: boolean; readonly checks: Readonly<Record<string, string>> }>
  /** Returns the metrics in the text format of Prometheus. */
  metrics(): Promise<string>
}

/** A loop counts as moving while its last claim is younger than this. */
export const MOVING_MS = 15_000

/** The content type of `Health.metrics`. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
