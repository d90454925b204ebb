/** The task of a thread, which fails soon after the task has ended. */
export function endEarly(): string {
  setImmediate(() => {
    throw new Error('the task has ended')
  })
  return 'done'
}
