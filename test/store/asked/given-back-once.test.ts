import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createRunnerToken } from '../../../store/accounts/credentials/runner-tokens.ts'
import { type AskedWork, endWork, sweepAsked } from '../../../store/asked/asked-work.ts'
import { offerWork } from '../../../store/asked/offers.ts'
import { endUnrendered } from '../../../store/maintenance/unrendered.ts'
import { hideMonitor } from '../../../store/monitors/monitor-delete.ts'
import { runNow } from '../../../store/monitors/monitor-run-now.ts'
import { answerAsked, claimAsked } from '../../../store/queue/claim-asked.ts'
import { lockUsage } from '../../../store/quota/usage.ts'
import { openQueueDatabase, type QueueDatabase } from '../../support/database/queue-database.ts'
import { spendRun } from '../../support/database/spend-run.ts'
import { addSearch, claimIn, leaveAlone, recordIn } from '../../support/database/stored-searches.ts'

let database: QueueDatabase
beforeAll(async () => {
  database = await openQueueDatabase()
})
beforeEach(async () => {
  await database.setClock('0')
  await database.query('truncate asked_work, checks, monitors, runs, serp_exits, serp_engines cascade')
  await database.query('update installation set rendered_at = null, unrendered_at = null')
})
afterAll(() => database[Symbol.asyncDispose]())

/** Runs of the pool are used already, and of three more that are paid, credits pay one. */
const HAS = { runs: 52, used: 50, credits: 5 }
const BEFORE = { runs_used: 50, credits: 5 }
const PAID = { runs_used: 52, credits: 4 }
const rows = () => database.query('select from asked_work')

/** A preview that was paid for, and has not ended. */
async function paid(team: string): Promise<AskedWork> {
  const spent = await spendRun(database.store, team, 'runs', 3)
  if (spent.kind !== 'spent') throw new Error(spent.kind)
  return spent.work
}

async function token(): Promise<number> {
  return (await createRunnerToken(database.store, { job: 'a-job', ttlSeconds: 9_000 })).id
}

/** Lets a runner claim it. Returns what the runner holds. */
async function claimedBy(holder: number, work: AskedWork) {
  const offer = { request: Buffer.from('sealed'), isIsolated: false, engine: 'bing', seconds: 30, level: 1 } as const
  await database.query(`insert into serp_exits (engine, exit) values ('bing', 'x') on conflict do nothing`)
  expect(await offerWork(database.store, work, offer)).toBe(true)
  const claim = { kinds: ['preview'], limit: 1, leaseSeconds: 60, holder, exit: 'x', only: null, level: 1 }
  const [held] = await claimAsked(database.store, claim)
  if (!held) throw new Error('not claimed')
  return held
}

test('a runner is given no asked work above its level', async () => {
  const work = await paid(await database.team(HAS))
  const offer = { request: Buffer.from('sealed'), isIsolated: false, engine: null, seconds: 30, level: 2 }
  expect(await offerWork(database.store, work, offer)).toBe(true)
  const claim = { kinds: ['preview'], limit: 1, leaseSeconds: 60, holder: await token(), exit: 'x', only: null }
  expect(await claimAsked(database.store, { ...claim, level: 1 })).toEqual([])
  expect(await claimAsked(database.store, { ...claim, level: 2 })).toMatchObject([{ id: work.id, level: 2 }])
})

const swept = async () => {
  await database.setClock('20 minutes')
  await sweepAsked(database.store)
}

test.each<[string, (work: AskedWork) => Promise<unknown>]>([
  ['the process that was asked', (work) => endWork(database.store, work, false)],
  ['the sweep, after a process that was killed', swept],
  [
    'its deadline, with a runner that goes on',
    async (work) => {
      const holder = await token()
      const held = await claimedBy(holder, work)
      await endWork(database.store, work, false)
      expect(await rows()).toHaveLength(1)
      await answerAsked(database.store, held, holder, Buffer.from('sealed'))
    },
  ],
  [
    'its deadline, with a runner that is lost',
    async (work) => {
      await claimedBy(await token(), work)
      await endWork(database.store, work, false)
    },
  ],
])('what paid for a preview goes back once when it is ended by %s', async (_what, end) => {
  const team = await database.team(HAS)
  const work = await paid(team)
  expect(await database.usage(team)).toMatchObject(PAID)
  await end(work)
  expect(await database.usage(team)).toMatchObject(BEFORE)
  await Promise.all([endWork(database.store, work, false), endWork(database.store, work, false)])
  await swept()
  expect([await database.usage(team), await rows()]).toMatchObject([BEFORE, []])
})

