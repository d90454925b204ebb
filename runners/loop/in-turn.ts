import { createHostGate } from './host-gate.ts'

/** Does one thing at a time; who waits takes turns by `key`, so that one with much to do delays another by one thing of his. */
export interface InTurn {
  /** What `work` gives; null when the signal ended the wait before it began. */
  do<T>(work: () => Promise<T>, whose: Whose): Promise<T | null>
  /** Resolves when nothing is done any more. */
  rests(): Promise<void>
}

export interface Whose {
  readonly key: string
  readonly signal?: AbortSignal | undefined
}

interface Waiter {
  readonly host: string
  readonly admit: (isWanted: boolean) => void
  readonly signal: AbortSignal | undefined
}

export function createInTurn(): InTurn {
  const gate = createHostGate<Waiter>({ perHost: 1, total: 1 })
  const under = new Set<Promise<unknown>>()

  function pump(): void {
    for (let next = gate.next(); next; next = gate.next()) {
      const isWanted = !next.signal?.aborted
      next.admit(isWanted)
      if (isWanted) return
      gate.done(next)
    }
  }

  async function inTurn<T>(work: () => Promise<T>, { key, signal }: Whose): Promise<T | null> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const waiter: Waiter = { host: key, admit: resolve, signal }
    const leave = (): void => resolve(false)
    signal?.addEventListener('abort', leave, { once: true })
    gate.add(waiter)
    pump()
    const isAdmitted = await promise
    signal?.removeEventListener('abort', leave)
    if (!isAdmitted) return null
    try {
      return await work()
    } finally {
      gate.done(waiter)
      pump()
    }
  }

  return {
    do(work, whose) {
      const done = inTurn(work, whose)
      const settled = done.then(
        () => undefined,
        () => undefined,
      )
      under.add(settled)
      void settled.then(() => under.delete(settled))
      return done
    },
    async rests() {
      await Promise.all(under)
    },
  }
}
