/** The task of a thread, which fails once its end is known. `isKnown` is a shared number, which is 1 by then. */
export function endEarly(isKnown: Int32Array): string {
  setImmediate(() => {
    Atomics.wait(isKnown, 0, 0)
    throw new Error('the task has ended')
  })
  return 'done'
}
