/** An invalid command line, with a message that says how to correct it. One line an error. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
