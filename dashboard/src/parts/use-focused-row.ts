import type { RefObject } from 'react'

/** The row of a list that has the focus, for keys. */
interface FocusedRow<Row> {
  /** Moves the focus to the link of the next row, or of the one before. */
  move(by: 1 | -1): void
  /** Does it with the row that has the focus, if one has. */
  act(onRow: (row: Row) => void): void
}

/** Returns the row that has the focus, in a list whose rows are named by `data-row`. */
export function useFocusedRow<Row>(
  list: RefObject<HTMLElement | null>,
  rows: readonly Row[],
  idOf: (row: Row) => string,
): FocusedRow<Row> {
  const elements = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
  const at = () => elements().findIndex((row) => row.contains(document.activeElement))
  return {
    move(by) {
      const all = elements()
      const next = all[Math.min(all.length - 1, Math.max(0, at() + by))]
      next?.querySelector('a')?.focus()
    },
    act(onRow) {
      const id = elements()[at()]?.dataset['row']
      const row = rows.find((one) => idOf(one) === id)
      if (row !== undefined) onRow(row)
    },
  }
}
