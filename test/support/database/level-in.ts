import { sql } from 'slonik'
import Type from 'typebox'
import type { Store } from '../../../store/db/client.ts'
import { row } from '../../../store/db/row.ts'

const leveled = row({ level: Type.Integer() })

const NUMBERS = { checks: 'no', deliveries: 'monitor_no' } as const

/** Returns the level of the check of a monitor, or of its deliveries. Null: there are none. */
export const levelIn = (store: Store, table: keyof typeof NUMBERS, monitorId: string): Promise<number | null> =>
  store.maybeOneFirst(sql.type(leveled)`
    select max(w.level) as level from ${sql.identifier([table])} w
    join monitors m on m.no = ${sql.identifier(['w', NUMBERS[table]])}
    where m.id = ${monitorId}::uuid
    having count(*) > 0`)
