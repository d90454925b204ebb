import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deviceOf } from '../../dashboard/src/account/device.ts'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { describeIf } from '../support/run/skip.ts'
import { type Dashboard, hasBrowser, startDashboard } from './open-dashboard.ts'
import { refusalOf } from './refusal-of.ts'
import { addSessions, TURNED } from './seeded-people.ts'
import { tabTo } from './tab-to.ts'

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36 Edg/150.0', 'Edge on Linux'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/19.0 Safari/605.1.15', 'Safari on macOS'],
  ['Mozilla/5.0 (Linux; Android 16; Pixel 9) Chrome/150.0 Mobile Safari/537.36', 'Chrome on Android'],
  ['curl/8.9.1', 'curl'],
  ['x'.repeat(200), 'x'.repeat(60)],
  [null, 'An unknown device'],
])('a browser that says %s is %s', (agent, device) => {
  expect(deviceOf(agent)).toBe(device)
})

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The account of a person', () => {
  let dashboard: Dashboard
  let owner: CreatedOwner
  beforeAll(async () => {
    dashboard = await startDashboard()
  }, 60_000)
  afterAll(() => dashboard[Symbol.asyncDispose]())

  const me = async (token = owner.session_token) => dashboard.api.call(token, 'GET', '/v1/me')
  const signIn = async (password: string) =>
    (await dashboard.api.call(null, 'POST', '/auth/sign-in/email', { email: owner.email, password })).status
  async function opened(session_token = owner.session_token) {
    const found = await dashboard.open('/account', { session_token })
    await found.page.getByText('this one').waitFor()
    return found
  }
  const rowOf = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })

  test('has a name and a password that are changed, and sessions that are ended', async () => {
    owner = await dashboard.api.owner()
    await addSessions(dashboard.api, owner)
    const { page, watched } = await opened()
    await page.getByLabel('Name').fill('Ada <b>Lovelace</b>')
    await page.getByRole('button', { name: 'Save the name' }).click()
    await page.getByRole('button', { name: 'You: Ada <b>Lovelace</b>' }).waitFor()
    await rowOf(page, 'Firefox on Windows').getByText('from 192.0.2.0').waitFor()
    await rowOf(page, 'Safari on iPhone')
      .getByRole('button', { name: /^End: / })
      .click()
    await rowOf(page, 'Safari on iPhone').waitFor({ state: 'detached' })
    expect(await refusalOf(rowOf(page, 'this one').getByRole('button'))).toMatch(/^It is the one of this page/)
    await page.getByLabel('Password now').fill('wrong')
    await page.getByLabel(/^New password/).fill('short')
    const change = page.getByRole('button', { name: 'Change the password' })
    expect(await refusalOf(change)).toBe('The new one has at least 8 characters.')
    await page.getByLabel(/^New password/).fill('another horse')
    await change.click()
    await page.getByText('The password that you have now is another one.').waitFor()
    expect(await page.getByLabel(/^New password/).inputValue()).toBe('another horse')
    await page.getByLabel('Password now').fill(String(owner.password))
    await change.click()
    await page.getByText('The password is changed. All other sessions have ended.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: /^End: / }).count()).toBe(1)
    expect(await refusalOf(page.getByRole('button', { name: 'End all others…' }))).toBe(
      'You are signed in nowhere else.',
    )
    expect([await signIn(String(owner.password)), await signIn('another horse')]).toEqual([401, 200])
    expect(watched.faults.filter((fault) => !/status of 4/.test(fault))).toEqual([])
    await page.reload()
    await page.getByText('this one').waitFor()
    await page.context().close()
  })

  test('has other sessions that end together, by the keyboard alone', async () => {
    owner = await dashboard.api.owner()
    await addSessions(dashboard.api, owner, [TURNED, 'curl/8.9.1'])
    const { page, watched } = await opened()
    await rowOf(page, 'Grace U+202Enimda').waitFor()
    await tabTo(page, 'End all others…')
    await page.keyboard.press('Enter')
    await page.getByRole('alertdialog', { name: 'End 2 other sessions?' }).waitFor()
    await tabTo(page, 'End')
    await page.keyboard.press('Enter')
    await rowOf(page, 'curl').waitFor({ state: 'detached' })
    expect((await me()).status).toBe(200)
    await page.getByLabel('Name').focus()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('By keys')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'You: By keys' }).waitFor()
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('without a password says so', async () => {
    owner = await dashboard.api.owner()
    await dashboard.api.sql(`delete from auth.accounts where user_id = '${owner.user_id}'`)
    const { page } = await opened()
    await page.getByText('You sign in with your organisation.').waitFor()
    expect(await page.getByLabel('Password now').count()).toBe(0)
    await page.context().close()
  })

  test('ends with what it says goes with it, once its address is typed', async () => {
    owner = await dashboard.api.owner()
    await dashboard.api.member(owner, 'viewer')
    const { page, watched } = await opened()
    await page.getByText(/ends with it, also for its other member: its monitors/).waitFor()
    await page.getByRole('button', { name: 'Delete the account…' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Delete your account?' })
    const end = dialog.getByRole('button', { name: 'Delete it' })
    await dialog.getByRole('textbox').fill('ada@example.com')
    expect(await end.isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill(owner.email.toUpperCase())
    await end.click()
    await page.waitForURL('**/sign-in')
    expect((await me()).status).toBe(401)
    expect(watched.faults.filter((fault) => !/status of 4/.test(fault))).toEqual([])
    await page.context().close()
  })

  test('with a subscription that would be renewed says first that it has to be cancelled', async () => {
    owner = await dashboard.api.owner()
    const { page } = await dashboard.open('/', owner)
    await page.route('**/v1/billing', (route) =>
      route.fulfill({ json: { subscription: { status: 'active', cancel_at_period_end: false } } }),
    )
    await page.goto(`${dashboard.base}/account`)
    const end = page.getByRole('button', { name: 'Delete the account…' })
    await expect.poll(() => refusalOf(end)).toMatch(/would be renewed/)
    await page.context().close()
  })

  test('of a viewer in the team of another person says which teams go on', async () => {
    owner = await dashboard.api.owner()
    const { page, watched } = await opened(await dashboard.api.member(owner, 'viewer'))
    await page.getByText(/^You leave Team of owner/).waitFor()
    await page.getByText('A subscription of your team that would be renewed has to be cancelled first.').waitFor()
    expect(watched.faults).toEqual([])
    await page.context().close()
  })
})
