import { sql } from 'slonik'

/** Is true when no process has asked for checks that need a browser for ten minutes. It reads `t.at`. */
export const NOBODY_RENDERS = sql.fragment`(
  select coalesce(rendered_at not between t.at - interval '10 minutes' and t.at + interval '10 minutes', true)
  from installation, t)`

/** Is true when no operator has started runner pods for ten minutes: only they do isolated checks. It reads `t.at`. */
export const NOBODY_ISOLATES = sql.fragment`not exists (
  select from operator_epochs, t
  where runners_seen_at between t.at - interval '10 minutes' and t.at + interval '10 minutes')`