test('what paid for a preview that was made stays paid', async () => {
  const team = await database.team(HAS)
  const work = await paid(team)
  await endWork(database.store, work, true)
  await endWork(database.store, work, false)
  await swept()
  expect([await database.usage(team), await rows()]).toMatchObject([PAID, []])
})

/** A run of a search that somebody asked for. It costs three runs. */
async function askedRun(team: string): Promise<number> {
  const no = await addSearch(database, team, { pages: 3, dueSeconds: 700 })
  await ask(team, no)
  return no
}

async function ask(team: string, no: number): Promise<void> {
  const [monitor] = await database.query<{ id: string }>('select id from monitors where no = $1', [no])
  const asked = await database.store.transaction((tx) => runNow(tx, team, monitor?.id ?? '', 'serp'))
  expect(asked).toMatchObject({ kind: 'queued', isNew: true })
}

const deletes = (team: string, no: number) =>
  database.store.transaction(async (tx) => {
    await lockUsage(tx, team)
    await hideMonitor(tx, no)
  })

const refuses = async () => {
  await leaveAlone(database)
  await claimIn(database)
}

const nobodyRenders = async () => {
  await database.query(`update installation set unrendered_at = clock() - interval '3 minutes'`)
  await endUnrendered(database.store)
}

const ENDS = {
  'the deletion of its monitor': deletes,
  'an engine that is left alone': refuses,
  'an installation that renders nothing': nobodyRenders,
} as const

test.each(Object.entries(ENDS))('what paid for a run goes back once when it is ended by %s', async (_what, end) => {
  const team = await database.team(HAS)
  const no = await askedRun(team)
  expect(await database.usage(team)).toMatchObject(PAID)
  await Promise.all([end(team, no), end(team, no)])
  expect(await database.usage(team)).toMatchObject(BEFORE)
  await swept()
  for (const more of Object.values(ENDS)) await more(team, no)
  expect([await database.usage(team), await rows()]).toMatchObject([BEFORE, []])
})

test('a run that was made stays paid, and its payment is forgotten', async () => {
  const team = await database.team(HAS)
  const no = await askedRun(team)
  const [claimed] = await claimIn(database)
  await sweepAsked(database.store)
  expect(await rows()).toHaveLength(1)
  if (claimed) await recordIn(database, claimed, { outcome: 'ok' })
  await sweepAsked(database.store)
  expect([claimed?.no, await database.usage(team), await rows()]).toMatchObject([no, PAID, []])
})

test('a scheduled run under way and one that was asked for meanwhile have each their own payment', async () => {
  const team = await database.team({ runs: 50, used: 50, credits: 5 })
  const no = await addSearch(database, team, { pages: 3, dueSeconds: 700 })
  await claimIn(database)
  expect(await database.usage(team)).toMatchObject({ runs_used: 50, credits: 2 })
  await database.query('update team_usage set runs_limit = 60')
  await ask(team, no)
  expect(await database.usage(team)).toMatchObject({ runs_used: 53, credits: 2 })
  // The process dies, and its engine is left alone when the check is claimed again.
  await database.setClock('2 minutes')
  await refuses()
  expect(await database.usage(team)).toMatchObject({ runs_used: 53, credits: 5 })
  await deletes(team, no)
  expect(await database.usage(team)).toMatchObject({ runs_used: 50, credits: 5 })
})

test('whatever is asked for and whatever ends it, at once and again, no run is given back twice or lost', async () => {
  const end = fc.constantFrom<keyof typeof ENDS | 'end' | 'sweep'>('end', 'sweep', ...(Object.keys(ENDS) as []))
  const steps = fc.array(fc.array(end, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(fc.nat(2), fc.nat(2), steps, async (previews, runs, groups) => {
      await database.setClock('0')
      await database.query('truncate asked_work, checks, monitors, runs, serp_exits, serp_engines cascade')
      const team = await database.team({ runs: 60, used: 50, credits: 9 })
      const works: AskedWork[] = []
      for (let left = previews; left > 0; left--) works.push(await paid(team))
      const numbers: number[] = []
      for (let left = runs; left > 0; left--) numbers.push(await askedRun(team))
      const all = async (one: (typeof groups)[number][number]) => {
        if (one === 'end') for (const work of works) await endWork(database.store, work, false)
        else if (one === 'sweep') await sweepAsked(database.store)
        else for (const no of numbers) await ENDS[one](team, no)
      }
      for (const group of groups) await Promise.all(group.map((one) => all(one)))
      await swept()
      for (const no of numbers) await deletes(team, no)
      expect([await database.usage(team), await rows()]).toMatchObject([{ runs_used: 50, credits: 9 }, []])
    }),
    { numRuns: 20 },
  )
})
