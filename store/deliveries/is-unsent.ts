import { sql } from 'slonik'

/** Deliveries `d` that are still to be sent. One that is sent with another one has no `due_at`. */
export const IS_UNSENT = sql.fragment`(d.due_at is not null or d.next_attempt_at is not null)`
