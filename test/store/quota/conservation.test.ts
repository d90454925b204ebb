import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { renewPeriods } from '../../../store/quota/pool.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { spendRun } from '../../support/database/spend-run.ts'
import { shared } from '../../support/run/shared.ts'

const database = shared(openQueueDatabase)
beforeEach(() => database.query('truncate checks, monitors, runs cascade'))

/** Claims, and returns what the checks that it took cost together. */
async function claimed(queue: 'static' | 'serp' | 'visual'): Promise<number> {
  const taken = await database.claim({ queue, limit: 4, perTeam: 4 })
  if (taken.length === 0) return 0
  const [sum] = await database.query<{ cost: number }>(
    'select sum(cost)::float8 as cost from checks where no = any($1::bigint[])',
    [taken.map(({ no }) => no)],
  )
  return sum?.cost ?? 0
}

type Act =
  | { readonly act: 'claim'; readonly queue: 'static' | 'serp' | 'visual' }
  | { readonly act: 'spend'; readonly pool: 'runs' | 'serp' | 'visual'; readonly cost: number }
  | { readonly act: 'grant'; readonly runs: number }
  | { readonly act: 'renew' }

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ act: fc.constant('claim' as const), queue: fc.constantFrom('static', 'serp', 'visual') }),
  fc.record({
    act: fc.constant('spend' as const),
    pool: fc.constantFrom('runs', 'serp', 'visual'),
    cost: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({ act: fc.constant('grant' as const), runs: fc.integer({ min: 1, max: 6 }) }),
  fc.constant({ act: 'renew' as const }),
)

test('whatever is claimed, asked for and granted at once, each run is paid once and none owed', async () => {
  const groups = fc.array(fc.array(act, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 6 })
  const sizes = fc.record({ runs: fc.integer({ min: 0, max: 20 }), isTrial: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(sizes, groups, async ({ runs, isTrial }, steps) => {
      await database.query('truncate checks, monitors, runs cascade')
      const team = await database.team({ runs })
      await database.query(
        `update team_usage set visual_limit = case when $2 then 5 end, serp_limit = case when $2 then 7 end
         where team_id = $1`,
        [team, isTrial],
      )
      for (const queue of ['static', 'visual'] as const) await database.monitors(team, { queue, count: 8 })
      await database.monitors(team, { queue: 'serp', count: 4, cost: 3 })
      let paid = 0
      let granted = 0
      const acts = {
        claim: async (one: Act) => {
          if (one.act !== 'claim') return
          const cost = await claimed(one.queue)
          paid += cost
        },
        spend: async (one: Act) => {
          if (one.act !== 'spend') return
          if ((await spendRun(database.store, team, one.pool, one.cost)).kind === 'spent') paid += one.cost
        },
        grant: async (one: Act) => {
          if (one.act !== 'grant') return
          granted += one.runs
          await database.query('update team_usage set credits = credits + $2 where team_id = $1', [team, one.runs])
        },
        // The period has not ended.
        renew: () => renewPeriods(database.store),
      }
      for (const group of steps) await Promise.all(group.map((one) => acts[one.act](one)))
      const [own] = await database.query<Record<'used' | 'left' | 'over', number>>(
        `select (runs_used + visual_used + serp_used)::float8 as used, credits::float8 as left,
           greatest(runs_used - runs_limit, visual_used - visual_limit, serp_used - serp_limit, 0)::float8 as over
         from team_usage where team_id = $1`,
        [team],
      )
      expect({ paid, over: own?.over }).toEqual({ paid: own!.used + granted - own!.left, over: 0 })
    }),
    { numRuns: 20 },
  )
})

test('claims around the end of a period pay from one period or the other, and neither is exceeded by one', async () => {
  const SIZE = 25
  const team = await database.team({ runs: SIZE })
  await database.monitors(team, { count: 4 * SIZE })
  // The first period is used up, and ends now.
  const first = await database.claim({ limit: 2 * SIZE, perTeam: 2 * SIZE })
  expect(first).toHaveLength(SIZE)
  await database.query(`update team_usage set resets_at = clock(), anchor_at = clock() where team_id = $1`, [team])
  const claims = Array.from({ length: 12 }, () => database.claim({ limit: 7, perTeam: 7 }))
  const [taken] = await Promise.all([
    Promise.all(claims),
    renewPeriods(database.store),
    renewPeriods(database.store),
    spendRun(database.store, team, 'runs'),
  ])
  // Claims may all have come before the new period: what is left of it is claimed now.
  for (;;) {
    const more = await database.claim({ limit: 7, perTeam: 7 })
    if (more.length === 0) break
    taken.push(more)
  }
  const [own] = await database.query<{ used: number }>(
    'select runs_used::float8 as used from team_usage where team_id = $1',
    [team],
  )
  expect(own?.used).toBe(SIZE)
  // The run that was asked for may have been refused by the first period, or paid by the second.
  expect([SIZE - 1, SIZE]).toContain(taken.flat().length)
})
