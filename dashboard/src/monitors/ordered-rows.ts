import type { Overview } from '../api/types.ts'

export type Row = Overview['data'][number]

/**
 * The rows of a list, in the order in which they were first shown. Windows of it are read again while a person reads:
 * their cells change in place, and rows stay where they are, so that nothing moves under a pointer.
 */
export class OrderedRows {
  readonly #size: number
  #key: string | null = null
  #ids: string[] = []
  #latest = new Map<number, readonly string[]>()
  readonly #rows = new Map<string, Row>()
  total = 0

  /** `size`: rows of a window. */
  constructor(size: number) {
    this.#size = size
  }

  /** Takes a window. The first one of another list replaces all. */
  take(key: string, page: number, { data, pagination }: Overview): void {
    if (key !== this.#key) this.#reset(key)
    if (pagination.total !== this.total && page === 1) this.#ids.length = Math.min(this.#ids.length, pagination.total)
    this.total = pagination.total
    const first = (page - 1) * this.#size
    this.#latest.set(
      page,
      data.map(({ id }) => id),
    )
    for (const row of data) this.#rows.set(row.id, row)
    // Rows that are shown stay where they are, and a new one takes a place that is free.
    const shown = new Set(this.#ids)
    const others = data.filter(({ id }) => !shown.has(id))
    for (const nth of data.keys()) if (this.#ids[first + nth] === undefined) this.#place(first + nth, others, data[nth])
  }

  /** Gives a free place to the row that belongs there, or else to one that has no place yet. */
  #place(index: number, others: Row[], own: Row | undefined): void {
    const nth = Math.max(
      0,
      others.findIndex(({ id }) => id === own?.id),
    )
    const row = others.splice(nth, 1)[0] ?? own
    if (row) this.#ids[index] = row.id
  }

  #reset(key: string | null): void {
    this.#key = key
    this.#ids = []
    this.#latest = new Map()
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

  /** How many rows are elsewhere by now. */
  get moved(): number {
    let count = 0
    for (const [page, ids] of this.#latest)
      for (const [nth, id] of ids.entries()) if (this.#ids[(page - 1) * this.#size + nth] !== id) count += 1
    return count
  }

  /** Puts all rows where they belong now. */
  sortAgain(): void {
    for (const [page, ids] of this.#latest)
      for (const [nth, id] of ids.entries()) this.#ids[(page - 1) * this.#size + nth] = id
  }

  /** Forgets where rows are: windows that are taken from now on say it. */
  forgetOrder(): void {
    this.#reset(this.#key)
  }
}
