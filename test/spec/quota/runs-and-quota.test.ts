import { describe, expect, test } from 'vitest'
import type { Tier } from '../../../schema/account/plan.ts'
import { setPlan } from '../../../store/accounts/admin-accounts.ts'
import { createMonitor } from '../../support/api/monitor-requests.ts'
import { endedRuns, runNow, startWatching } from '../../support/api/watching.ts'
import { shared } from '../../support/run/shared.ts'

const watching = shared(() => startWatching())

const any = { diff_predicate: { type: 'any_field_changes' } }

/** An account, with ways to set and to see what it has used. */
async function account(plan: Tier, { served } = watching) {
  const client = await served.anotherTeam(plan)
  const { team_id: team } = client.owner
  return {
    ...client,
    set: (what: string) => served.api.sql(`update team_usage set ${what} where team_id = '${team}'`),
    usage: async () => (await client.get('/v1/usage')).body,
    total: async (id: string) => (await client.get(`/v1/monitors/${id}/runs?limit=1`)).body.pagination,
  }
}

/** Waits until the worker has looked for due checks since: what a new account makes now has run. */
const workerLooked = async (own = watching) => void (await own.watch({ value: 1 }, any, await own.served.anotherTeam()))

describe('runs', () => {
  test('every check is a run: scheduled or asked for, a success or a failure', async () => {
    const client = await account('lite')
    const page = await watching.watch({ value: 1 }, any, client)
    expect(await client.usage()).toMatchObject({ runs: { used: 1, limit: 1_000 } })
    await page.run()
    expect(await client.usage()).toMatchObject({ runs: { used: 2 } })
    page.set('down', 'text/html', 500)
    await page.run()
    expect(await client.usage()).toMatchObject({ runs: { used: 3 } })
  })

  test('when the pool is used up, scheduled checks use run credits, which are counted down', async () => {
    const client = await account('lite')
    await client.set('runs_used = runs_limit, credits = 2')
    await watching.watch({ value: 1 }, any, client)
    expect(await client.usage()).toMatchObject({ runs: { used: 1_000, limit: 1_000 }, runCredits: 1 })
  })

  test('credits work in the trial too', async () => {
    const client = await account('free')
    await client.set('runs_used = runs_limit, credits = 1')
    await watching.watch({ value: 1 }, any, client)
    expect(await client.usage()).toMatchObject({ runs: { used: 200, limit: 200 }, runCredits: 0 })
  })

  test('with credits gone too, scheduled checks stop and manual runs are 429; credits restart them', async () => {
    const client = await account('lite')
    await client.set('runs_used = runs_limit')
    const { url } = watching.page({ value: 1 })
    const { id } = await createMonitor(client, { url })
    await workerLooked()
    expect(await client.total(id)).toMatchObject({ total: 0 })
    const refused = await client.post(`/v1/monitors/${id}/run`)
    expect([refused.status, refused.body.error.code]).toEqual([429, 'RUN_LIMIT_REACHED'])
    expect(await client.usage()).toMatchObject({ runs: { used: 1_000 }, runCredits: 0 })
    await client.set('credits = 1')
    await endedRuns(client, id, 1)
    expect(await client.usage()).toMatchObject({ runs: { used: 1_000 }, runCredits: 0 })
  })

  test('with credits gone too, a larger plan restarts scheduled checks', async () => {
    const client = await account('lite')
    await client.set('runs_used = runs_limit')
    const { id } = await createMonitor(client, { url: watching.page({ value: 1 }).url })
    await workerLooked()
    expect(await client.total(id)).toMatchObject({ total: 0 })
    await setPlan(watching.served.api.services.store, client.owner.email, 'starter', false)
    await endedRuns(client, id, 1)
    expect(await client.usage()).toMatchObject({ runs: { used: 1_001, limit: 5_000 } })
  })

  test('there is no daily cap on manual runs', async () => {
    const client = await account('free')
    const { id } = await watching.watch({ value: 1 }, any, client)
    for (let i = 0; i < 8; i++) expect(await runNow(client, id)).toMatchObject({ status: 'success' })
    expect(await client.usage()).toMatchObject({ runs: { used: 9 } })
  })
})

describe('runs, as time goes', () => {
  test('they are counted from runsPeriodStart to runsResetAt; from then on stopped checks go on', async () => {
    const own = await startWatching()
    try {
      const client = await account('lite', own)
      await client.set('runs_used = runs_limit')
      const { runsPeriodStart: start, runsResetAt: end } = await client.usage()
      expect(Math.abs(Date.parse(String(start)) - Date.now())).toBeLessThan(60_000)
      const days = (Date.parse(String(end)) - Date.parse(String(start))) / 86_400_000
      expect(days).toBeGreaterThanOrEqual(28)
      expect(days).toBeLessThanOrEqual(31)
      const { id } = await createMonitor(client, { url: own.page('<p class=price>1').url })
      const untilEnd = Math.ceil((Date.parse(String(end)) - Date.now()) / 1000)
      await own.setClock(untilEnd - 60)
      await workerLooked(own)
      expect(await client.total(id)).toMatchObject({ total: 0 })
      await own.setClock(untilEnd + 60)
      await endedRuns(client, id, 1)
      expect(await client.usage()).toMatchObject({ runs: { used: 1, limit: 1_000 }, runsPeriodStart: end })
    } finally {
      await own.close()
    }
  })

  test('credits never expire, and a trial has its runs once', async () => {
    const own = await startWatching()
    try {
      const paid = await account('lite', own)
      const trial = await account('free', own)
      await paid.set('credits = 7')
      await trial.set('credits = 7, runs_used = runs_limit')
      await own.setClock(400 * 86_400)
      expect(await paid.usage()).toMatchObject({ runCredits: 7, runs: { used: 0 } })
      expect(await trial.usage()).toMatchObject({ runCredits: 7, runs: { used: 200, limit: 200 } })
    } finally {
      await own.close()
    }
  })
})
