import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { DeliveryConfig } from '../../schema/monitor/delivery-config.ts'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { SMALLEST } from '../support/api/monitor-body.ts'
import { seedDelivery, seedRun } from '../support/api/seeded-runs.ts'
import { changeMonitors } from '../support/database/change-monitors.ts'
import { describeIf } from '../support/run/skip.ts'
import { findingsOf } from './axe.ts'
import { type Dashboard, hasBrowser, startDashboard } from './open-dashboard.ts'

const CHAT: DeliveryConfig = {
  type: 'webhook',
  service: 'telegram',
  url: 'https://api.telegram.org/bot1/sendMessage',
  options: { chat_id: '-1' },
}
const DEAD: DeliveryConfig = { type: 'webhook', url: 'https://gone.example.com/hook' }
const HELD: DeliveryConfig = { type: 'email', to: 'ops@example.com' }
const MARKUP = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
const CHANGE = { fields: [{ field: 'price', before: '$20', after: '$15', percent: -25 }], more: 0 }

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The deliveries', () => {
  let dashboard: Dashboard
  let owner: CreatedOwner
  let ids: Readonly<Record<'chat' | 'held' | 'hostile', string>>
  let monitor = ''
  const DEAD_COUNT = 12
  /** So many of them lead the list. */
  const LED = 5

  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.api.owner({ plan: 'unlimited' })
    const { services } = dashboard.api
    const create = async (name: string) =>
      String((await dashboard.api.call(owner.api_key, 'POST', '/v1/monitors', { ...SMALLEST, name })).body['id'])
    monitor = await create('Kettle')
    const lamp = await create('Lamp')
    const run = await seedRun(services, monitor, { triggered: true, change: CHANGE })
    const other = await seedRun(services, lamp, { triggered: true, change: CHANGE })
    const payload = { monitor: { url: 'https://shop.example.com/', name: 'Kettle' }, diff: {} }
    const seed = (of: string, delivery: Parameters<typeof seedDelivery>[2]) => seedDelivery(services, of, delivery)
    for (let nth = 0; nth < DEAD_COUNT; nth += 1)
      await seed(nth % 2 === 0 ? run : other, {
        config: DEAD,
        status: 'dead',
        attempts: 6,
        age: `${nth + 2} h`,
        payload,
        responseStatus: 410,
        responseBody: 'Gone',
        isFailing: true,
      })
    ids = {
      chat: await seed(run, {
        config: CHAT,
        status: 'success',
        payload,
        responseStatus: 200,
        responseBody: '{"ok":true}',
      }),
      held: await seed(other, { config: HELD, status: 'pending', held: 'quiet_hours', nextInSeconds: 7_200, payload }),
      hostile: await seed(run, {
        config: { type: 'webhook', url: 'https://hostile.example.com/\u202e' },
        status: 'failed',
        payload: { ...payload, diff: { note: MARKUP } },
        responseStatus: 500,
        responseBody: MARKUP + 'x'.repeat(3_000),
        nextInSeconds: 300,
      }),
    }
  }, 60_000)
  afterEach(() => dashboard.closePages())
  afterAll(() => dashboard[Symbol.asyncDispose]())

  const rows = (page: Page) => page.getByRole('listitem').filter({ has: page.getByRole('checkbox') })
  const chip = (page: Page, name: RegExp) => page.getByRole('group', { name: 'Show' }).getByRole('button', { name })
  const statusOf = async (id: string) =>
    (await dashboard.api.call(owner.api_key, 'GET', `/v1/deliveries/${id}`)).body['status']

  test('are listed with how they stand, and found by state, channel, time and text', async () => {
    const { page, watched } = await dashboard.open('/', owner)
    await page.getByRole('link', { name: /^Deliveries/ }).click()
    await expect.poll(() => rows(page).count()).toBe(LED + 3)
    await chip(page, /^Held 1$/).click()
    await expect.poll(() => rows(page).count()).toBe(1)
    expect(await rows(page).first().textContent()).toContain('waits for the end of quiet hours')
    await chip(page, /^All/).click()
    await page.getByLabel('Sent by').selectOption('Telegram')
    await expect.poll(() => rows(page).count()).toBe(1)
    expect(new URL(page.url()).search).toBe('?service=telegram')
    await page.goBack()
    await expect.poll(() => rows(page).count()).toBe(LED + 3)
    await page.getByLabel('Made').selectOption('In the last hour')
    await expect.poll(() => rows(page).count()).toBe(3)
    await page.getByLabel('Search names of monitors and hosts').fill('HOSTILE')
    await expect.poll(() => rows(page).count()).toBe(1)
    expect(watched).toMatchObject({ faults: [], strangers: [] })
  })

  test('that were given up lead the others, and are counted on the rail', async () => {
    const { page } = await dashboard.open('/deliveries', owner)
    const led = page.getByRole('region', { name: 'Given up' })
    await led.waitFor()
    expect(await led.getByRole('checkbox').count()).toBe(LED)
    await rows(page).nth(LED).getByText('failed, is tried again').waitFor()
    await page
      .getByRole('navigation', { name: 'Screens' })
      .getByText(`${DEAD_COUNT} deliveries were given up, 1 destination takes nothing`)
      .waitFor()
    await led.getByRole('link', { name: `Show all ${DEAD_COUNT}` }).click()
    await expect.poll(() => rows(page).count()).toBe(DEAD_COUNT)
    expect(await led.count()).toBe(0)
  })

  test('that nobody misses any more are neither counted nor lead, say why, and are sent again one by one', async () => {
    const other = await dashboard.api.owner({ plan: 'unlimited' })
    const create = async (name: string) =>
      String((await dashboard.api.call(other.api_key, 'POST', '/v1/monitors', { ...SMALLEST, name })).body['id'])
    const [kettle, lamp] = [await create('Kettle'), await create('Lamp')]
    const { services } = dashboard.api
    for (const [of, count] of [
      [kettle, 100],
      [lamp, 1],
    ] as const) {
      const run = await seedRun(services, of, { triggered: true, change: CHANGE })
      const dead = { config: DEAD, status: 'dead', attempts: 6, responseStatus: 410 } as const
      for (let nth = 0; nth < count; nth += 1) await seedDelivery(services, run, dead)
    }
    const rail = () => page.getByRole('navigation', { name: 'Screens' })
    const { page, watched } = await dashboard.open('/deliveries', other)
    // The eye sees 99+, and who listens hears the number.
    await rail().getByRole('link', { name: 'Deliveries 101 deliveries were given up', exact: true }).waitFor()
    await rail().getByText('99+').waitFor()
    expect(await findingsOf(page)).toEqual([])
    await dashboard.api.call(other.api_key, 'PATCH', `/v1/monitors/${kettle}`, { deliveries: [HELD] })
    await page.reload()
    const led = page.getByRole('region', { name: 'Given up' })
    await rail().getByRole('link', { name: 'Deliveries 1 delivery was given up', exact: true }).waitFor()
    await expect.poll(() => led.getByRole('checkbox').count()).toBe(1)
    const left = rows(page).filter({ hasText: 'its destination was removed' })
    await expect.poll(() => left.count()).toBe(50)
    await chip(page, /^Given up 101$/).click()
    // The newest of them is the lamp's, and nobody removed its destination: it takes the first place of fifty.
    await rows(page).first().getByRole('link', { name: 'Lamp' }).waitFor()
    await expect.poll(() => left.count()).toBe(49)
    await page.goto(`${dashboard.base}/deliveries?missed=true`)
    await expect.poll(() => rows(page).count()).toBe(1)
    await page.getByRole('link', { name: 'Show all that were given up' }).click()
    await left.first().getByRole('link', { name: 'Kettle' }).click()
    await page.getByText('its monitor does not have this destination any more').waitFor()
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByText('waits to be sent').waitFor()
    expect(watched).toMatchObject({ faults: [], strangers: [] })
  })

  test('are narrowed to any destination, from a row and from a delivery, beside the other filters', async () => {
    const { page } = await dashboard.open('/deliveries?within=30d', owner)
    await rows(page).getByRole('link', { name: 'api.telegram.org' }).click()
    await expect.poll(() => rows(page).count()).toBe(1)
    await page.getByText(/^Only those to https:\/\/api\.telegram\.org/).waitFor()
    await chip(page, /^Delivered 1$/).waitFor()
    await page.getByRole('link', { name: 'Show those to all destinations' }).click()
    await expect.poll(() => rows(page).count()).toBe(LED + 3)
    expect(new URL(page.url()).search).toBe('?within=30d')
    await page.goto(new URL(`/deliveries/${ids.held}`, page.url()).href)
    await page.getByRole('link', { name: 'All to this destination' }).click()
    await page.getByText('Only those to ops@example.com').waitFor()
    await expect.poll(() => rows(page).count()).toBe(1)
  })

  test('of a destination that takes nothing are one line, and are sent again after a question', async () => {
    const { page } = await dashboard.open('/deliveries', owner)
    const failing = page.getByRole('region', { name: 'Destinations that take nothing' })
    await failing.waitFor()
    expect(await failing.textContent()).toContain('https://gone.example.com/hook')
    expect(await failing.getByRole('link', { name: 'Kettle' }).getAttribute('href')).toBe(`/monitors/${monitor}`)
    await failing.getByRole('link', { name: `Show all ${DEAD_COUNT}` }).click()
    await expect.poll(() => rows(page).count()).toBe(DEAD_COUNT)
    await page.getByRole('link', { name: 'Show those to all destinations' }).click()
    await failing.getByRole('button', { name: `Send all ${DEAD_COUNT} again` }).click()
    const dialog = page.getByRole('dialog', { name: `Send ${DEAD_COUNT} deliveries again?` })
    await dialog.getByRole('button', { name: 'Send again' }).click()
    await page.getByRole('status').getByText(`${DEAD_COUNT} are sent again.`).waitFor()
    await chip(page, /^Given up 0$/).waitFor()
    await chip(page, new RegExp(`^On the way ${DEAD_COUNT}$`)).waitFor()
  })

  test('are selected and sent by keys alone', async () => {
    const { page } = await dashboard.open('/', owner)
    await page.getByRole('gridcell').first().waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('d')
    await rows(page).first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('hostile')
    await expect.poll(() => rows(page).count()).toBe(1)
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByText('1 selected').waitFor()
    await page.keyboard.press('r')
    await page.getByRole('status').getByText('1 is sent again.').waitFor()
    expect(await statusOf(ids.hostile)).toBe('pending')
  })

  test('show one with its answer and its request without secrets; no text of a stranger is markup', async () => {
    const { page, watched } = await dashboard.open(`/deliveries/${ids.hostile}`, owner)
    await page.getByRole('heading', { name: 'What is sent' }).waitFor()
    await page.getByLabel('Body').waitFor()
    expect(await page.getByRole('region', { name: 'The last answer' }).textContent()).toContain('onerror=')
    expect(await page.locator('img[src=x], script:not([src])').count()).toBe(0)
    expect(await page.getByRole('region', { name: 'What is sent' }).textContent()).toContain('Service-Signature')
    await page.getByRole('link', { name: 'the run' }).click()
    await page.getByRole('heading', { name: /^Run of/ }).waitFor()
    expect(watched).toMatchObject({ faults: [], strangers: [] })
  })

  test('show one whose payload has a megabyte', async () => {
    const { services } = dashboard.api
    const run = await seedRun(services, monitor, { triggered: true, change: CHANGE })
    const note = `${'<b>é</b> '.repeat(120_000)}the end`
    const config = { type: 'webhook', url: 'https://large.example.com/' } as const
    const id = await seedDelivery(services, run, { config, status: 'success', payload: { diff: { note } } })
    const { page, watched } = await dashboard.open(`/deliveries/${id}`, owner)
    await page.getByLabel('Body').waitFor()
    await page.getByText('The payload, as the API has it').click()
    await page.getByText('diff: ').click()
    await page.getByText('note: ').waitFor()
    expect(watched).toMatchObject({ faults: [], strangers: [] })
  })

  test('that wait for an hour are sent now or dropped', async () => {
    const { page } = await dashboard.open(`/deliveries/${ids.held}`, owner)
    await page.getByText('waits for the end of quiet hours').waitFor()
    await page.getByRole('button', { name: 'Drop…' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Keep' }).click()
    await page.getByRole('button', { name: 'Send now' }).click()
    await page.getByText('waits to be sent').waitFor()
    expect(await page.getByRole('button', { name: 'Drop…' }).count()).toBe(0)
  })

  test('that were never made are listed as changes, with the reason', async () => {
    const { services } = dashboard.api
    await seedRun(services, monitor, { triggered: true, change: CHANGE })
    const { page } = await dashboard.open('/deliveries', owner)
    await page.getByRole('button', { name: 'Not sent' }).click()
    await page.getByText('Its deliveries are not stored any more.').waitFor()
  })

  test('that a plan prevents are explained by the monitors that it locks', async () => {
    const other = await dashboard.api.owner({ plan: 'unlimited' })
    const created = await dashboard.api.call(other.api_key, 'POST', '/v1/monitors', { ...SMALLEST, name: 'Kettle' })
    const { page } = await dashboard.open('/deliveries?show=silent', other)
    await page.getByText('Everything that fired was sent.').waitFor()
    expect(await page.getByRole('link', { name: 'the plan' }).count()).toBe(0)
    await changeMonitors(dashboard.api, String(created.body['id']), { locked: true })
    await page.reload()
    await page.getByText('The plan locks a monitor, which is not checked').waitFor()
    await page.getByRole('link', { name: 'the plan' }).click()
    await page.getByRole('heading', { name: 'Usage' }).waitFor()
  })

  test('are not sent by who may only read, who is given the reason', async () => {
    const reader = { session_token: await dashboard.api.member(owner, 'viewer') }
    const { page } = await dashboard.open('/deliveries', reader)
    await rows(page).first().getByRole('checkbox').check()
    const again = page.getByRole('button', { name: 'Send again' })
    expect(await again.getAttribute('aria-disabled')).toBe('true')
    expect(await page.getByText('Your role, viewer, may not replay deliveries.').count()).toBeGreaterThan(0)
  })

  test('of a time that is none are refused, and the screen stays', async () => {
    const { page } = await dashboard.open('/deliveries?to=x', owner)
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Made').selectOption('At any time')
    await rows(page).first().waitFor()
  })

  test('that were dropped lead to their run, which says so', async () => {
    const { services } = dashboard.api
    const run = await seedRun(services, monitor, { triggered: true, change: CHANGE })
    const id = await seedDelivery(services, run, { config: HELD, held: 'digest', nextInSeconds: 7_200 })
    const { page } = await dashboard.open(`/deliveries/${id}`, owner)
    await page.getByRole('button', { name: 'Drop…' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Drop' }).click()
    await page.getByRole('heading', { name: /^Run of/ }).waitFor()
    await page.getByText('What fired was dropped').waitFor()
    await page.getByText('fired, and was dropped').waitFor()
  })

  test.each([
    ['an id that is none', '/deliveries/1'],
    ['the id of nobody', '/deliveries/01a1fdda-7d9b-7133-82bc-55eff54399c9'],
  ])('say so of %s', async (_, path) => {
    const { page } = await dashboard.open(path, owner)
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('link', { name: 'Deliveries' }).count()).toBeGreaterThan(0)
  })
})
