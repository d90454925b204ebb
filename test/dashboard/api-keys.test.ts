import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { describeIf } from '../support/run/skip.ts'
import { type Dashboard, hasBrowser, startDashboard } from './open-dashboard.ts'
import { refusalOf } from './refusal-of.ts'
import { addKeys, IMITATED, TURNED } from './seeded-people.ts'
import { tabTo } from './tab-to.ts'

const ROLE = (role: string) =>
  `Your role, ${role}, may not create, rotate or delete API keys. Ask an admin or the owner.`

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The API keys of a team', () => {
  let dashboard: Dashboard
  let owner: CreatedOwner
  beforeAll(async () => {
    dashboard = await startDashboard()
  }, 60_000)
  afterAll(() => dashboard[Symbol.asyncDispose]())

  const rowOf = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })
  const statusOf = async (key: string) => (await dashboard.api.call(key, 'GET', '/v1/monitors')).status
  const secretIn = async (page: Page) => (await page.getByRole('region', { name: 'The key' }).innerText()).trim()
  const add = async (name: string, more: object = {}) =>
    String((await dashboard.api.call(owner.session_token, 'POST', '/v1/keys', { name, ...more })).body['key'])
  async function opened(path = '/keys', width = 1280) {
    const found = await dashboard.open(path, owner, { width })
    await found.page.getByRole('region', { name: 'Keys that work' }).waitFor()
    return found
  }

  test('are made, shown once with lines for the shell, replaced with overlap, and revoked', async () => {
    owner = await dashboard.api.owner()
    const { page, watched } = await opened()
    await page.getByRole('button', { name: 'New key' }).click()
    const dialog = page.getByRole('dialog', { name: 'New API key' })
    await dialog.getByText('Give it a name.').waitFor()
    expect(await dialog.getByRole('button', { name: 'Make the key' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Name').fill(TURNED)
    await dialog.getByRole('radio', { name: /^Read and write/ }).check()
    await dialog.getByLabel('When it ends').selectOption('30')
    await dialog.getByRole('button', { name: 'Make the key' }).click()
    const issued = page.getByRole('dialog', { name: 'Copy the key now' })
    const first = await secretIn(page)
    expect(await statusOf(first)).toBe(200)
    expect(await page.getByRole('region', { name: 'Lines for the shell' }).innerText()).toBe(
      `export TIDEMARK_URL=${dashboard.base}\nexport TIDEMARK_API_KEY=${first}`,
    )
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await issued.getByRole('button', { name: 'Copy' }).first().click()
    await issued.getByText('It is copied.').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(first)
    // A press of Escape by chance must not lose it.
    await page.keyboard.press('Escape')
    await issued.getByRole('button', { name: 'I have stored it' }).click()
    await issued.waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain(first)
    // The sign that turns a text is shown as what it is.
    const row = rowOf(page, 'Grace U+202Enimda')
    await row.getByText('ends in 29 days').waitFor()
    await row.getByRole('button', { name: /^Replace: / }).click()
    const asked = page.getByRole('dialog', { name: 'Replace this key?' })
    await asked.getByLabel('Hours for which the old one still works').fill('169')
    await asked.getByText('From 0 to 168 hours.').waitFor()
    await asked.getByLabel('Hours for which the old one still works').fill('2')
    await asked.getByRole('button', { name: 'Replace it' }).click()
    const second = await secretIn(page)
    expect([second === first, await statusOf(first), await statusOf(second)]).toEqual([false, 200, 200])
    await issued.getByRole('button', { name: 'I have stored it' }).click()
    const old = row.filter({ hasText: 'replaced, ends in 1 hr.' })
    await expect
      .poll(() => refusalOf(old.getByRole('button', { name: /^Replace: / })))
      .toMatch(/has replaced it already/)
    await old.getByRole('button', { name: /^Revoke: / }).click()
    await page.getByRole('alertdialog').getByText('Whatever still uses it is refused from now on.').waitFor()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke it' }).click()
    await old.waitFor({ state: 'detached' })
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200])
    expect(watched).toMatchObject({ faults: [], strangers: [] })
    await page.context().close()
  })

  test('are made and revoked by the keyboard alone, from the palette on', async () => {
    owner = await dashboard.api.owner()
    const { page, watched } = await dashboard.open('/', owner)
    await page.getByRole('button', { name: /^Team: / }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('api keys')
    await page.getByRole('menuitem', { name: 'API keys' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    await page.getByRole('region', { name: 'Keys that work' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('new api')
    await page.getByRole('menuitem', { name: 'New API key' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'New API key' }).waitFor()
    await page.keyboard.type('By keys')
    await page.keyboard.press('Enter')
    const issued = page.getByRole('dialog', { name: 'Copy the key now' })
    const key = await secretIn(page)
    for (const name of ['Copy', 'I have stored it']) await tabTo(page, name)
    await page.keyboard.press('Enter')
    await issued.waitFor({ state: 'detached' })
    await rowOf(page, 'By keys').waitFor()
    await tabTo(page, 'Revoke: By keys')
    await page.keyboard.press('Enter')
    await page.getByRole('alertdialog').waitFor()
    await tabTo(page, 'Revoke it')
    await page.keyboard.press('Enter')
    await rowOf(page, 'By keys').waitFor({ state: 'detached' })
    expect(await statusOf(key)).toBe(401)
    // The button is gone with its row, and the focus stays in the list.
    await expect.poll(() => page.evaluate(`document.activeElement.getAttribute('aria-label')`)).toBe('Keys that work')
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('that are about to end, never used, or named like another are found among many', async () => {
    owner = await dashboard.api.owner()
    await add(IMITATED, { expires_at: new Date(Date.now() + 5 * 86_400_000).toISOString() })
    await addKeys(dashboard.api, owner, 1_990)
    const begun = Date.now()
    const { page } = await opened()
    await rowOf(page, 'Key 1').first().waitFor()
    expect(Date.now() - begun).toBeLessThan(10_000)
    await page.getByText('1,992 keys', { exact: true }).waitFor()
    expect(await page.getByRole('listitem').count()).toBe(100)
    expect(await refusalOf(page.getByRole('button', { name: 'New key' }))).toMatch(/^The team has 1,000 keys that work/)
    await page.getByRole('button', { name: /^Ending soon/ }).click()
    await rowOf(page, IMITATED).getByText('mixed alphabets').waitFor()
    await page.getByText('1 of 1,992 keys').waitFor()
    await page.getByRole('button', { name: /^All/ }).click()
    await page.getByRole('searchbox').fill('svc_0777')
    await rowOf(page, 'Key 777').waitFor()
    expect(await page.getByRole('listitem').count()).toBe(1)
    await page.context().close()
  })

  test('are for admins and the owner: others read why, before the API refuses anything', async () => {
    owner = await dashboard.api.owner()
    for (const role of ['viewer', 'member', 'admin'] as const) {
      const session_token = await dashboard.api.member(owner, role)
      const { page, watched } = await dashboard.open('/keys', { session_token })
      const make = page.getByRole('button', { name: 'New key' })
      if (role === 'admin') await expect.poll(() => make.isEnabled()).toBe(true)
      else {
        await expect.poll(() => refusalOf(make)).toBe(ROLE(role))
        await page.getByText(`Your role, ${role}, may not view API keys. Ask an admin or the owner.`).waitFor()
        await page.keyboard.press('Control+k')
        await page.keyboard.type('new api')
        await page.getByRole('menuitem', { name: 'New API key' }).getByText(ROLE(role)).waitFor()
        expect(watched.asked.filter((path) => path.startsWith('/v1/keys'))).toEqual([])
      }
      expect(watched.faults).toEqual([])
      await page.context().close()
    }
  })

  test('that the API refuses to make stay in the dialog with the reason', async () => {
    owner = await dashboard.api.owner()
    const { page } = await opened('/keys', 360)
    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Mine')
    await page.route('**/v1/keys', (route) => route.abort())
    await page.getByRole('button', { name: 'Make the key' }).click()
    await page.getByRole('alert').getByText('It may not have been done: the server does not answer.').waitFor()
    await page.unroute('**/v1/keys')
    expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('Mine')
    await page.getByRole('button', { name: 'Make the key' }).click()
    await page.getByRole('dialog', { name: 'Copy the key now' }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    await page.context().close()
  })
})
