import type { Logger } from '../../core/logger.ts'
import { isStoreAway, sqlStateOf } from '../../store/db/store-fault.ts'
import { NO_PARTITION } from '../../store/queue/run-partitions.ts'
import { whileStoreAway } from '../../store/db/while-store-away.ts'

interface Fenced {
  readonly no: number
  readonly fence: number
  readonly run_id: string
}

interface Writing<T> {
  /** Must be idempotent: it is done again when its outcome is unknown. */
  readonly write: (rows: readonly T[]) => Promise<unknown>
  /** Makes the partitions that the rows' runs go into. */
  readonly makeRoom: (rows: readonly T[]) => Promise<unknown>
  /** Called for a row that cannot be written even alone. */
  readonly giveUp: (row: T) => Promise<void>
  readonly log: Logger
  readonly patienceMs: number
}

/**
 * Writes a batch. While the store is away it is tried again: every record is idempotent, since a run that was recorded
 * no longer holds its fence's run id. Runs of a month that has no partition yet get one. When the store refuses the
 * batch, its halves are tried apart, and theirs, so that one bad row does not take others with it. Rejects when the
 * store stays away for longer than the patience.
 */
export async function writeAll<T extends Fenced>(rows: readonly T[], writing: Writing<T>): Promise<void> {
  try {
    await whileStoreAway(() => withRoom(rows, writing), writing)
  } catch (error) {
    if (isStoreAway(error)) throw error
    const [only] = rows
    if (rows.length === 1 && only) return abandon(only, error, writing)
    const middle = Math.ceil(rows.length / 2)
    await writeAll(rows.slice(0, middle), writing)
    await writeAll(rows.slice(middle), writing)
  }
}

/** The clock has moved into a month that nobody has prepared, or the check was claimed before it did. */
async function withRoom<T extends Fenced>(rows: readonly T[], { write, makeRoom }: Writing<T>): Promise<void> {
  try {
    await write(rows)
  } catch (error) {
    if (sqlStateOf(error) !== NO_PARTITION) throw error
    await makeRoom(rows)
    await write(rows)
  }
}

async function abandon<T extends Fenced>(row: T, error: unknown, writing: Writing<T>): Promise<void> {
  const text = 'the store refuses the outcome of a check; it is recorded as a failure'
  writing.log.error({ err: error, run_id: row.run_id }, text)
  await whileStoreAway(
    () => withRoom([row], { ...writing, write: ([one]) => (one ? writing.giveUp(one) : noRows()) }),
    writing,
  )
}

const noRows = () => Promise.resolve()
