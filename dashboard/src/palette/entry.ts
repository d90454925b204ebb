/** Something that can be chosen. */
export interface Entry {
  readonly id: string
  readonly title: string
  readonly note: string
  /** Why it cannot be chosen. Null: it can. */
  readonly refused: string | null
  act(): void
}
