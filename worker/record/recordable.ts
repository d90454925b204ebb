import type { Finished } from '../../runners/check/check-source.ts'

/** A check that is ready to be judged. */
export interface Recordable extends Omit<Finished, 'reading'> {
  readonly reading: Exclude<Finished['reading'], { kind: 'text' | 'moved' }>
}
