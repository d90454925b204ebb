import { Gate } from '../../concurrency/gates/gate.ts'
import type { Job } from '../../concurrency/gates/queue.ts'

/**
 * Messages of several changes that are made at once. Each asks the store for all of its changes. At eight o'clock many
 * are due, and other deliveries are not to wait for their statements, nor for the slots of those that wait for theirs.
 */
const DIGESTS_AT_ONCE = 32
/** At most so many that find no slot are tried in a round. In the next round others are. */
const MOST_TRIED = 4 * DIGESTS_AT_ONCE

/**
 * The places of digests before a gate. Teams take turns at them. A digest has its place until its message is made, and
 * none while its host has no slot: otherwise those of one host that hangs would hold up all others.
 */
export class DigestPlaces<Slot extends Job> {
  readonly #places = new Gate<Slot>({ total: DIGESTS_AT_ONCE })
  readonly #gate: Gate<Slot>
  readonly #isSlow: (slot: Slot) => boolean
  /** Those with a place that wait in the gate. */
  readonly #tried = new Set<Slot>()
  /** Those that found no slot in this round. */
  #without: Slot[] = []

  constructor(gate: Gate<Slot>, isSlow: (slot: Slot) => boolean) {
    this.#gate = gate
    this.#isSlow = isSlow
  }

  get taken(): number {
    return this.#places.active
  }

  add(slot: Slot): void {
    this.#places.add(slot)
  }

  /** The message is made, or nobody makes it. */
  leave(slot: Slot): void {
    this.#places.drop(slot)
  }

  /** Takes back a slot that waits, here or in the gate. */
  remove(slot: Slot): void {
    this.#gate.remove(slot)
    this.#places.remove(slot)
    this.#places.drop(slot)
  }

  /** Returns the next slot of the gate that may start, of a digest or not. */
  next(): Slot | undefined {
    for (;;) {
      for (let slot = this.#places.next(); slot; slot = this.#places.next()) {
        this.#gate.add(slot, this.#isSlow(slot))
        this.#tried.add(slot)
      }
      const found = this.#gate.next()
      if (found) this.#tried.delete(found)
      if (found || this.#tried.size === 0 || this.#without.length >= MOST_TRIED) return found
      this.#giveWay()
    }
  }

  /** No more slots are wanted now. */
  endRound(): void {
    this.#giveWay()
    for (const slot of this.#without) this.#places.add(slot)
    this.#without = []
  }

  #giveWay(): void {
    for (const slot of this.#tried) {
      this.remove(slot)
      this.#without.push(slot)
    }
    this.#tried.clear()
  }
}
