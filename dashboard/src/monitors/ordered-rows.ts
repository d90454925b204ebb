import type { Overview } from '../api/types.ts'

export type Row = Overview['data'][number]

/**
 * The rows of a list, in the order in which they were first shown. Windows of it are read again while a person reads:
 * their cells change in place, and rows stay where they are, so that nothing moves under a pointer.
 */
export class OrderedRows {
  readonly #size: number
  #key: string | null = null
  /** The ids by their places. A place whose row is not read yet is free. */
  #ids: string[] = []
  /** The windows as they were read last, by their numbers from 1. */
  #windows = new Map<number, Overview>()
  readonly #rows = new Map<string, Row>()
  /** How many rows the list has on the server. */
  total = 0

  /** `size`: rows of a window. */
  constructor(size: number) {
    this.#size = size
  }

  /** Takes a window. The first one of another list replaces all. */
  take(key: string, page: number, window: Overview): void {
    if (key !== this.#key) this.#reset(key)
    if (this.#windows.get(page) === window) return
    this.#windows.set(page, window)
    this.total = window.pagination.total
    for (const row of window.data) this.#rows.set(row.id, row)
    this.#fill()
  }

  /** Gives each free place to the row that belongs there, or else to one that has no place yet. No row has two. */
  #fill(): void {
    const placed = new Set(this.#ids)
    const free: number[] = []
    const others: string[] = []
    for (const [place, id] of this.#read()) {
      if (this.#ids[place] !== undefined) {
        if (!placed.has(id)) others.push(id)
      } else if (placed.has(id)) free.push(place)
      else {
        this.#ids[place] = id
        placed.add(id)
      }
    }
    const unplaced = others.filter((id) => !placed.has(id))
    for (const [nth, place] of free.entries()) {
      const id = unplaced[nth]
      if (id !== undefined) this.#ids[place] = id
    }
  }

  /** Returns each place that was read, with the row that belongs there now. */
  *#read(): Generator<readonly [place: number, id: string]> {
    for (const [page, { data }] of [...this.#windows].toSorted(([one], [other]) => one - other))
      for (const [nth, { id }] of data.entries()) yield [(page - 1) * this.#size + nth, id]
  }

  #reset(key: string | null): void {
    this.#key = key
    this.#ids = []
    this.#windows = new Map()
  }

  /** How many places the list has: those of rows that are gone by now are shown until it is sorted again. */
  get count(): number {
    return Math.max(this.total, this.#ids.length)
  }

  /** Returns the row at a place; undefined: it is not read yet. */
  at(index: number): Row | undefined {
    const id = this.#ids[index]
    return id === undefined ? undefined : this.#rows.get(id)
  }

  /** Which list it is. Null: none was read yet. */
  get key(): string | null {
    return this.#key
  }

  /** How many rows are elsewhere by now, or gone. */
  get moved(): number {
    let count = Math.max(0, this.#ids.length - this.total)
    for (const [place, id] of this.#read()) if (this.#ids[place] !== id) count += 1
    return count
  }

  /** Puts all rows where they belong now. */
  sortAgain(): void {
    this.#ids = []
    this.#fill()
  }

  /** Forgets where rows are: windows that are taken from now on say it. */
  forgetOrder(): void {
    this.#reset(this.#key)
  }
}
