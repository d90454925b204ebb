/** A first-in, first-out queue. */
export class Fifo<T> {
  readonly #items: T[] = []
  /** Index of the first item. Shifting a long array would take time proportional to its length. */
  #head = 0

  get size(): number {
    return this.#items.length - this.#head
  }

  push(item: T): void {
    this.#items.push(item)
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined
    const item = this.#items[this.#head++]
    if (this.#head === this.#items.length || this.#head > 512) {
      this.#items.splice(0, this.#head)
      this.#head = 0
    }
    return item
  }

  /** Removes and returns all items. */
  drain(): T[] {
    const left = this.#items.splice(0).slice(this.#head)
    this.#head = 0
    return left
  }
}
