import { Running } from '../loops/wakeable-loop.ts'
import { createSlotQueue } from './slot-queue.ts'

/**
 * Does one piece of work at a time. Keys take turns, so that a key with much work delays another key by only one piece.
 */
interface InTurn {
  /** Returns the result of `work`; null when the signal ended the wait before the work began. */
  do<T>(work: () => Promise<T>, whose: Whose): Promise<T | null>
  /** Resolves when no work is running or waiting any more. */
  rests(): Promise<void>
}

export interface Whose {
  readonly key: string
  readonly signal?: AbortSignal | undefined
}

export function createInTurn(): InTurn {
  const line = createSlotQueue({ total: 1 })
  const running = new Running()

  async function inTurn<T>(work: () => Promise<T>, { key, signal = NEVER }: Whose): Promise<T | null> {
    const leave = await line.enter(key, signal)
    if (typeof leave !== 'function') return null
    try {
      return await work()
    } finally {
      leave()
    }
  }

  return {
    do(work, whose) {
      const done = inTurn(work, whose)
      running.add(done)
      return done
    },
    rests: () => running.settled(),
  }
}

const NEVER = new AbortController().signal
