import { createHostGate } from '../runners/loop/host-gate.ts'

/** Who waits for a place at the model: in the order of coming, team by team in turn. */
export interface Line {
  /** Resolves with what gives the place back, with null when the signal ends the wait, with `late` when it took longer than `waitMs`. */
  enter(teamId: string, signal: AbortSignal, waitMs?: number): Promise<Place>
}

export type Place = (() => void) | 'late' | null

interface Waiter {
  /** What the gate takes turns by. */
  readonly host: string
  admit: (() => void) | null
}

export function createLine({ total, perTeam }: { readonly total: number; readonly perTeam: number }): Line {
  const gate = createHostGate<Waiter>({ perHost: perTeam, total })

  function pump(): void {
    for (let next = gate.next(); next; next = gate.next()) {
      if (next.admit) next.admit()
      else gate.done(next)
    }
  }

  return {
    enter(teamId, signal, waitMs) {
      if (signal.aborted) return Promise.resolve(null)
      const { promise, resolve } = Promise.withResolvers<Place>()
      const waiter: Waiter = { host: teamId, admit: null }
      const settle = (place: Place): void => {
        signal.removeEventListener('abort', leave)
        clearTimeout(timer)
        waiter.admit = null
        resolve(place)
      }
      const leave = (): void => settle(null)
      const timer = waitMs === undefined ? undefined : setTimeout(() => settle('late'), waitMs)
      waiter.admit = () =>
        settle(() => {
          gate.done(waiter)
          pump()
        })
      signal.addEventListener('abort', leave, { once: true })
      gate.add(waiter)
      pump()
      return promise
    },
  }
}
