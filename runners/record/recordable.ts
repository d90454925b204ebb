import type { Finished } from '../lane/lane.ts'

/** A check that is ready to be judged. */
export interface Recordable extends Omit<Finished, 'reading'> {
  readonly reading: Exclude<Finished['reading'], { kind: 'text' | 'moved' }>
}
