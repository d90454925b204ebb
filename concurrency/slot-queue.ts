import { createHostGate } from './host-gate.ts'

/** Who waits for one of a few places: in the order of coming, key by key in turn. */
export interface SlotQueue {
  /**
   * Resolves with what gives the place back, with null when the signal ends the wait, with `late` when it took longer
   * than `waitMs`.
   */
  enter(key: string, signal: AbortSignal, waitMs?: number): Promise<Place>
}

/** Calling it more than once gives the place back once. */
type Place = (() => void) | 'late' | null

interface Waiter {
  /** What the gate takes turns by. */
  readonly host: string
  admit: (() => void) | null
}

interface PlaceCaps {
  /** Places in all. */
  readonly total: number
  /** Of one key; default: all. */
  readonly perKey?: number
}

export function createSlotQueue({ total, perKey = total }: PlaceCaps): SlotQueue {
  const gate = createHostGate<Waiter>({ perHost: perKey, total })

  function pump(): void {
    for (let next = gate.next(); next; next = gate.next()) {
      if (next.admit) next.admit()
      else gate.done(next)
    }
  }

  function placeOf(waiter: Waiter): () => void {
    let isLeft = false
    return () => {
      if (isLeft) return
      isLeft = true
      gate.done(waiter)
      pump()
    }
  }

  return {
    enter(key, signal, waitMs) {
      if (signal.aborted) return Promise.resolve(null)
      const { promise, resolve } = Promise.withResolvers<Place>()
      const waiter: Waiter = { host: key, admit: null }
      const settle = (place: Place): void => {
        signal.removeEventListener('abort', leave)
        clearTimeout(timer)
        waiter.admit = null
        resolve(place)
      }
      const leave = (): void => settle(null)
      const timer = waitMs === undefined ? undefined : setTimeout(() => settle('late'), waitMs)
      waiter.admit = () => settle(placeOf(waiter))
      signal.addEventListener('abort', leave, { once: true })
      gate.add(waiter)
      pump()
      return promise
    },
  }
}
