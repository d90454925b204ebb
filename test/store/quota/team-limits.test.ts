import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { PLANS, type Tier, TIERS } from '../../../schema/account/plan.ts'
import { reserveImages } from '../../../store/images/images.ts'
import { runNow } from '../../../store/monitors/monitor-run-now.ts'
import { findDeliveryCap } from '../../../store/quota/pool.ts'
import { takeModelCall } from '../../../store/quota/prompt-quota.ts'
import { holdProxyBytes } from '../../../store/quota/proxy-usage.ts'
import { syncPlans } from '../../../store/quota/sync-plans.ts'
import { readUsage } from '../../../store/quota/usage-summary.ts'
import { openUsage } from '../../../store/quota/usage.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { spendRun } from '../../support/database/spend-run.ts'
import { shared } from '../../support/run/shared.ts'

const database = shared(openQueueDatabase)

interface Own {
  readonly tier: Tier
  readonly serp?: string
  readonly limits?: object
}

async function team({ tier, serp = 'included', limits }: Own): Promise<string> {
  const [made] = await database.query<{ id: string }>(
    `insert into teams (name, owner_user_id, tier, serp, limits) values ('T', gen_random_uuid(), $1, $2, $3) ` +
      `returning id`,
    [tier, serp, limits ? JSON.stringify(limits) : null],
  )
  const id = made?.id ?? ''
  await database.store.transaction((tx) => openUsage(tx, id, 'plan'))
  return id
}

async function limitsOf(id: string) {
  const [found] = await database.query<{ limits: object }>('select limits from team_limits($1)', [id])
  return found?.limits
}

async function poolsOf(id: string) {
  const [found] = await database.query<{ pools: (number | null)[] }>(
    `select json_build_array(runs_limit, visual_limit, serp_limit) as pools from team_usage where team_id = $1`,
    [id],
  )
  return found?.pools
}

describe("a team's limits", () => {
  test.for(TIERS)('are those of its plan, %s, as the code has them', async (tier) => {
    expect(await limitsOf(await team({ tier }))).toEqual(PLANS[tier])
  })

  test('are its own where it has some; a null among them is none of its own', async () => {
    const own = { retentionDays: 7, llmCallsPerMonth: 3, runsPerMonth: null }
    const id = await team({ tier: 'lite', limits: own })
    expect(await limitsOf(id)).toEqual({ ...PLANS.lite, retentionDays: 7, llmCallsPerMonth: 3 })
    expect(await findDeliveryCap(database.store, id)).toEqual({ tier: 'lite', deliveries: 2 })
  })

  test('of a team that does not exist are no row', async () => {
    expect(await limitsOf('00000000-0000-4000-8000-000000000000')).toBeUndefined()
  })

  test('of a plan may be open, all but the days of retention and the deliveries of a monitor', async () => {
    for (const name of ['retentionDays', 'maxDeliveriesPerMonitor'])
      await expect(
        database.query(`insert into plans (tier, limits) values ('x', $1)`, [
          JSON.stringify({ ...PLANS.free, [name]: null }),
        ]),
      ).rejects.toThrow('plans_limits_check')
  })

  test('of the plan without limits refuse nothing', async () => {
    const id = await team({ tier: 'unlimited' })
    await database.query('update teams set proxy_enabled = true where id = $1', [id])
    const far = 2 ** 45
    await database.query(
      'update team_usage set runs_used = $2, llm_calls_used = $2, screenshot_bytes_used = $2, proxy_bytes_used = ' +
        '$2 where team_id = $1',
      [id, far],
    )
    const { store } = database
    expect(await takeModelCall(store, id)).toMatchObject({ kind: 'taken' })
    expect(await holdProxyBytes(store, { teamId: id }, 1000)).toMatchObject({ kind: 'held', bytes: 1000 })
    const image = { id: crypto.randomUUID(), bytes: 1000 }
    expect(await reserveImages(store, { teamId: id, no: 1 }, [image])).toEqual({ ok: true })
    for (const pool of ['runs', 'visual', 'serp'] as const)
      expect(await spendRun(store, id, pool, 5)).toMatchObject({ kind: 'spent' })
    expect(await readUsage(store, id)).toMatchObject({
      runs: { used: far + 15, limit: null },
      visualRuns: null,
      serpRuns: null,
      runCredits: 0,
      limits: { runsPerMonth: null, llmCallsPerMonth: null, proxyBytesPerMonth: null, retentionDays: 730 },
    })
  })
})

