import { sql } from 'slonik'
import { retentionCutoff } from '../quota/pool.ts'

/** The instants between which runs are read. Undefined: from the first one on, and until now. */
interface SeriesTimes {
  readonly teamId: string
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Returns the run ids between which runs are read, as `first_id` and `end_id`, within the plan's window. */
export const seriesWindow = ({ teamId, from, to }: SeriesTimes) => sql.fragment`
  run_id_floor(greatest(${from ?? null}::timestamptz, ${retentionCutoff(teamId)})) as first_id,
  run_id_floor(greatest(least(${to ?? null}::timestamptz, clock() + interval '1 s'), 'epoch')) as end_id`
