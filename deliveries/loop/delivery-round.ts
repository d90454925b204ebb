import type { Store } from '../../store/db/client.ts'
import { claimDeliveries, type ClaimedDelivery } from '../../store/deliveries/claim-deliveries.ts'
import { dueHosts } from '../../store/deliveries/due-hosts.ts'
import type { Destinations } from './destinations.ts'
import { createDueTargets, type DueTarget } from './due-targets.ts'

/** Goes round the destinations that have deliveries due. */
interface ClaimRound {
  /** Reads the next page of them from the store. Returns whether the round has more pages. */
  look(): Promise<boolean>
  /**
   * Claims deliveries for the destinations that have room, as many as may start now. Returns an empty list if none has
   * room.
   */
  claim(): Promise<readonly ClaimedDelivery[]>
}

/** The options and ports of a round. */
interface ClaimRoundOptions {
  readonly store: Store
  readonly destinations: Destinations
  readonly leaseSeconds: number
}

/**
 * A destination stays in the round until a claim finds fewer deliveries than requested. Each time it is served it moves
 * to the end.
 */
export function createClaimRound({ store, destinations, leaseSeconds }: ClaimRoundOptions): ClaimRound {
  const due = createDueTargets()
  let cursor = ''

  function rooms(): { target: DueTarget; room: number }[] {
    const rooms: { target: DueTarget; room: number }[] = []
    const plan = destinations.plan()
    for (const host of due.hosts()) {
      if (plan.free === 0) break
      for (const target of due.at(host)) {
        if (!plan.hasRoomAt(host)) break
        const room = plan.grant(target)
        if (room > 0) rooms.push({ target, room })
      }
    }
    return rooms
  }

  return {
    async look() {
      const page = await dueHosts(store, cursor)
      for (const host of page.hosts) due.add(host)
      cursor = page.next
      return cursor !== ''
    },
    async claim() {
      const asked = rooms()
      if (asked.length === 0) return []
      const claimed = await claimDeliveries(store, {
        rooms: asked.map(({ target, room }) => ({ host: target.key, room })),
        limit: destinations.free,
        leaseSeconds,
      })
      const counts = Map.groupBy(claimed, ({ host }) => host)
      for (const { target, room } of asked) due.served(target, counts.get(target.key)?.length === room)
      return claimed
    },
  }
}
