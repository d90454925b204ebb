const SIGNALS = ['SIGTERM', 'SIGINT'] as const
/**
 * A signal to the whole group reaches us twice when our parent (npm, timeout) passes it on too: that is nobody
 * insisting.
 */
const SAME_MS = 1_000

/**
 * Resolves with the first SIGTERM or SIGINT. One that comes a second later or more ends the process at once: somebody
 * insists.
 */
export function untilSignal(): Promise<NodeJS.Signals> {
  const first = Promise.withResolvers<NodeJS.Signals>()
  let firstAt: number | null = null
  const onSignal = (signal: NodeJS.Signals) => {
    firstAt ??= performance.now()
    if (performance.now() - firstAt > SAME_MS) process.exit(130)
    first.resolve(signal)
  }
  for (const name of SIGNALS) process.on(name, onSignal)
  return first.promise
}
