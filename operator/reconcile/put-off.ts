import type { CustomResource } from './custom-resource.ts'

/** More resources than a person waits for one by one. */
const MANY = 100

/** The resources whose records are made, and whose statuses wait for the records of many others. */
export class PutOff {
  /** The generation of each. */
  readonly #generations = new Map<string, number | undefined>()
  readonly #waiting: () => number

  /** @param waiting returns how many resources wait, with those that are put off */
  constructor(waiting: () => number) {
    this.#waiting = waiting
  }

  /** Returns whether statuses are to wait: many records are to be made, about as many as resources wait. */
  isAsked(): boolean {
    return this.#waiting() - this.#generations.size > MANY
  }

  add(key: string, { metadata }: CustomResource): void {
    this.#generations.set(key, metadata.generation)
  }

  /**
   * Returns whether only the status of a resource is missing, and the records of many others come first. The event of
   * an own write brings a resource here again ahead of those. One that is not put off any more is forgotten.
   */
  has(key: string, resource: CustomResource | null): boolean {
    const isPutOff =
      resource !== null &&
      this.#generations.has(key) &&
      this.#generations.get(key) === resource.metadata.generation &&
      this.isAsked()
    if (!isPutOff) this.#generations.delete(key)
    return isPutOff
  }
}
