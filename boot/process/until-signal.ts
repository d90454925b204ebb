const SIGNALS = ['SIGTERM', 'SIGINT'] as const
/**
 * A signal to the whole process group arrives twice when the parent (npm, timeout) forwards it too. The second one
 * within this time is ignored.
 */
const SAME_MS = 1_000

/**
 * Resolves with the first SIGTERM or SIGINT. Another one a second later or more ends the process at once: a person
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
