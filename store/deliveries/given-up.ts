import { sql } from 'slonik'

/** Is true for a delivery that nobody tries again: its last attempt failed, or it was refused for good. */
export const GIVEN_UP = sql.fragment`(status in ('failed', 'dead') and next_attempt_at is null)`
