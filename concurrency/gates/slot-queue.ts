import { createHostGate } from './host-gate.ts'

/** A queue for a small number of slots. Keys take turns; within a key the order is first come, first served. */
export interface SlotQueue {
  /**
   * Resolves with a function that frees the slot, with null when the signal ends the wait, or with `late` when the wait
   * took longer than `waitMs`.
   */
  enter(key: string, signal: AbortSignal, waitMs?: number): Promise<Slot>
}

/** The function frees the slot only once, however often it is called. */
type Slot = (() => void) | 'late' | null

interface Waiter {
  /** The cap of the key. */
  readonly host: string
  /** The key by which the gate takes turns; none where keys share no slots. */
  readonly team: string | undefined
  admit: (() => void) | null
}

interface SlotCaps {
  /** Slots in total. */
  readonly total: number
  /** Slots per key; default: all. */
  readonly perKey?: number
  /** Keys leave slots to others, those of quick work the most (`createHostGate`). Default false. */
  readonly sharesSlots?: boolean
}

export function createSlotQueue({ total, perKey = total, sharesSlots = false }: SlotCaps): SlotQueue {
  const gate = createHostGate<Waiter>({ perHost: perKey, perTeamAtHost: perKey, total, sharesSlots })

  function pump(): void {
    for (let next = gate.next(); next; next = gate.next()) {
      if (next.admit) next.admit()
      else gate.drop(next)
    }
  }

  function placeOf(waiter: Waiter): () => void {
    const startedAt = performance.now()
    let isLeft = false
    return () => {
      if (isLeft) return
      isLeft = true
      gate.done(waiter, performance.now() - startedAt)
      pump()
    }
  }

  return {
    enter(key, signal, waitMs) {
      if (signal.aborted) return Promise.resolve(null)
      const { promise, resolve } = Promise.withResolvers<Slot>()
      const waiter: Waiter = { host: key, team: sharesSlots ? key : undefined, admit: null }
      const settle = (slot: Slot): void => {
        signal.removeEventListener('abort', leave)
        clearTimeout(timer)
        waiter.admit = null
        resolve(slot)
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
