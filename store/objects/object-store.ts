/**
 * Where bytes lie that are too large for rows: pictures. What an object means stands in the store
 * (store/images/images.ts); here are only names and bytes. Names are ours: letters, digits, `-`, `.` and `/` between
 * parts.
 */
export interface ObjectStore {
  /**
   * Whole or not at all, and kept once it resolves. The same name again puts the new bytes in place. Throws
   * ObjectStoreError.
   */
  put(name: string, bytes: Uint8Array): Promise<void>
  /** Null: there is none of this name. Throws ObjectStoreError. */
  get(name: string): Promise<Uint8Array | null>
  /** No error when there is none. Throws ObjectStoreError. */
  remove(name: string): Promise<void>
  /** All names, in no order: for those who look whether what is there belongs there. */
  names(): AsyncIterable<string>
  close(): Promise<void>
}

/** The object store does not do what it should: it is full, away, or refuses us. */
export class ObjectStoreError extends Error {
  override readonly name = 'ObjectStoreError'
}

const NAME = /^[\w-]+(?:\/[\w-]+)*\.\w+$/

/** A name leads nowhere else, whatever made it. */
export function checkedName(name: string): string {
  if (!NAME.test(name)) throw new TypeError(`${JSON.stringify(name)} is no name of an object`)
  return name
}
