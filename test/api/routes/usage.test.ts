import { describe, expect, test } from 'vitest'
import { PLANS, type Tier, TIERS } from '../../../schema/account/plan.ts'
import { Usage } from '../../../schema/account/usage.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import type { CreatedOwner } from '../../../store/accounts/accounts.ts'
import { createTestApi } from '../../support/api/test-api.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import { failTimes } from '../../support/database/check-states.ts'
import { shared } from '../../support/run/shared.ts'

const api = shared(() => createTestApi())

const DAY = 86_400_000
const usageOf = async ({ api_key: key }: CreatedOwner): Promise<Usage> => {
  const { status, body } = await api.call(key, 'GET', '/v1/usage')
  expect([status, checkerOf(Usage).validate(body)]).toMatchObject([200, { ok: true }])
  return body as never
}
const set = (owner: CreatedOwner, what: string) =>
  api.sql(`update team_usage set ${what} where team_id = '${owner.team_id}'`)
const monitor = async (owner: CreatedOwner, more: object = {}) => {
  const made = await api.call(owner.api_key, 'POST', '/v1/monitors', {
    name: 'M',
    url: 'https://example.com/',
    schedule_interval_seconds: 3600,
    extract_config: { method: 'full_page' },
    diff_predicate: { type: 'any_field_changes' },
    ...more,
  })
  expect(made.status).toBe(201)
  return String(made.body['id'])
}

