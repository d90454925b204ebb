import { sql } from 'slonik'

/** Adds to what `forgotten_runs` counts of a monitor: the end of a statement that inserts numbers of deleted runs. */
export const ADDED = sql.fragment`on conflict (no) do update set count = forgotten_runs.count + excluded.count`
