import type { Issue } from '../schema/validation/issue.ts'

/** The team has no such record. Another team's, a deleted one and one that never was are alike. */
export interface NotFound {
  readonly kind: 'not_found'
  readonly what:
    | 'monitor'
    | 'template'
    | 'run'
    | 'delivery'
    | 'api_key'
    | 'team'
    | 'member'
    | 'invitation'
    | 'account'
    | 'session'
    | 'status_page'
}

/** What was asked for is not valid. The list is not empty. */
export interface Invalid {
  readonly kind: 'invalid'
  readonly issues: readonly Issue[]
}

/** A filter leaves another number of records than the requester expected, who has seen a list of them. */
export interface OtherCount {
  readonly kind: 'other_count'
  /** What the filter leaves, in words. */
  readonly what: 'failed or dead deliveries' | 'monitors'
  readonly expected: number
  readonly count: number
  /** How many one request may be about. `count` may be one more, where they are more. */
  readonly most: number
}
