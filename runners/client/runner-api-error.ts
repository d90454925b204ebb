/** The lane answered, and refused. Its message is the answer's own: it holds no secret. */
export class LaneError extends Error {
  override readonly name = 'LaneError'
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }

  /** It may answer otherwise later. */
  get isPassing(): boolean {
    return this.status >= 500 || this.status === 429 || this.status === 408
  }

  /** The token is none, or not any more. */
  get isToken(): boolean {
    return this.status === 401
  }
}
