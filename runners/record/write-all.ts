import type { Logger } from '../../core/logger.ts'
import { isStoreAway } from '../../store/store-fault.ts'

interface Fenced {
  readonly no: number
  readonly fence: number
  readonly run_id: string
}

interface Writing<T> {
  readonly write: (rows: readonly T[]) => Promise<unknown>
  /** Called for a row that cannot be written even alone. */
  readonly giveUp: (row: T) => Promise<void>
  readonly log: Logger
  readonly patienceMs: number
}

/**
 * Writes a batch. While the store is away it is tried again: every record is idempotent, since a run that was recorded no longer holds its
 * fence's run id. When the store refuses the batch, each row is tried alone, so that one bad row does not take others with it.
 */
export async function writeAll<T extends Fenced>(
  rows: readonly T[],
  { write, giveUp, log, patienceMs }: Writing<T>,
): Promise<void> {
  const until = performance.now() + patienceMs
  for (let pause = 50; ; pause = Math.min(1000, pause * 2)) {
    try {
      await write(rows)
      return
    } catch (error) {
      if (!isStoreAway(error)) {
        if (rows.length > 1) await Promise.all(rows.map((row) => writeAll([row], { write, giveUp, log, patienceMs })))
        else await abandon(rows[0] as T, error, giveUp, log)
        return
      }
      if (performance.now() > until) throw error
      log.warn({ err: error, rows: rows.length }, 'the store is away; finished checks wait')
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}

async function abandon<T extends Fenced>(
  row: T,
  error: unknown,
  giveUp: (row: T) => Promise<void>,
  log: Logger,
): Promise<void> {
  log.error({ err: error, run_id: row.run_id }, 'the store refuses the outcome of a check; it is recorded as a failure')
  await giveUp(row)
}