describe('the pools', () => {
  test('are as large as the limits say; without SERP in the plan, searches run on credits alone', async () => {
    expect(await poolsOf(await team({ tier: 'free', serp: 'trial' }))).toEqual([200, 100, 100])
    expect(await poolsOf(await team({ tier: 'pro' }))).toEqual([15_000, null, null])
    const without = await team({ tier: 'pro', serp: 'none' })
    expect(await poolsOf(without)).toEqual([15_000, null, 0])
    expect(await spendRun(database.store, without, 'serp', 2)).toMatchObject({ kind: 'used_up', quota: { limit: 0 } })
    await database.query('update team_usage set credits = 2 where team_id = $1', [without])
    expect(await spendRun(database.store, without, 'serp', 2)).toMatchObject({ kind: 'spent' })
    expect(await database.usage(without)).toEqual({ runs_used: 0, visual_used: 0, serp_used: 0, credits: 0 })
    expect(await readUsage(database.store, without)).toMatchObject({ serpRuns: null, serpViaCredits: true })
  })

  test("follow a change of the team's plan, variant and own limits, whoever makes it", async () => {
    const id = await team({ tier: 'free', serp: 'trial' })
    await database.query(`update teams set tier = 'starter', serp = 'none' where id = $1`, [id])
    expect(await poolsOf(id)).toEqual([5_000, null, 0])
    await database.query(`update teams set serp = 'included' where id = $1`, [id])
    expect(await poolsOf(id)).toEqual([5_000, null, null])
    await database.query(`update teams set limits = '{"runsPerMonth": 9, "visualRunsPerMonth": 2}' where id = $1`, [id])
    expect(await poolsOf(id)).toEqual([9, 2, null])
  })

  test('follow a plan that another version of the program defines otherwise', async () => {
    const [id, other] = [await team({ tier: 'lite' }), await team({ tier: 'pro' })]
    await database.query(`update plans set limits = limits || '{"runsPerMonth": 77}' where tier = 'lite'`)
    expect([await poolsOf(id), await poolsOf(other)]).toEqual([
      [77, null, null],
      [15_000, null, null],
    ])
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      await syncPlans(client, {})
    } finally {
      await client.end()
    }
    expect(await poolsOf(id)).toEqual([1_000, null, null])
  })
})

describe('a run that a person asks for', () => {
  const asked = async (id: string, no: number) => {
    const [monitor] = await database.query<{ id: string }>('select id from monitors where no = $1', [no])
    return database.store.transaction((tx) => runNow(tx, id, monitor?.id ?? '', 'page'))
  }

  test('takes what it costs, pool first, or is refused whole', async () => {
    const id = await database.team({ runs: 7, used: 5 })
    const [no = 0] = await database.monitors(id, { cost: 3, dueSeconds: -60 })
    expect(await asked(id, no)).toEqual({
      kind: 'used_up',
      quota: { used: 5, limit: 7, resets_at: null, credits_remaining: 0 },
      needs: 3,
    })
    await database.query('update team_usage set credits = 1 where team_id = $1', [id])
    expect(await asked(id, no)).toMatchObject({ kind: 'queued', isNew: true })
    expect(await asked(id, no)).toMatchObject({ kind: 'queued', isNew: false })
    expect(await database.usage(id)).toMatchObject({ runs_used: 7, credits: 0 })
  })

  test('of several at once takes no more than there is', async () => {
    const id = await database.team({ runs: 4, credits: 3 })
    const nos = await database.monitors(id, { cost: 2, count: 8, dueSeconds: -60 })
    const all = await Promise.all(nos.map((no) => asked(id, no)))
    expect(all.filter(({ kind }) => kind === 'queued')).toHaveLength(3)
    expect(await database.usage(id)).toMatchObject({ runs_used: 4, credits: 1 })
  })
})
