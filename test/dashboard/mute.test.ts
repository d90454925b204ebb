import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { SMALLEST } from '../support/api/monitor-body.ts'
import { seedDelivery, seedRun } from '../support/api/seeded-runs.ts'
import { describeIf } from '../support/run/skip.ts'
import { type Dashboard, hasBrowser, startDashboard } from './open-dashboard.ts'

const SEARCH = { name: 'Rank', keyword: 'kettle', schedule_interval_seconds: 3_600, target_domain: 'example.com' }
const HOUR_MS = 3_600_000

describeIf(hasBrowser, 'there is no embedded browser for this platform')('Monitors', () => {
  let dashboard: Dashboard
  let owner: CreatedOwner
  let kettle = ''
  let rank = ''
  const call = (method: 'GET' | 'POST', path: string, body?: object) =>
    dashboard.api.call(owner.api_key, method, path, body)
  const read = async (path: string) => (await call('GET', path)).body as Readonly<Record<string, unknown>>
  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.api.owner({ plan: 'unlimited' })
    const create = async (path: string, body: object) => String((await call('POST', path, body)).body['id'])
    kettle = await create('/v1/monitors', { ...SMALLEST, name: 'Kettle', labels: { team: 'shop' } })
    rank = await create('/v1/serp-monitors', SEARCH)
  }, 60_000)
  afterEach(() => dashboard.closePages())
  afterAll(() => dashboard[Symbol.asyncDispose]())

  const opened = async (path: string) => {
    const found = await dashboard.open(path, owner)
    await found.page.getByRole('gridcell').first().waitFor()
    return found
  }
  const selectAll = async (page: Page) => {
    await page.getByRole('button', { name: 'Select all 2' }).click()
    await page.getByText('2 selected').waitFor()
  }

  test('of both kinds are muted together for an hour, and say so; what waits is one press away', async () => {
    const { page, watched } = await opened('/')
    await selectAll(page)
    await page.getByRole('button', { name: 'Mute…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Mute 2 monitors' })
    await dialog.getByLabel('Why, for those who see it').fill('<b>a move</b>')
    await dialog.getByRole('button', { name: 'Mute' }).click()
    await page.getByRole('status').getByText('Mute: 2 done.').waitFor()
    // All that the filters leave are muted by one request.
    expect(watched.asked.filter((path) => path === '/v1/overview/mute')).toHaveLength(1)
    const page1 = await read(`/v1/monitors/${kettle}`)
    const { until, reason, drop } = page1['mute'] as { until: string; reason: string; drop: boolean }
    expect(Math.abs(Date.parse(until) - Date.now() - HOUR_MS)).toBeLessThan(60_000)
    expect([reason, drop]).toEqual(['<b>a move</b>', false])
    expect(await read(`/v1/serp-monitors/${rank}`)).toMatchObject({ mute: { drop: false } })
    await page.getByRole('button', { name: /^Muted 2$/ }).click()
    await expect.poll(() => page.getByText(/^Muted, ends/).count()).toBe(2)
    const run = await seedRun(dashboard.api.services, kettle, { triggered: true })
    const config = { type: 'email', to: 'ops@example.com' } as const
    await seedDelivery(dashboard.api.services, run, { config, held: 'muted', nextInSeconds: 3_000 })
    await page.getByRole('link', { name: 'Kettle' }).click()
    await page.getByText('Muted until').waitFor()
    expect(await page.getByText('<b>a move</b>').count()).toBe(1)
    await page.getByRole('link', { name: 'Show what waits' }).click()
    await page.getByText('waits for the end of the mute').waitFor()
    expect(watched).toMatchObject({ faults: [], strangers: [] })
  })

  test('that are selected are muted, and not those that another filter leaves', async () => {
    const { page, watched } = await opened('/')
    await page.getByRole('checkbox', { name: 'Select Kettle' }).check()
    await page.getByLabel('Search names and addresses').fill('Rank')
    await page.getByText(/^1 of/).waitFor()
    await page.getByRole('button', { name: 'Unmute' }).click()
    await page.getByRole('status').getByText('Unmute: 1 done.').waitFor()
    expect(watched.asked).not.toContain('/v1/overview/unmute')
    expect(await read(`/v1/monitors/${kettle}`)).not.toHaveProperty('mute')
    expect(await read(`/v1/serp-monitors/${rank}`)).toHaveProperty('mute')
    await call('POST', `/v1/monitors/${kettle}/mute`, { until: null })
  })

  test('are unmuted, and muted without an end only by a second choice, by keys alone', async () => {
    const { page } = await dashboard.open(`/monitors/${kettle}`, owner)
    await page.getByRole('button', { name: 'Unmute' }).waitFor()
    await page.keyboard.press('m')
    await page.getByRole('button', { name: 'Mute…', disabled: false }).waitFor()
    expect(await read(`/v1/monitors/${kettle}`)).not.toHaveProperty('mute')
    await page.keyboard.press('m')
    const dialog = page.getByRole('dialog', { name: 'Mute Kettle' })
    await dialog.getByLabel('For 1 hour').focus()
    await page.keyboard.press('ArrowUp')
    const submit = dialog.getByRole('button', { name: 'Mute' })
    expect(await submit.isDisabled()).toBe(true)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await submit.focus()
    await page.keyboard.press('Enter')
    await page.getByText('Muted without an end').waitFor()
    expect(await read(`/v1/monitors/${kettle}`)).toMatchObject({ mute: { until: null } })
  })

  test('get a label with another name, and another interval', async () => {
    const { page } = await opened('/')
    await selectAll(page)
    await page.getByRole('button', { name: 'Labels…' }).click()
    const labels = page.getByRole('dialog', { name: 'Labels of 2 monitors' })
    await labels.getByLabel('Key').fill('squad')
    await labels.getByLabel('Value').fill('web')
    await labels.getByRole('checkbox', { name: 'team' }).check()
    await labels.getByRole('button', { name: 'Change them' }).click()
    await page.getByRole('status').getByText('Labels: 2 done.').waitFor()
    expect((await read(`/v1/monitors/${kettle}`))['labels']).toEqual({ squad: 'web' })
    await selectAll(page)
    await page.getByRole('button', { name: 'Labels…' }).click()
    await labels.getByRole('combobox', { name: 'Label' }).selectOption('squad')
    expect(await labels.getByText('Type the new name of the label.').count()).toBe(1)
    await labels.getByLabel('New name').fill('group')
    await labels.getByRole('button', { name: 'Change them' }).click()
    await page.getByRole('status').getByText('Labels: 2 done.').waitFor()
    await expect.poll(async () => (await read(`/v1/monitors/${kettle}`))['labels']).toEqual({ group: 'web' })
    await selectAll(page)
    await page.getByRole('button', { name: 'Interval…' }).click()
    const interval = page.getByRole('dialog', { name: 'How often 2 monitors are checked' })
    await interval.getByLabel('Check').selectOption('every 6 h')
    await interval.getByRole('button', { name: 'Change it' }).click()
    await page.getByRole('status').getByText('Interval: 2 done.').waitFor()
    expect((await read(`/v1/serp-monitors/${rank}`))['schedule_interval_seconds']).toBe(21_600)
  })

  test('are not muted by who may only read, who is given the reason', async () => {
    const reader = { session_token: await dashboard.api.member(owner, 'viewer') }
    const { page } = await dashboard.open(`/monitors/${kettle}`, reader)
    const button = page.getByRole('button', { name: 'Unmute' })
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    await page.keyboard.press('m')
    expect(await read(`/v1/monitors/${kettle}`)).toHaveProperty('mute')
  })
})
