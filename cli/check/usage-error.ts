/** A command line that cannot mean anything, in the words that mend it. One line a fault. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
