import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { stripeBilling } from '../../accounts/billing/stripe.ts'
import { readPrices } from '../../core/plan/read-prices.ts'
import { barsOf } from '../../dashboard/src/usage/day-bars.ts'
import { amountOf, gaugesOf, shareOf } from '../../dashboard/src/usage/gauges.ts'
import { countUsageDays } from '../../store/quota/usage-days.ts'
import { SMALLEST } from '../support/api/monitor-body.ts'
import { openStripeServer } from '../support/api/stripe-server.ts'
import { setRuns } from '../support/database/check-states.ts'
import { describeIf } from '../support/run/skip.ts'
import { type Dashboard, hasBrowser, startDashboard } from './open-dashboard.ts'

const PRICES = JSON.stringify({ lite: 'price_lite', pro: 'price_pro', credits: { 5000: 'price_5000' } })

describe('what is used', () => {
  test.each([
    [999, 'count', '999'],
    [1_204, 'count', '1,204'],
    [0, 'bytes', '0 bytes'],
    [52_428_800, 'bytes', '52.4 MB'],
    [1.5e15, 'bytes', '1,500 TB'],
  ] as const)('%d %s is said as %s', (value, unit, words) => {
    expect(amountOf(value, unit)).toBe(words)
  })

  test.each([
    [5, 10, 0.5],
    [12, 10, 1],
    [0, 0, 0],
    [1, 0, 1],
    [7, null, null],
  ])('of %d of %s is a share of %s', (used, limit, share) => {
    expect(shareOf({ used, limit })).toBe(share)
  })
})

