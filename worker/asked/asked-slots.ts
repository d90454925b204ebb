import { createKeyedBudget } from '../../concurrency/gates/keyed-budget.ts'

/** The slot of work that somebody waits for. */
export interface AskedSlot {
  /** Exchanges it for one of those that only wait, unless all of these are taken. */
  wait(): void
  leave(): void
}

/** All slots are taken: those of the team here or everywhere, or those of the process. */
export interface AskedLimit {
  readonly kind: 'limit'
  readonly of: 'team' | 'process' | 'installation'
  readonly limit: number
}

interface SlotCaps {
  /** In the process. */
  readonly atOnce: number
  /** Of these for one team: a team whose sites hang must not block the others. */
  readonly perTeam: number
  /** How much waits for runners beside them. */
  readonly waiting: number
}

export function createAskedSlots({ atOnce, perTeam, waiting }: SlotCaps) {
  const teams = createKeyedBudget<string>({ total: atOnce + waiting, perKey: perTeam })
  const working = createKeyedBudget<''>({ total: atOnce, perKey: atOnce })
  const waits = createKeyedBudget<''>({ total: waiting, perKey: waiting })
  return {
    enter(teamId: string): AskedSlot | AskedLimit {
      const leaveTeam = teams.take(teamId, 1)
      if (typeof leaveTeam === 'string') return { kind: 'limit', of: 'team', limit: perTeam }
      const taken = working.take('', 1)
      if (typeof taken === 'string') {
        leaveTeam()
        return { kind: 'limit', of: 'process', limit: atOnce }
      }
      let leaveSlot = taken
      return {
        wait() {
          const waitingSlot = waits.take('', 1)
          if (typeof waitingSlot === 'string') return
          leaveSlot()
          leaveSlot = waitingSlot
        },
        leave() {
          leaveSlot()
          leaveTeam()
        },
      }
    },
  }
}
