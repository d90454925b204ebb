/** What the process in the namespace tells. */
export interface Report {
  /** Addresses at which a contact was seen to be counted before anything else. */
  readonly counted: readonly string[]
  readonly places: Readonly<Record<string, PlaceReport>>
}

/** One place into which every vector was put. */
export interface PlaceReport {
  readonly tried: number
  /** Contacts by address and port; all of them must have been refused. */
  readonly contacts: Readonly<Record<string, number>>
  /** The result, by vector. */
  readonly outcomes: Readonly<Record<string, string>>
}