test('a day has a bar as high as its part of the day that has most, and none where nothing was used', () => {
  const none = { visual_runs: 0, serp_runs: 0, credit_runs: 0, llm_calls: 0, picture_bytes: 0, proxy_bytes: 0 }
  const days = [
    { ...none, day: '2026-03-01', runs: 1, serp_runs: 2, credit_runs: 1 },
    { ...none, day: '2026-03-02', runs: 8 },
    { ...none, day: '2026-03-03', runs: 0, llm_calls: 3 },
  ]
  expect(barsOf(days, 'runs').map(({ amount, share }) => [amount, share])).toEqual([
    [4, 0.5],
    [8, 1],
    [0, 0],
  ])
  expect(barsOf(days, 'proxy').map(({ share }) => share)).toEqual([0, 0, 0])
})

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The usage of a team', () => {
  let dashboard: Dashboard
  let stripe: Awaited<ReturnType<typeof openStripeServer>>
  let stranger: Dashboard
  beforeAll(async () => {
    stripe = await openStripeServer()
    const prices = readPrices(PRICES)
    if (typeof prices === 'string') throw new Error(prices)
    const { apiUrl, secretKey, webhookSecret } = stripe.options
    const keys = { secretKey: () => secretKey, webhookSecret: () => webhookSecret }
    dashboard = await startDashboard({
      billing: stripeBilling({ apiUrl, ...keys, prices, timeoutMs: 60_000, longestWaitMs: 60_000 }),
    })
    stranger = await startDashboard()
  }, 60_000)
  afterEach(() => Promise.all([dashboard.closePages(), stranger.closePages()]))
  afterAll(async () => {
    await stranger[Symbol.asyncDispose]()
    await dashboard[Symbol.asyncDispose]()
    await stripe[Symbol.asyncDispose]()
  })

  test('is shown as bars with the pace, what stops, and what is locked; the owner is led to the payment', async () => {
    const owner = await dashboard.api.owner({ plan: 'free' })
    await dashboard.api.call(owner.api_key, 'POST', '/v1/monitors', SMALLEST)
    await dashboard.api.sql(`
      update teams set trial_ends_at = clock() - interval '1 day' where id = '${owner.team_id}';
      update team_usage set runs_used = 180 where team_id = '${owner.team_id}'`)
    const { page, watched } = await dashboard.open('/usage', owner)
    const runs = page.getByRole('meter', { name: 'Runs', exact: true })
    await runs.waitFor()
    expect(await runs.getAttribute('aria-valuetext')).toBe('180 of 200')
    expect(await page.getByText('The trial is over. A plan unlocks them').count()).toBe(1)
    expect(await page.getByRole('link', { name: 'Show them' }).getAttribute('href')).toBe('/?status=billing_paused')
    expect(watched).toMatchObject({ faults: [], strangers: [] })
    // The page of the provider is none of ours, and nothing is asked of it here.
    const led = page.waitForRequest((request) => request.isNavigationRequest())
    await page.route('https://**', (route) => route.abort())
    await page.getByRole('button', { name: 'Choose Pro' }).click()
    expect((await led).url()).toMatch(/^https:\/\/checkout\.example\.com\//)
    expect(stripe.session().price).toBe('price_pro')
  })

  test('has the subscription of a team that paid: by keys it is cancelled after a question, and kept', async () => {
    const owner = await dashboard.api.owner({ plan: 'free', serp: false })
    await dashboard.api.call(owner.session_token, 'POST', '/v1/billing/checkout', { plan: 'lite' })
    stripe.pay()
    const { payload, headers } = stripe.subscriptionEvent('created')
    await dashboard.api.app.inject({ method: 'POST', url: '/webhooks/stripe', payload, headers })
    const { page } = await dashboard.open('/usage', owner)
    await page.getByText('It is renewed on').waitFor()
    await page.getByRole('button', { name: 'Cancel the plan…' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('alertdialog', { name: 'Cancel the plan?' })
    await dialog.getByRole('button', { name: 'Cancel it' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('It ends on').waitFor()
    await dialog.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Keep the plan' }).press('Enter')
    await page.getByText('It is renewed on').waitFor()
  })

  test('says whom to ask where nothing is sold, and to others that the owner decides', async () => {
    const owner = await stranger.api.owner({ plan: 'unlimited' })
    const { page } = await stranger.open('/usage', owner)
    await page.getByText('Nothing is sold here').waitFor()
    await expect.poll(() => page.getByText(', without a limit').count()).toBeGreaterThan(3)
    const member = { session_token: await stranger.api.member(owner, 'member') }
    const { page: theirs } = await stranger.open('/usage', member)
    await theirs.getByText('Your role, member, may not manage billing. Ask the owner.').waitFor()
    expect(await theirs.getByRole('region', { name: 'Plan' }).getByRole('button').count()).toBe(0)
  })

  test('is shown by day and by the monitors that use most', async () => {
    const owner = await stranger.api.owner({ plan: 'unlimited' })
    const create = async (name: string) =>
      String(
        (await stranger.api.call(owner.api_key, 'POST', '/v1/monitors?paused=true', { ...SMALLEST, name })).body['id'],
      )
    const [busy] = [await create('Busy'), await create('Idle')]
    await setRuns(stranger.api, [busy ?? ''], 40)
    await stranger.api.sql(
      `update team_usage set runs_used = 40, proxy_bytes_used = 5000000 where team_id = '${owner.team_id}'`,
    )
    await countUsageDays(stranger.api.services.store)
    const { page, watched } = await stranger.open('/usage', owner)
    await page.getByRole('region', { name: 'What uses most' }).getByText('40 runs, 100%').waitFor()
    expect(await page.getByRole('region', { name: 'What uses most' }).getByRole('listitem').count()).toBe(1)
    const days = page.getByRole('region', { name: 'By day' })
    await days.getByText('The numbers as a table').press('Enter')
    await expect.poll(() => days.getByRole('row').nth(1).innerText()).toMatch(/40$/)
    await days.getByRole('button', { name: 'Proxy' }).press('Enter')
    await page.waitForURL(/by=proxy/)
    await expect.poll(() => days.getByRole('row').nth(1).innerText()).toMatch(/5 MB$/)
    await days.getByRole('button', { name: 'Model' }).press('Enter')
    await days.getByText('Nothing of this was used on these days.').waitFor()
    await page.getByRole('link', { name: 'Busy' }).click()
    await page.waitForURL(new RegExp(`/monitors/${busy}$`))
    expect(watched.faults).toEqual([])
  })
})

test('every pool of a trial has a gauge of its own', () => {
  const pool = { used: 1, limit: 2 }
  const usage = {
    runs: pool,
    visualRuns: pool,
    serpRuns: pool,
    configurationBytes: pool,
    limits: { llmCallsPerMonth: 1, proxyBytesPerMonth: 0, screenshotBytesPerMonth: null },
  } as unknown as Parameters<typeof gaugesOf>[0]
  expect(
    gaugesOf(usage)
      .map(({ name }) => name)
      .slice(0, 3),
  ).toEqual(['Runs', 'Runs with pictures', 'Runs of searches'])
})
