import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { describeIf } from '../support/run/skip.ts'
import { openReceiver } from '../support/worker/receiver.ts'
import { findingsOf } from './axe.ts'
import { type LookingDashboard, startLooking } from './looking.ts'
import { look, SHOP, watch } from './making.ts'
import { hasBrowser } from './open-dashboard.ts'

// A browser starts, and each look opens a page in it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const SECRET = 'syt_a1b2c3'
const ALL = 'All destinations'
const ONE = 'Destination 1'

describeIf(hasBrowser, 'there is no embedded browser for this platform')('Whom a new monitor tells', () => {
  let looking: LookingDashboard
  beforeAll(async () => {
    looking = await startLooking()
  })
  afterAll(() => looking[Symbol.asyncDispose]())

  async function opened() {
    const found = await looking.dashboard.open('/new', looking.owner, { width: 1280 })
    await look(found.page, looking.site.page('/shop', SHOP))
    return found
  }

  test('is a service with its options, in own words, collected, and silent at night', async () => {
    const { page } = await opened()
    await using receiver = await openReceiver()
    await page.getByRole('button', { name: 'Add a destination' }).click()
    await page.getByLabel('Destination 1: kind').selectOption({ label: 'Matrix' })
    await page.getByText('The address is that of the homeserver.').waitFor()
    await page.getByLabel('Destination 1: address').fill(new URL(receiver.url).origin)
    await page.getByLabel('Destination 1: room_id').fill('kitchen')
    await page.getByRole('button', { name: 'Watch it' }).click()
    const fault = page.getByRole('alert').filter({ hasText: 'access_token is required' })
    await fault.getByText('must be the id of a room').waitFor()
    await page.getByLabel('Destination 1: room_id').fill('!kitchen:example.com')
    await page.getByLabel('Destination 1: access_token').fill(SECRET)
    await page.getByText('Wording, digest and quiet hours', { exact: true }).click()
    await page.getByLabel(`${ALL}: headline`).fill('Tea time')
    await page.getByLabel(`${ALL}: text`).fill('Now ')
    await page.getByText('Names that are replaced by values').last().click()
    await page.getByRole('button', { name: '{{fields.price.after}}' }).click()
    await expect.poll(() => page.getByLabel(`${ALL}: text`).inputValue()).toBe('Now {{fields.price.after}}')
    await page.getByLabel(`${ALL}: digest`).selectOption('daily')
    await page.getByLabel(`${ALL}: hour of the digest`).fill('08:30')
    await page.getByLabel(`${ALL}: time zone of the digest`).fill('Europe/Berlin')
    for (const day of ['Sat', 'Sun']) await page.getByLabel(day, { exact: true }).uncheck()
    await page.getByText('Wording, digest and quiet hours of this one').click()
    await page.getByLabel(`${ONE}: quiet hours`, { exact: true }).check()
    await page.getByLabel(`${ONE}: until`).fill('06:00')
    await page.getByLabel(`${ONE}: time zone of the quiet hours`).fill('Mars/Olympus')
    await page.getByRole('button', { name: 'Watch it' }).click()
    await page.getByText('time_zone must be the IANA name').first().waitFor()
    await page.getByLabel(`${ONE}: time zone of the quiet hours`).fill('Asia/Kathmandu')
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('✓ 200').waitFor()
    expect(receiver.requests[0]?.body.toString()).toContain('Tea time')
    expect(await findingsOf(page)).toEqual([])
    const { monitor } = await watch(page, looking)
    expect(monitor).toMatchObject({
      message: { title: 'Tea time', text: 'Now {{fields.price.after}}' },
      digest: { daily_at: '08:30', time_zone: 'Europe/Berlin', days: ['mon', 'tue', 'wed', 'thu', 'fri'] },
      deliveries: [
        {
          type: 'webhook',
          service: 'matrix',
          url: new URL(receiver.url).origin,
          options: { room_id: '!kitchen:example.com', access_token: SECRET },
          quiet_hours: { from: '22:00', until: '06:00', time_zone: 'Asia/Kathmandu' },
        },
      ],
    })
    await page.context().close()
  })

  test('keeps what was done at a destination when another one is removed', async () => {
    const { page } = await opened()
    await using receiver = await openReceiver()
    const add = page.getByRole('button', { name: 'Add a destination' })
    for (const [nth, path] of ['one', 'two', 'three'].entries()) {
      await add.click()
      await page.getByLabel(`Destination ${nth + 1}: address`).fill(`${receiver.url}${path}`)
    }
    const last = page.getByRole('group', { name: 'Destination 3' })
    await last.getByRole('button', { name: 'Send a test' }).click()
    await last.getByText('✓ 200').waitFor()
    await last.getByText('Wording, digest and quiet hours of this one').click()
    await last.getByLabel('Destination 3: quiet hours', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Remove Destination 1' }).focus()
    await page.keyboard.press('Enter')
    const moved = page.getByRole('group', { name: 'Destination 2' })
    await moved.getByText('✓ 200').waitFor()
    expect(await last.count()).toBe(0)
    expect(await moved.getByLabel('Destination 2: quiet hours', { exact: true }).isVisible()).toBe(true)
    expect(await moved.getByLabel('Destination 2: address').inputValue()).toBe(`${receiver.url}three`)
    await page.locator('button:focus').getByText('Add a destination').waitFor()
    // What is added afterwards is no row of before.
    await page.keyboard.press('Enter')
    expect(await page.getByLabel('Destination 3: address').inputValue()).toBe('')
    expect(await last.getByText('✓ 200').count()).toBe(0)
    await page.context().close()
  })

  test('is a destination of another monitor, whose secrets are kept and not shown', async () => {
    const delivery = {
      type: 'webhook',
      service: 'matrix',
      url: 'http://127.0.0.1:8008/',
      options: { room_id: '!garden:example.com', access_token: SECRET },
      headers: { 'x-key': `header-${SECRET}` },
    }
    await looking.dashboard.api.call(looking.owner.api_key, 'POST', '/v1/monitors?paused=true', {
      url: looking.site.url,
      name: 'Garden',
      extract_config: { method: 'full_page' },
      diff_predicate: { type: 'any_field_changes' },
      schedule_interval_seconds: 3600,
      deliveries: [delivery],
      message: { title: 'In the garden' },
    })
    const { page } = await opened()
    await page.getByRole('button', { name: 'Use one of another monitor' }).click()
    await page.getByRole('button', { name: 'Matrix · 127.0.0.1:8008 · !garden:example.com of Garden' }).click()
    await page.getByRole('group', { name: 'Destination 1' }).waitFor()
    expect(await page.content()).not.toContain(SECRET)
    await page.getByRole('button', { name: 'Change Destination 1: address' }).click()
    await page.locator('[aria-label="Destination 1: address"]:focus').waitFor()
    expect(await page.getByLabel('Destination 1: address', { exact: true }).inputValue()).toBe('')
    // Nothing is typed, so the address stays.
    await page.getByLabel('Destination 1: room_id').fill('!shed:example.com')
    await page.getByRole('button', { name: 'Change Destination 1: address' }).waitFor()
    await page.getByText('x-key: ••••').waitFor()
    // Another service gets none of it, and the way back has all.
    const kind = page.getByLabel('Destination 1: kind')
    await kind.selectOption('gotify')
    expect(await page.getByLabel('Destination 1: token').inputValue()).toBe('')
    await kind.selectOption('matrix')
    await page.getByRole('button', { name: 'Change Destination 1: access_token' }).waitFor()
    expect(await page.content()).not.toContain(SECRET)
    const { monitor } = await watch(page, looking)
    expect(monitor['deliveries']).toEqual([
      { ...delivery, options: { room_id: '!shed:example.com', access_token: SECRET } },
    ])
    expect(monitor['message']).toBeNull()
    await page.context().close()
  })
})
