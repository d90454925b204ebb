import type { Sent } from './client.ts'
import type { Expected } from './judge.ts'
import type { Caller } from './steps.ts'

/** A step as it goes over the wire, and what must come of it. */
export interface Planned {
  readonly sent: Sent
  readonly expected: Expected
  /** What fills its path. */
  readonly id: string | null
  readonly caller: Caller
  /** In words. */
  readonly what: string
}
