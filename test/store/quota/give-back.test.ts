import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AskedWork, endWork } from '../../../store/asked/asked-work.ts'
import { abandonImages, reserveImages } from '../../../store/images/images.ts'
import { renewPeriods } from '../../../store/quota/pool.ts'
import { giveBackModelCall, takeModelCall } from '../../../store/quota/prompt-quota.ts'
import { anchorPeriod, changePlan, openUsage } from '../../../store/quota/usage.ts'
import { openQueueDatabase } from '../../support/database/queue-database.ts'
import { spendRun } from '../../support/database/spend-run.ts'
import { shared } from '../../support/run/shared.ts'

const database = shared(openQueueDatabase)

async function paid(team: string, cost = 1, pool: 'runs' | 'visual' | 'serp' = 'runs'): Promise<AskedWork> {
  const spent = await spendRun(database.store, team, pool, cost)
  if (spent.kind !== 'spent') throw new Error(spent.kind)
  return spent.work
}
const giveBack = (work: AskedWork) => endWork(database.store, work, false)
async function paymentOf({ id }: AskedWork) {
  const [row] = await database.query<{ from_pool: number; credits: number }>(
    'select from_pool, credits from asked_work where id = $1',
    [id],
  )
  if (!row) throw new Error('no payment')
  return row
}
/** Ends the team's period now, and begins the next one. */
async function renew(team: string) {
  await database.query('update team_usage set resets_at = clock(), anchor_at = clock() where team_id = $1', [team])
  await renewPeriods(database.store, team)
}

test('each run goes back to what paid for it: the pool, the credits, or both', async () => {
  const team = await database.team({ runs: 4, used: 2, credits: 5 })
  const both = await paid(team, 3)
  expect(await database.usage(team)).toMatchObject({ runs_used: 4, credits: 4 })
  const credit = await paid(team)
  await giveBack(credit)
  expect(await database.usage(team)).toMatchObject({ runs_used: 4, credits: 4 })
  await giveBack(both)
  expect(await database.usage(team)).toMatchObject({ runs_used: 2, credits: 5 })
})

test('a period that is over gets nothing back, and the next one has no more runs than it should', async () => {
  const team = await database.team({ runs: 2, used: 1, credits: 5 })
  const last = await paid(team, 3)
  await renew(team)
  await giveBack(last)
  // The credits are there again, and the run of the pool is gone with its period.
  expect(await database.usage(team)).toMatchObject({ runs_used: 0, credits: 5 })
  const early = await paid(team)
  await renew(team)
  await paid(team)
  await giveBack(early)
  expect(await database.usage(team)).toMatchObject({ runs_used: 1, credits: 5 })
})

test('a run of a trial that is given back after an upgrade leaves the runs of the plan as they are', async () => {
  const [made] = await database.query<{ id: string }>(
    `insert into teams (name, owner_user_id, tier, serp, trial_ends_at)
     values ('T', gen_random_uuid(), 'free', 'trial', clock() + interval '9 days') returning id`,
  )
  const team = made?.id ?? ''
  await database.store.transaction((tx) => openUsage(tx, team, 'trial'))
  const [picture, search] = [await paid(team, 1, 'visual'), await paid(team, 2, 'serp')]
  expect(await database.usage(team)).toMatchObject({ visual_used: 1, serp_used: 2 })
  await giveBack(picture)
  expect(await database.usage(team)).toMatchObject({ runs_used: 0, visual_used: 0, serp_used: 2 })
  await database.store.transaction((tx) => changePlan(tx, team, { tier: 'lite', withSerp: true }))
  await paid(team, 5)
  await giveBack(search)
  expect(await database.usage(team)).toEqual({ runs_used: 5, visual_used: 0, serp_used: 0, credits: 0 })
})

test('what a subscription says about the beginning of a period that goes on loses nobody a run or a call', async () => {
  const team = await database.team({ runs: 9 })
  const [run, call] = [await paid(team), await takeModelCall(database.store, team)]
  const [hourAgo] = await database.query<{ at: string }>(`select (clock() - interval '1 hour')::text as at`)
  await database.store.transaction((tx) => anchorPeriod(tx, team, hourAgo?.at ?? ''))
  expect(await database.usage(team)).toMatchObject({ runs_used: 1 })
  await giveBack(run)
  if (call.kind === 'taken') await giveBackModelCall(database.store, team, call.period)
  expect(await database.usage(team)).toMatchObject({ runs_used: 0 })
  const [calls] = await database.query('select llm_calls_used::int as calls from team_usage where team_id = $1', [team])
  expect(calls).toEqual({ calls: 0 })
})

test('pictures at the end of a period count in the next one, and what is not kept of them in their own', async () => {
  const team = await database.team()
  await database.query(`update teams set limits = '{"screenshotBytesPerMonth": 100}' where id = $1`, [team])
  const keep = async (bytes: number) => {
    const id = crypto.randomUUID()
    const { ok } = await reserveImages(database.store, { teamId: team, no: 1 }, [{ id, bytes }])
    return { id, ok }
  }
  const used = async () => {
    const [row] = await database.query<{ used: number }>(
      'select screenshot_bytes_used::int as used from team_usage where team_id = $1',
      [team],
    )
    return row?.used
  }
  const lost = await keep(90)
  expect([lost.ok, (await keep(20)).ok, await used()]).toEqual([true, false, 90])
  await database.query('update team_usage set resets_at = clock(), anchor_at = clock() where team_id = $1', [team])
  const next = await keep(20)
  expect([next.ok, await used()]).toEqual([true, 20])
  await abandonImages(database.store, [lost.id])
  expect(await used()).toBe(20)
  await abandonImages(database.store, [next.id])
  expect(await used()).toBe(0)
})

test('whatever is paid, given back and renewed, no period has more than its runs, and no credit is lost', async () => {
  const SIZE = 4
  const act = fc.oneof(
    fc.record({ act: fc.constant('pay' as const), cost: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ act: fc.constant('back' as const), nth: fc.nat(9) }),
    fc.record({ act: fc.constant('renew' as const) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 14 }), async (acts) => {
      const team = await database.team({ runs: SIZE, credits: 6 })
      let period = 0
      const open: { readonly work: AskedWork; readonly from_pool: number; readonly credits: number; period: number }[] =
        []
      for (const one of acts) {
        if (one.act === 'renew') {
          await renew(team)
          period += 1
        } else if (one.act === 'pay') {
          const spent = await spendRun(database.store, team, 'runs', one.cost)
          if (spent.kind === 'spent') open.push({ work: spent.work, ...(await paymentOf(spent.work)), period })
        } else {
          const [given] = open.splice(one.nth % (open.length || 1), 1)
          if (given) await giveBack(given.work)
        }
        const of = (name: 'from_pool' | 'credits', from = open) => from.reduce((sum, one) => sum + one[name], 0)
        expect(await database.usage(team)).toMatchObject({
          runs_used: of(
            'from_pool',
            open.filter((each) => each.period === period),
          ),
          credits: 6 - of('credits'),
        })
      }
    }),
    { numRuns: 25 },
  )
})
