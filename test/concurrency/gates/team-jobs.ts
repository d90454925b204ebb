import type { Gate } from '../../../concurrency/gates/gate.ts'

export interface TeamJob {
  readonly host: string
  readonly team: string
}
export type TeamGate = Gate<TeamJob>

/** Adds so many jobs of a team, each at a host of its own. */
export function addMany(gate: TeamGate, team: string, count: number): void {
  for (let n = 0; n < count; n++) gate.add({ host: `${team}${n}`, team })
}

/** Starts all jobs that may start now, and returns them. */
export function startAll(gate: TeamGate): TeamJob[] {
  const started = []
  for (let next = gate.next(); next; next = gate.next()) started.push(next)
  return started
}
