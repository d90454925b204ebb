import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'
import { findingsOf } from './axe.ts'
import { type LookingDashboard, startLooking } from './looking.ts'
import { hasBrowser } from './open-dashboard.ts'

// A browser starts.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const SHOP = '<!doctype html><h1>Kettle</h1><b class="price">$19.99</b><i class="old">$24.00</i>'
/** Settings that no field of the screen has in another form, and some that one has. */
const WHOLE = {
  name: 'Kettle',
  schedule_interval_seconds: 7200,
  extract_config: { method: 'css', fields: { price: '.price' }, wait_for: 'h1' },
  diff_predicate: {
    type: 'composite',
    operator: 'OR',
    conditions: [
      { type: 'field_below', field: 'price', threshold: 10 },
      {
        type: 'composite',
        operator: 'AND',
        conditions: [
          { type: 'field_changes', field: 'price' },
          { type: 'field_above', field: 'price', threshold: 99.5 },
        ],
      },
    ],
  },
  deliveries: [{ type: 'webhook', url: 'https://receiver.example/hook', headers: { 'x-key': 'secret' } }],
  fetch_mode: 'browser',
  request_headers: { 'accept-language': 'en' },
  visual_config: { enabled: true, thresholdPct: 3, regions: [{ selector: 'h1' }] },
  notify_on: ['failing'],
  quiet_hours: { from: '22:00', until: '07:00', time_zone: 'Europe/Berlin' },
  labels: { team: 'shop' },
}

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The edit of a monitor', () => {
  let looking: LookingDashboard
  let url = ''
  beforeAll(async () => {
    looking = await startLooking()
    url = looking.site.page('/shop', SHOP)
  })
  afterAll(() => looking[Symbol.asyncDispose]())

  const call = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) =>
    looking.dashboard.api.call(looking.owner.api_key, method, path, body)
  const made = async () => String((await call('POST', '/v1/monitors?paused=true', { ...WHOLE, url })).body['id'])
  const read = async (id: string) => (await call('GET', `/v1/monitors/${id}`)).body as Readonly<Record<string, unknown>>
  const opened = async (path: string) => {
    const found = await looking.dashboard.open(path, looking.owner, { width: 1280 })
    await found.page.getByRole('button', { name: /^(Save|Watch it)$/ }).waitFor()
    return found
  }
  const OF_STATE = ['id', 'user_id', 'created_at', 'next_run_at', 'last_run_at', 'status', 'consecutive_failures']
  const spec = (record: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(record).filter(([key]) => !OF_STATE.includes(key)))
  const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click()

  test('changes what was changed alone, and copies a monitor with all settings', async () => {
    const id = await made()
    const before = await read(id)
    const { page, watched } = await looking.dashboard.open(`/monitors/${id}`, looking.owner)
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await page.waitForURL(/\/edit$/)
    await page.getByText('Nothing is changed yet.').waitFor()
    // The kind is switched and back, and nothing is lost.
    for (const kind of ['The whole page', 'A prompt', 'Parts of it'])
      await page.getByRole('button', { name: kind, exact: true }).click()
    await page.getByText('Nothing is changed yet.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Kettle 2')
    await save(page)
    await page.waitForURL(new RegExp(`/monitors/${id}$`))
    expect(await read(id)).toEqual({ ...before, name: 'Kettle 2' })
    await page.getByRole('link', { name: 'Duplicate' }).click()
    await page.getByLabel('Name', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Watch it' }).click()
    await page.waitForURL(/\/monitors\/[\w-]+$/)
    const copy = page.url().split('/').at(-1) ?? ''
    expect(copy).not.toBe(id)
    expect(spec(await read(copy))).toEqual({ ...spec(before), name: 'Kettle 2 (copy)' })
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('points anew, says that the baseline is reset, and edits groups of conditions', async () => {
    const id = await made()
    const { page } = await opened(`/monitors/${id}/edit`)
    await page.getByRole('button', { name: 'Look', exact: true }).click()
    await page.getByRole('searchbox', { name: 'Find on the page' }).fill('$24')
    await page.keyboard.press('Enter')
    await page.getByText('compares nothing and fires nothing').waitFor()
    const outer = page.getByRole('group', { name: 'Conditions, OR' })
    await outer.getByLabel('Amount').first().fill('12')
    await outer.getByRole('button', { name: 'Remove condition 1' }).last().click()
    await page.getByRole('button', { name: 'Would it have fired?' }).click()
    await page.getByText('0 times').waitFor()
    await save(page)
    await page.waitForURL(new RegExp(`/monitors/${id}$`))
    expect(await read(id)).toMatchObject({
      extract_config: { method: 'css', fields: { price: '.old' }, wait_for: 'h1' },
      diff_predicate: {
        operator: 'OR',
        conditions: [
          { type: 'field_below', field: 'price', threshold: 12 },
          { type: 'field_above', field: 'price', threshold: 99.5 },
        ],
      },
    })
    await page.context().close()
  })

  test('points again after the page has changed, with what was read before beside it', async () => {
    const page1 = '<!doctype html><h1>Kettle</h1><b class="price">$19.99</b>'
    const there = looking.site.page('/redesigned', page1)
    const { deliveries: _, visual_config: __, extract_config: ___, ...rest } = WHOLE
    const config = { method: 'css', fields: { price: '.price' } }
    const body = { ...rest, url: there, extract_config: config, fetch_mode: 'auto' }
    const id = String((await call('POST', '/v1/monitors', body)).body['id'])
    const runsOf = async () => (await read(`${id}/runs?status=success`))['data'] as object[]
    await eventually(runsOf, (runs) => runs.length === 1)
    looking.site.page('/redesigned', '<!doctype html><h1>Kettle</h1><i class="cost">$21.00</i>')
    await call('POST', `/v1/monitors/${id}/run`)
    await eventually(runsOf, (runs) => runs.length === 2)
    const { page } = await looking.dashboard.open(`/monitors/${id}`, looking.owner)
    await page.getByText('The page has no price now.').waitFor()
    await page.getByRole('link', { name: 'Point again' }).click()
    await page.getByText('What was read before').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'price' }).getByText('$19.99').waitFor()
    await page.getByRole('searchbox', { name: 'Find on the page' }).fill('$21')
    await page.keyboard.press('Enter')
    await page.getByText('compares nothing and fires nothing').waitFor()
    // A value that is being read again is pale for a moment.
    await expect.poll(() => page.getByText('no value: nothing matches').count()).toBe(0)
    expect(await findingsOf(page)).toEqual([])
    await save(page)
    await page.waitForURL(new RegExp(`/monitors/${id}$`))
    expect(await read(id)).toMatchObject({ extract_config: { method: 'css', fields: { price: '.cost' } } })
    await page.context().close()
  })

  test('shows what somebody else changed, and lets a person choose', async () => {
    const id = await made()
    const { page } = await opened(`/monitors/${id}/edit`)
    await page.getByLabel('Name', { exact: true }).fill('Mine')
    await page.getByText('More settings').click()
    await page.getByLabel('Labels, one a line').fill('team=shop\nfloor=2')
    await call('PATCH', `/v1/monitors/${id}`, { name: 'Theirs', schedule_interval_seconds: 60 })
    await save(page)
    await page.getByRole('table').waitFor()
    expect(await findingsOf(page)).toEqual([])
    await page.getByRole('radio', { name: 'name: theirs' }).check()
    await page.getByRole('button', { name: 'Put both together' }).click()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Theirs')
    await save(page)
    await page.waitForURL(new RegExp(`/monitors/${id}$`))
    expect(await read(id)).toMatchObject({
      name: 'Theirs',
      schedule_interval_seconds: 60,
      labels: { team: 'shop', floor: '2' },
    })
    await page.context().close()
  })
})
