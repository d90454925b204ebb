import pg from 'pg'
import { until } from '../support/run/until.ts'

/** The lock is asked for in short turns, so that it stands in nobody's way for as long as makes a deadlock. */
const LOCK_TURN_MS = 200
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Sets how far the store's clock is from the true time. A statement under a real clock has one time, that of its begin;
 * an offset that changed in the middle of one would give it two, its own and that of the triggers that note it. So it
 * changes while no statement that writes the queue is under way.
 */
export async function setClock(pool: pg.Pool, offset: string): Promise<void> {
  const client = await pool.connect()
  // Who uses it is told by the rejection of the statement.
  client.on('error', ignore)
  try {
    await until(
      () => trySetClock(client, offset),
      (isSet) => isSet,
    )
  } finally {
    client.off('error', ignore)
    client.release()
  }
}

const ignore = () => {}

/** False when the queue was busy. */
async function trySetClock(client: pg.PoolClient, offset: string): Promise<boolean> {
  try {
    await client.query('begin')
    await client.query(`set local lock_timeout = ${LOCK_TURN_MS}`)
    await client.query('lock table checks, deliveries in exclusive mode')
    await client.query(`do $$ begin
      execute format('alter database %I set tidemark.clock_offset = %L', current_database(), '${offset}');
    end $$`)
    await client.query('commit')
    return true
  } catch (error) {
    await client.query('rollback')
    if (error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE) return false
    throw error
  }
}
