/** So much processor time is measured that the ticks in which a system counts it do not matter. */
const ENOUGH_MS = 40
const MAX_TIMES = 200

/** Returns the milliseconds of processor time in which `JSON.parse` reads a text: the mean of many. */
export function parsingMs(text: string): number {
  const before = process.threadCpuUsage()
  for (let times = 1; ; times += 1) {
    try {
      JSON.parse(text)
    } catch {
      // A text that is not JSON is read as far as its fault.
    }
    const { user, system } = process.threadCpuUsage(before)
    const ms = (user + system) / 1_000
    if (ms >= ENOUGH_MS || times === MAX_TIMES) return ms / times
  }
}
