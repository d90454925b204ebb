/** A rule that its engine refuses although it was saved. The message is that of the engine. */
export class RefusedRule extends Error {}

/**
 * Returns what an engine makes of a rule alone, without a page. What the engine throws becomes a `RefusedRule`; a
 * `RangeError` stays, because the engine exceeded the call stack.
 */
export function byEngine<T>(compile: () => T): T {
  try {
    return compile()
  } catch (error) {
    if (error instanceof RangeError || error instanceof RefusedRule) throw error
    throw new RefusedRule(error instanceof Error ? error.message : String(error), { cause: error })
  }
}