describe('the usage summary', () => {
  test('of a trial has three pools over the whole trial, and says when it ends', async () => {
    const owner = await api.owner({ plan: 'free' })
    const usage = await usageOf(owner)
    expect(usage).toMatchObject({
      tier: 'free',
      runs: { used: 0, limit: 200 },
      visualRuns: { used: 0, limit: 100 },
      serpRuns: { used: 0, limit: 100 },
      serpAllowed: true,
      serpViaCredits: false,
      trialActive: true,
      llmCallsThisMonth: 0,
      runsPeriodIsBilling: false,
    })
    expect(Date.parse(usage.runsResetAt) - Date.parse(usage.runsPeriodStart)).toBe(14 * DAY)
    expect([usage.trialEndsAt, usage.serpTrialEndsAt]).toEqual([usage.runsResetAt, usage.runsResetAt])
    expect(Math.abs(Date.parse(usage.runsPeriodStart) - Date.now())).toBeLessThan(60_000)
  })

  test('of a paid plan has one shared pool, and no trial', async () => {
    expect(await usageOf(await api.owner({ plan: 'pro' }))).toMatchObject({
      tier: 'pro',
      runs: { used: 0, limit: 15_000 },
      visualRuns: null,
      serpRuns: null,
      trialEndsAt: null,
      serpTrialEndsAt: null,
      trialActive: false,
    })
  })

  test.each(TIERS.map((tier) => [tier]))('has the limits of the plan %s, and not its seats', async (tier: Tier) => {
    const { maxTeamMembers: _, configurationBytes, ...limits } = PLANS[tier]
    const { limits: shown, ...usage } = await usageOf(await api.owner({ plan: tier }))
    expect(shown).toEqual({ ...limits, serp: tier === 'free' ? 'trial' : 'included' })
    // Beyond the contract, with what is used of it.
    expect(usage['configurationBytes']).toEqual({ used: 0, limit: configurationBytes })
  })

  test("has the team's own limits instead of the plan's", async () => {
    const owner = await api.owner({ plan: 'lite' })
    await api.sql(
      `update teams set limits = '{"retentionDays": 7, "llmCallsPerMonth": null}' where id = '${owner.team_id}'`,
    )
    expect((await usageOf(owner)).limits).toMatchObject({ retentionDays: 7, llmCallsPerMonth: 250, runsPerMonth: 1000 })
  })

  test('counts what was used, and the credits', async () => {
    const owner = await api.owner({ plan: 'free' })
    await set(owner, 'runs_used = 7, visual_used = 3, serp_used = 2, llm_calls_used = 5, credits = 11')
    expect(await usageOf(owner)).toMatchObject({
      runs: { used: 7, limit: 200 },
      visualRuns: { used: 3, limit: 100 },
      serpRuns: { used: 2, limit: 100 },
      llmCallsThisMonth: 5,
      runCredits: 11,
    })
  })

  test('shows a run that a person asked for at once', async () => {
    const owner = await api.owner()
    const id = await monitor(owner)
    await api.call(owner.api_key, 'POST', `/v1/monitors/${id}/run`)
    expect((await usageOf(owner)).runs.used).toBe(1)
  })

  test('without a limit of runs says null', async () => {
    const owner = await api.owner()
    await set(owner, 'runs_limit = null')
    expect((await usageOf(owner)).runs).toEqual({ used: 0, limit: null })
  })

  test('counts failing monitors as active; paused, locked and deleted ones not', async () => {
    const owner = await api.owner()
    const [, failing, paused, locked, both, deleted] = [
      await monitor(owner),
      await monitor(owner),
      await monitor(owner),
      await monitor(owner),
      await monitor(owner),
      await monitor(owner),
    ]
    await failTimes(api, failing, 9)
    await api.call(owner.api_key, 'POST', `/v1/monitors/${paused}/pause`)
    await api.call(owner.api_key, 'DELETE', `/v1/monitors/${deleted}`)
    await changeMonitors(api, [locked, both], { locked: true })
    await changeMonitors(api, both, { paused: true })
    expect(await usageOf(owner)).toMatchObject({ monitorsActive: 2, monitorsLocked: 2, serpMonitorsLocked: 0 })
  })

  test('of a plan without SERP says that such monitors run on credits, when there are any', async () => {
    const owner = await api.owner({ plan: 'starter', serp: false })
    expect(await usageOf(owner)).toMatchObject({ serpAllowed: false, serpViaCredits: true, limits: { serp: 'none' } })
    await set(owner, 'credits = 1')
    expect(await usageOf(owner)).toMatchObject({ serpAllowed: true, serpViaCredits: true })
  })

  test('of a plan with SERP says that it is included', async () => {
    const owner = await api.owner({ plan: 'starter', serp: true })
    expect(await usageOf(owner)).toMatchObject({ serpAllowed: true, serpViaCredits: false })
  })

  test('after the trial says that it is over, and allows no SERP', async () => {
    const owner = await api.owner({ plan: 'free' })
    await api.sql(`update teams set trial_ends_at = clock() - interval '1 second' where id = '${owner.team_id}'`)
    await set(owner, 'credits = 5')
    const usage = await usageOf(owner)
    expect(usage).toMatchObject({ trialActive: false, serpAllowed: false, trialEndsAt: expect.any(String) })
  })

  test("shows the period of a plan, of a month's length, until its next renewal", async () => {
    const owner = await api.owner({ plan: 'lite' })
    await set(owner, `period_start = '2026-02-03T04:05:06.007Z', resets_at = '2026-03-03T04:05:06.007Z'`)
    expect(await usageOf(owner)).toMatchObject({
      runsPeriodStart: '2026-02-03T04:05:06.007Z',
      runsResetAt: '2026-03-03T04:05:06.007Z',
    })
  })

  test('foretells when the runs are used up at the intervals of the scheduled monitors', async () => {
    const owner = await api.owner({ plan: 'lite' })
    expect((await usageOf(owner)).pace).toEqual({ runsPerDay: 0, usedUpAt: null })
    await monitor(owner, { schedule_interval_seconds: 600 })
    const paused = await monitor(owner, { schedule_interval_seconds: 60 })
    await api.call(owner.api_key, 'POST', `/v1/monitors/${paused}/pause`)
    await set(owner, 'runs_used = 600, credits = 32')
    // 144 a day, 432 left: three days.
    const { runsPerDay, usedUpAt } = (await usageOf(owner)).pace
    expect(runsPerDay).toBe(144)
    expect(Math.abs(Date.parse(usedUpAt ?? '') - Date.now() - 3 * DAY)).toBeLessThan(60_000)
    await set(owner, `resets_at = clock() + interval '2 days'`)
    expect((await usageOf(owner)).pace.usedUpAt).toBeNull()
    expect((await usageOf(await api.owner({ plan: 'unlimited' }))).pace.usedUpAt).toBeNull()
  })

  test('without runs left, a monitor stays active and its next run is at the end of the period', async () => {
    const owner = await api.owner({ plan: 'lite' })
    const id = await monitor(owner)
    const read = async () => (await api.call(owner.api_key, 'GET', `/v1/monitors/${id}`)).body
    const { next_run_at: before } = await read()
    await set(owner, 'runs_used = runs_limit')
    const { runsResetAt } = await usageOf(owner)
    expect(await read()).toMatchObject({ status: 'active', next_run_at: runsResetAt })
    const { body: list } = await api.call(owner.api_key, 'GET', '/v1/monitors')
    expect(list).toMatchObject({ data: [{ next_run_at: runsResetAt }] })
    await set(owner, 'credits = 1')
    expect((await read())['next_run_at']).toBe(before)
    await api.call(owner.api_key, 'POST', `/v1/monitors/${id}/pause`)
    await set(owner, 'credits = 0')
    expect((await read())['next_run_at']).toBeNull()
  })

  test('is open to viewers and read keys, and each team has its own', async () => {
    const owner = await api.owner()
    await set(owner, 'runs_used = 99')
    for (const credential of [await api.member(owner, 'viewer'), await api.key(owner, 'read')])
      expect((await api.call(credential, 'GET', '/v1/usage')).body).toMatchObject({ runs: { used: 99 } })
    expect((await usageOf(await api.owner())).runs.used).toBe(0)
  })
})
