/**
 * Returns the result of the work, or the result of `late` once the work has taken this many milliseconds. `late` may
 * throw. The work itself continues, and an error that it throws later is dropped.
 */
export async function withTimeout<T, L>(work: T | PromiseLike<T>, ms: number, late: () => L): Promise<T | L> {
  const timeout = Promise.withResolvers<typeof LATE>()
  const timer = setTimeout(() => timeout.resolve(LATE), ms)
  try {
    const first = await Promise.race([work, timeout.promise])
    return first === LATE ? late() : first
  } finally {
    clearTimeout(timer)
  }
}

const LATE = Symbol('late')
