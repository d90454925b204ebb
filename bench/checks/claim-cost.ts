import { openStore } from '../../store/db/client.ts'
import { claimChecks, CLAIMED_PAGE, CLAIMED_SEARCH, claimedOf } from '../../store/queue/claim.ts'
import { type Spread, spreadOf } from '../results/stats.ts'
import type { Database, Server } from '../support/database.ts'
import { insertMonitors, insertTeam } from '../support/monitors.ts'

const CLAIMED = claimedOf([CLAIMED_PAGE, CLAIMED_SEARCH])

/** The cost of claiming one check, in µs, when this many monitors of one team are due. */
export interface ClaimCost {
  readonly monitors: number
  /** More monitors are due, before these, and above the level of the claim. Absent: none. */
  readonly above?: number
  readonly us: Spread
}

/** The parameters of the check loop's claims. */
const CLAIM = { queue: 'static', limit: 1000, perTeam: 1000, afterTeam: '', leaseSeconds: 60 } as const
const CLAIMS_PER_ROUND = 5
const ROUNDS = 5
/** How many checks above the level are due before the others, in a claim of its own from the first of the sizes. */
const ABOVE = 100_000

/** Measures claims from each number of monitors in turn, with one caller. The time includes statement and answer. */
export async function measureClaims(server: Server, sizes: readonly number[]): Promise<ClaimCost[]> {
  const sites: ClaimSite[] = []
  for (const monitors of sizes) sites.push(await claimSite(server, monitors))
  if (sizes[0] !== undefined) sites.push(await claimSite(server, sizes[0], ABOVE))
  for (let round = 0; round <= ROUNDS; round++) for (const site of sites) await site.round()
  const costs: ClaimCost[] = []
  for (const site of sites) {
    // The first round is left out: it builds plans and fills caches.
    const { monitors, above } = site
    costs.push({ monitors, ...(above > 0 && { above }), us: spreadOf(site.us.slice(1)) })
    await site.close()
  }
  return costs
}

type ClaimSite = Awaited<ReturnType<typeof claimSite>>

async function claimSite(server: Server, monitors: number, above = 0) {
  const database = await server.create(`bench_claims_${monitors}_${above}`)
  await insertTeam(database)
  const due = `clock() - interval '1 hour' + no * interval '1 ms'`
  await insertMonitors(database, { from: 0, to: above + monitors, base: 'http://127.0.0.1:9/shop', due })
  await database.client.query('update checks set level = 2 where no <= $1', [above])
  await database.client.query('vacuum analyze')
  const store = await openStore({ url: database.url, name: 'tidemark bench', connections: 1 })
  const us: number[] = []
  return {
    monitors,
    above,
    us,
    async round() {
      const start = performance.now()
      for (let i = 0; i < CLAIMS_PER_ROUND; i++) await claimOnce(store)
      us.push(((performance.now() - start) * 1000) / (CLAIMS_PER_ROUND * CLAIM.limit))
      await giveBack(database)
    },
    async close() {
      await store.end()
      await database.close()
    },
  }
}

async function claimOnce(store: Awaited<ReturnType<typeof openStore>>): Promise<void> {
  const claimed = await claimChecks(store, CLAIMED, CLAIM)
  if (claimed.length !== CLAIM.limit) throw new Error(`claimed ${claimed.length} checks`)
}

async function giveBack({ client }: Database): Promise<void> {
  await client.query(
    `update checks set run_id = null, due_at = clock() - interval '1 hour' + no * interval '1 ms' where run_id is ` +
      `not null`,
  )
  await client.query('vacuum checks')
}
