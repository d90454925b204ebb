/**
 * No browser is available, or it does not start. The message is for a run's error and says what to do. Any other
 * failure is a value or a bug.
 */
export class BrowserError extends Error {
  override readonly name = 'BrowserError'
}
