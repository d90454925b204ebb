/** Resolves with the first SIGTERM or SIGINT. A second one ends the process at once: somebody insists. */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const first = (signal: NodeJS.Signals) => {
      for (const name of ['SIGTERM', 'SIGINT'] as const) {
        process.removeListener(name, first)
        process.once(name, () => process.exit(130))
      }
      resolve(signal)
    }
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, first)
  })
}
