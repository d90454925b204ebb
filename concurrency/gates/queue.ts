import type { Sharer } from './shares.ts'

/** A job at one host. */
export interface Job {
  readonly host: string
  /** The team that it belongs to, if it is known. */
  readonly team?: string | undefined
  /** Slots that it uses. Default 1. */
  readonly amount?: number
}

export interface Team<T> extends Sharer {
  /** Its queues that are not parked, in turn. */
  readonly listed: Set<Queue<T>>
}

export interface Host<T> {
  readonly name: string
  /** By team. */
  readonly queues: Map<string, Queue<T>>
  /** Queues that wait for a slot of this host, the longest waiting first. */
  readonly parked: Set<Queue<T>>
  active: number
  /** Slow jobs under way. */
  slow: number
}

/** The jobs of one team at one host. */
export interface Queue<T> {
  readonly team: Team<T>
  readonly host: Host<T>
  readonly quick: Set<T>
  readonly slow: Set<T>
  active: number
  activeSlow: number
  /** Decides whether slow or quick jobs are first. They take turns, so that neither starves. */
  slowFirst: boolean
}

export interface Started<T> {
  readonly queue: Queue<T>
  readonly isSlow: boolean
  readonly amount: number
  isAside: boolean
}

/** The caps of a host. */
interface HostCaps {
  readonly perHost: number
  readonly perTeamAtHost: number
  readonly slowPerHost: number
}

/** Returns whether the host has a slot for a job of this queue. */
export function hasSlot<T extends Job>(queue: Queue<T>, caps: HostCaps): boolean {
  const { team, host, active, quick, slow } = queue
  const [first] = quick.size > 0 ? quick : slow
  if (!first || (host.active > 0 && host.active + amountOf(first) > caps.perHost)) return false
  if (team.name !== '' && active >= caps.perTeamAtHost) return false
  return quick.size > 0 || hasSlowSlot(queue, caps)
}

/** Returns whether a slow job of this queue may use a slot. One team has half of the slots of a host for them. */
export function hasSlowSlot<T>({ slow, host, activeSlow }: Queue<T>, { perHost, slowPerHost }: HostCaps): boolean {
  return slow.size > 0 && host.slow < slowPerHost && activeSlow < Math.max(1, Math.floor(perHost / 2))
}

export const amountOf = ({ amount = 1 }: Job): number => amount

export const waitingIn = <T>(queue: Queue<T> | undefined): number => (queue ? queue.quick.size + queue.slow.size : 0)
