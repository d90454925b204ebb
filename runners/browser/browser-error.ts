/**
 * There is no browser to be had, or it does not start: the message is for a run's error and says what to do. Everything
 * else is a value or a bug.
 */
export class BrowserError extends Error {
  override readonly name = 'BrowserError'
}
