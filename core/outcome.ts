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
}

/** What was asked for is not valid. The list is not empty. */
export interface Invalid {
  readonly kind: 'invalid'
  readonly issues: readonly Issue[]
}
