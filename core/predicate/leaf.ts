import type { DiffPredicate } from '../../schema/monitor/diff-predicate.ts'

/** A condition that holds no others. */
export type Leaf = Exclude<DiffPredicate, { type: 'composite' }>
