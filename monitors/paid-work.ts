import { type AskedWork, askWork, endWork } from '../store/asked/asked-work.ts'
import type { Queryable } from '../store/db/client.ts'
import type { Pool } from '../store/quota/pool.ts'
import type { Locked, OutOfRuns } from './outcome.ts'

interface Payment {
  /** What is asked for. */
  readonly kind: Extract<Locked['act'], 'preview' | 'look'>
  readonly teamId: string
  readonly pool: Pool
  /** In runs. */
  readonly cost: number
}

/**
 * Pays for work that somebody waits for and does it, or returns why it cannot be paid. What `isDone` does not call done
 * is given back, whatever ended it. What a process that was killed, or a store that was away, left is swept later.
 */
export async function paidWork<T extends { readonly kind: string }>(
  store: Queryable,
  payment: Payment,
  act: (work: AskedWork) => Promise<T>,
  isDone: (ended: T) => boolean,
): Promise<T | OutOfRuns | Locked> {
  const asked = await askWork(store, payment)
  if (asked.kind === 'used_up') return asked
  if (asked.kind === 'trial_over') return { kind: 'locked', act: payment.kind }
  let done = false
  try {
    const ended = await act(asked.work)
    done = isDone(ended)
    return ended
  } finally {
    await endWork(store, asked.work, done).catch(() => undefined)
  }
}
