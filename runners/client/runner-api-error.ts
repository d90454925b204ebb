/** The runner API refused a request. The message is the response's own: it contains no secret. */
export class RunnerApiError extends Error {
  override readonly name = 'RunnerApiError'
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }

  /** Whether a later try may succeed. */
  get isPassing(): boolean {
    return this.status >= 500 || this.status === 429 || this.status === 408
  }

  /** Whether the token is invalid or no longer valid. */
  get isToken(): boolean {
    return this.status === 401
  }
}

/** Returns whether a later try may succeed: the runner API said so, or the connection to it failed. */
export const isPassing = (error: unknown): boolean =>
  error instanceof RunnerApiError ? error.isPassing : error instanceof Error && 'code' in error
