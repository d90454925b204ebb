import { useState } from 'react'

/** A key for each row of a list whose rows have no id. It stays with its row when another one is removed. */
interface RowKeys {
  keyOf(index: number): number
  /** The row of this index is removed. Those behind it move up. */
  remove(index: number): void
}

/** Returns the keys of a list to which rows are added at its end. They are the numbers that no removed row had. */
export function useRowKeys(): RowKeys {
  const [removed, setRemoved] = useState<readonly number[]>([])
  // In rising order, so each one that is passed moves the key by one.
  const keyOf = (index: number) => removed.reduce((key, gone) => (gone <= key ? key + 1 : key), index)
  return {
    keyOf,
    remove: (index) => setRemoved((before) => [...before, keyOf(index)].toSorted((one, other) => one - other)),
  }
}
