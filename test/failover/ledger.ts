import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

/** Rows that were confirmed to be written, one after the other, by a client that never stops. */
interface Ledger {
  readonly confirmed: readonly number[]
  /** Resolves when a row that was begun after this call is confirmed. */
  next(): Promise<void>
  stop(): Promise<void>
}

const APART_MS = 50

export async function keepLedger(url: string): Promise<Ledger> {
  const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: 2_000, query_timeout: 10_000 })
  pool.on('error', () => undefined)
  await pool.query('create table ledger (n int primary key)')
  const confirmed: number[] = []
  let [begun, isStopped] = [0, false]
  const work = (async () => {
    while (!isStopped) {
      begun++
      const n = begun
      await pool.query('insert into ledger values ($1)', [n]).then(
        () => confirmed.push(n),
        () => undefined,
      )
      await pause(APART_MS)
    }
  })()
  return {
    confirmed,
    async next() {
      const from = begun
      while ((confirmed.at(-1) ?? 0) <= from) await pause(APART_MS)
    },
    async stop() {
      isStopped = true
      await work
      await pool.end()
    },
  }
}
