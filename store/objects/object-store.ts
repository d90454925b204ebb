/**
 * Stores bytes that are too large for rows: pictures. The meaning of an object is in the store
 * (store/images/images.ts); here are only names and bytes. The program chooses the names: letters, digits, `-`, `.`,
 * and `/` between parts.
 */
export interface ObjectStore {
  /**
   * Stores an object completely or not at all; it is durable when the promise resolves. The same name again replaces
   * the bytes. Throws ObjectStoreError.
   */
  put(name: string, bytes: Uint8Array): Promise<void>
  /** Returns the bytes; null when there is no object with this name. Throws ObjectStoreError. */
  get(name: string): Promise<Uint8Array | null>
  /** Removes an object. It is not an error when there is none. Throws ObjectStoreError. */
  remove(name: string): Promise<void>
  /** Returns all names, in no order, for code that checks which objects belong there. */
  names(): AsyncIterable<string>
  close(): Promise<void>
}

/** Thrown when the object store fails: it is full, unavailable, or refuses the request. */
export class ObjectStoreError extends Error {
  override readonly name = 'ObjectStoreError'
}

const NAME = /^[\w-]+(?:\/[\w-]+)*\.\w+$/

/** Returns the name if it is valid, so that it cannot point outside of the store. */
export function checkedName(name: string): string {
  if (!NAME.test(name)) throw new TypeError(`${JSON.stringify(name)} is no name of an object`)
  return name
}
