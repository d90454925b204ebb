import { type AskedWork, askWork } from '../../../store/asked/asked-work.ts'
import type { Queryable } from '../../../store/db/client.ts'
import type { Pool } from '../../../store/quota/pool.ts'

type Spent =
  | { readonly kind: 'spent'; readonly work: AskedWork }
  | Exclude<Awaited<ReturnType<typeof askWork>>, { kind: 'asked' }>

/** Takes runs from a team's quota, as a preview does. */
export async function spendRun(store: Queryable, teamId: string, pool: Pool, cost = 1): Promise<Spent> {
  const asked = await askWork(store, { kind: 'preview', teamId, pool, cost })
  return asked.kind === 'asked' ? { kind: 'spent', work: asked.work } : asked
}

/** Asked work of a team that nobody paid for. */
export const unpaidWork = (teamId: string): AskedWork => ({ id: crypto.randomUUID(), no: 1, teamId })
