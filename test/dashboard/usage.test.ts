import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { stripeBilling } from '../../accounts/billing/stripe.ts'
import { POLICIES } from '../../api/auth/policies.ts'
import { readPrices } from '../../core/plan/read-prices.ts'
import { barsOf } from '../../dashboard/src/usage/day-bars.ts'
import { amountOf, gaugesOf, shareOf } from '../../dashboard/src/usage/gauges.ts'
import { atLeast, ROLES } from '../../schema/account/role.ts'
import { setPlan } from '../../store/accounts/admin-accounts.ts'
import { countUsageDays } from '../../store/quota/usage-days.ts'
import { SMALLEST } from '../support/api/monitor-body.ts'
import { openStripeServer } from '../support/api/stripe-server.ts'
import { setRuns } from '../support/database/check-states.ts'
import { describeIf } from '../support/run/skip.ts'
import { findingsOf } from './axe.ts'
import { type Dashboard, hasBrowser, startDashboard } from './open-dashboard.ts'
import { refusalOf } from './refusal-of.ts'

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

  describe('whose plan is lowered while a screen is open', () => {
    const hook = (nth: number) => ({ type: 'webhook', url: `https://hooks-${nth}.example.com/in` })
    /** A team with a monitor, whose plan another one lowers: to the smallest one, after its trial. */
    async function opened(path: (id: string) => string, body: object = SMALLEST) {
      const owner = await stranger.api.owner({ plan: 'scale', serp: false })
      const { body: made } = await stranger.api.call(owner.api_key, 'POST', '/v1/monitors', body)
      const { page, watched } = await stranger.open(path(String(made['id'])), owner)
      await page.getByRole('button', { name: /^Team: / }).waitFor()
      const lower = async (plan: 'free' | 'lite') => {
        await stranger.api.sql(`
          update teams set trial_ends_at = clock() - interval '1 day' where id = '${owner.team_id}'`)
        await setPlan(stranger.api.services.store, owner.email, plan, false)
      }
      return { owner, page, watched, lower, id: String(made['id']) }
    }

    test('says on the usage screen what is locked and why, and leads to it', async () => {
      const { page, lower } = await opened(() => '/usage')
      await page.getByText('Scale', { exact: true }).waitFor()
      await lower('free')
      await page.reload()
      await page.getByRole('alert').getByText('1 monitor is locked.').waitFor()
      await page.getByText('The trial is over. A plan unlocks them; their history is kept.').waitFor()
      await page.getByRole('link', { name: 'Show them' }).click()
      await page.getByRole('row', { name: 'Lamp' }).getByText('Not in the plan').waitFor()
      await page.getByRole('checkbox', { name: 'Select Lamp' }).check()
      for (const name of ['Run now', 'Pause', 'Resume'])
        expect([name, await refusalOf(page.getByRole('button', { name, exact: true }))]).toEqual([
          name,
          'The plan does not cover it.',
        ])
      await page.getByRole('link', { name: 'Lamp' }).click()
      await page.getByRole('alert').getByText('It is not checked: the plan of the team does not cover it').waitFor()
      await page.getByText('The plan does not cover it.', { exact: true }).waitFor()
      expect(await page.getByRole('button', { name: 'Run now' }).isDisabled()).toBe(true)
      expect(await findingsOf(page)).toEqual([])
      await page.getByRole('link', { name: 'See the plan' }).click()
      await page.getByRole('heading', { name: 'Usage' }).waitFor()
    })

    test('has a sentence for each refusal of the list, which shows then that it is locked', async () => {
      const { page, lower } = await opened(() => '/')
      await page.getByRole('checkbox', { name: 'Select Lamp' }).check()
      await lower('free')
      await page.getByRole('button', { name: 'Run now' }).click()
      await page.getByRole('status').getByText('Run now: 0 done, 1 refused.').waitFor()
      await page.getByText('Show what was refused').click()
      await page
        .getByRole('listitem')
        .getByText(/^Lamp: A monitor that is locked by billing cannot be run\./)
        .waitFor()
      await page.getByRole('row', { name: 'Lamp' }).getByText('Not in the plan').waitFor()
    })

    test('says at the monitor by itself that it is not checked any more, and why', async () => {
      const { page, lower } = await opened((id) => `/monitors/${id}`)
      await page.getByRole('button', { name: 'Run now' }).waitFor()
      await page.getByText('updates every 15 s').waitFor({ state: 'detached' })
      await lower('free')
      await page.getByText('It is not checked: the plan of the team does not cover it').waitFor()
      expect(await page.getByRole('button', { name: 'Run now' }).isDisabled()).toBe(true)
    })

    test('refuses more destinations than the plan has at the form, which keeps what was filled in', async () => {
      const { page, lower, id, owner } = await opened((of) => `/monitors/${of}/edit`, {
        ...SMALLEST,
        deliveries: [hook(1), hook(2), hook(3)],
      })
      await page.getByLabel('Name', { exact: true }).fill('Another name')
      await page.getByRole('button', { name: 'Add a destination' }).click()
      await page.getByLabel('Destination 4: address').fill('https://hooks-4.example.com/in')
      await lower('lite')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page
        .getByRole('alert')
        .getByText('The plan lite allows 2 deliveries a monitor; this one would have 4.')
        .waitFor()
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Another name')
      expect(await page.getByLabel('Destination 4: address').inputValue()).toBe('https://hooks-4.example.com/in')
      await page.getByRole('button', { name: 'Remove Destination 4' }).click()
      await page.getByRole('button', { name: 'Remove Destination 3' }).click()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.waitForURL(new RegExp(`/monitors/${id}$`))
      const { body } = await stranger.api.call(owner.api_key, 'GET', `/v1/monitors/${id}`)
      expect(body).toMatchObject({ name: 'Another name', deliveries: [{}, {}] })
    })

    test('says of a monitor that is made then that it is not checked, and why', async () => {
      const { page, lower } = await opened((id) => `/new?from=${id}`)
      await page.getByRole('button', { name: 'Watch it' }).waitFor()
      await lower('free')
      await page.getByRole('button', { name: 'Watch it' }).click()
      await page.getByText('It is not checked: the plan of the team does not cover it').waitFor()
    })
  })

  test.each(ROLES)('have buttons for a %s as the table of access says', async (role) => {
    const owner = await dashboard.api.owner({ plan: 'free', serp: false })
    await dashboard.api.call(owner.session_token, 'POST', '/v1/billing/checkout', { plan: 'lite' })
    stripe.pay()
    const { payload, headers } = stripe.subscriptionEvent('created')
    await dashboard.api.app.inject({ method: 'POST', url: '/webhooks/stripe', payload, headers })
    const session_token = role === 'owner' ? owner.session_token : await dashboard.api.member(owner, role)
    const { page } = await dashboard.open('/usage', { session_token })
    const mayManage = atLeast(role, POLICIES['billing.manage'].role)
    const plan = page.getByRole('region', { name: 'Plan' })
    await plan.getByText(mayManage ? 'It is renewed on' : `Your role, ${role}, may not manage billing.`).waitFor()
    await page.getByRole('region', { name: 'By day' }).getByRole('button').first().waitFor()
    const names = await page.getByRole('main').getByRole('button').allInnerTexts()
    expect(names).toEqual([
      // Which use is shown by day.
      ...['Runs', 'Model', 'Pictures', 'Proxy'],
      ...(mayManage ? ['Cancel the plan…', 'Invoices, ways to pay and other plans', 'Buy 5,000 runs'] : []),
    ])
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
