import type { Actor } from '../../../schema/account/audit.ts'

/** A monitor that someone wants to do something to: what the acts of single routes and of the bulk route take. */
export interface OneMonitor {
  readonly teamId: string
  readonly actor: Actor
  readonly id: string
}
