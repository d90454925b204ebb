import { DELIVERY_BYTES } from '../../schema/run/delivery.ts'
import type { ClaimedDelivery, PayloadRoom } from '../../store/deliveries/delivery-queue.ts'

/**
 * The bytes of the large payloads that a loop sends at the same time. They are known before a delivery is claimed, so
 * that one without room stays in the store. A destination that takes its time delays only large messages, and those of
 * its team first.
 */
export class PayloadBytes {
  readonly #teams = new Map<string, number>()
  readonly #onRoom: () => void
  #held = 0

  /** `onRoom` is called when there is more room than before. */
  constructor(onRoom: () => void) {
    this.#onRoom = onRoom
  }

  /** Returns the room for the next claim. */
  room(): PayloadRoom {
    const teams = [...this.#teams].map(([team_id, held]) => ({ team_id, held }))
    return { left: DELIVERY_BYTES.total - this.#held, teams }
  }

  /** Counts a claimed payload. Returns what gives its bytes back, to be called once. */
  hold({ team_id: teamId, bytes }: Pick<ClaimedDelivery, 'team_id' | 'bytes'>): () => void {
    if (bytes <= DELIVERY_BYTES.small) return () => {}
    this.#add(teamId, bytes)
    return () => {
      this.#add(teamId, -bytes)
      this.#onRoom()
    }
  }

  #add(teamId: string, bytes: number): void {
    this.#held += bytes
    const own = (this.#teams.get(teamId) ?? 0) + bytes
    if (own > 0) this.#teams.set(teamId, own)
    else this.#teams.delete(teamId)
  }
}
