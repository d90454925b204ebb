/** The error in one rule. */
export interface RuleFault {
  /** 1-based, in UTF-16 units; null where the error has no position. */
  readonly column: number | null
  readonly message: string
}

export function tooDeep(column: number, limit: number): RuleFault {
  return { column, message: `brackets are nested more than ${limit} deep` }
}
