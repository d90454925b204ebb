type Ledger = Map<NodeJS.Timeout, string>

declare global {
  /** One for a process, which runs several test files. */
  var tidemarkTestTimers: Ledger | undefined
}

/**
 * Where each timer that still runs was started, of those started through the global `setTimeout` and `setInterval` that
 * would keep the process alive.
 *
 * Node only counts timers, and the runner has some of its own; it took hold of the originals before this replaced them.
 */
export function runningTimers(): string[] {
  const ledger = (globalThis.tidemarkTestTimers ??= keepLedger())
  for (const timer of ledger.keys()) {
    if ('_destroyed' in timer && timer._destroyed === true) ledger.delete(timer)
  }
  return [...ledger].filter(([timer]) => timer.hasRef()).map(([, place]) => `Timeout: started ${place}`)
}

function keepLedger(): Ledger {
  const ledger: Ledger = new Map()
  globalThis.setTimeout = recording(globalThis.setTimeout, ledger)
  globalThis.setInterval = recording(globalThis.setInterval, ledger)
  return ledger
}

function recording<T extends typeof setTimeout | typeof setInterval>(start: T, ledger: Ledger): T {
  return new Proxy(start, {
    apply: (target, self, args) => {
      const timer = Reflect.apply(target, self, args) as NodeJS.Timeout
      ledger.set(timer, callPlace())
      return timer
    },
  })
}

function callPlace(): string {
  const frames = (new Error().stack ?? '').split('\n').slice(1)
  return frames.find((frame) => !frame.includes(import.meta.filename))?.trim() ?? 'somewhere'
}
