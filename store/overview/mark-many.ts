import { sql } from 'slonik'
import Type from 'typebox'
import type { Queryable } from '../db/client.ts'
import { row } from '../db/row.ts'
import { joinMarks, type Reader } from './seen-until.ts'
import { IS_UNSEEN, windowOfReader } from './wanted-monitors.ts'

const counted = row({ count: Type.Integer() })

interface Marking {
  readonly reader: Reader
  readonly nos: readonly number[]
  /** The run up to which the changes are seen. */
  readonly seenId: Fragment
  /** Which of the two counts where there is a mark by now. */
  readonly chosen: Fragment
  /** Of the monitors `m`, their checks `c`, the reader's marks `s` and the reader's window `w`. */
  readonly condition: Fragment
}

const marking = ({ reader, nos, seenId, chosen, condition }: Marking) => sql.type(counted)`
  with w as materialized (${windowOfReader(reader)}),
  marked as (
    insert into seen_marks (team_id, user_id, monitor_no, seen_id)
    select ${reader.teamId}::uuid, ${reader.userId}::uuid, m.no, ${seenId}
    from w cross join monitors m join checks c on c.no = m.no ${joinMarks(reader)}
    where m.no = any(${sql.array([...nos], 'int8')}) and m.team_id = ${reader.teamId}::uuid and m.deleted_at is null
      and ${condition}
    order by m.no
    on conflict (team_id, user_id, monitor_no) do update
    set seen_id = ${chosen}(seen_marks.seen_id, excluded.seen_id)
    returning 1
  )
  select count(*)::int as count from marked`

type Fragment = ReturnType<typeof sql.fragment>

/** Marks the changes of these monitors up to a run as seen. Returns of how many the mark was moved. */
export const markOnesSeen = (store: Queryable, reader: Reader, nos: readonly number[], until: string) =>
  store.oneFirst(
    marking({
      reader,
      nos,
      seenId: sql.fragment`${until}::uuid`,
      chosen: sql.fragment`greatest`,
      condition: sql.fragment`${IS_UNSEEN} and coalesce(s.seen_id, w.seen_id) < ${until}::uuid`,
    }),
  )

/** Marks the last change of each of these monitors as not seen. Returns of how many the mark was moved. */
export const markOnesUnseen = (store: Queryable, reader: Reader, nos: readonly number[]) =>
  store.oneFirst(
    marking({
      reader,
      nos,
      // The first id of its millisecond, in which a monitor has no other run.
      seenId: sql.fragment`run_id_floor(run_id_time(c.last_change_id))`,
      chosen: sql.fragment`least`,
      condition: sql.fragment`c.last_change_id >= w.floor_id and not ${IS_UNSEEN}`,
    }),
  )
