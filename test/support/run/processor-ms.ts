/**
 * Returns the milliseconds of processor time that the work takes this thread, the best of three. Another process that
 * has the processor meanwhile does not count.
 */
export function processorMs(work: () => void): number {
  const times = [1, 2, 3].map(() => {
    const before = process.threadCpuUsage()
    work()
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000
  })
  return Math.min(...times)
}
