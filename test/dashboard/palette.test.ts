import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { SMALLEST } from '../support/api/monitor-body.ts'
import { describeIf } from '../support/run/skip.ts'
import { type Dashboard, hasBrowser, startDashboard } from './open-dashboard.ts'

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The keys of the dashboard', () => {
  let dashboard: Dashboard
  let owner: CreatedOwner
  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.api.owner({ plan: 'unlimited' })
    for (const name of ['Kettle', '<b>Lamp</b>', 'Toaster'])
      await dashboard.api.call(owner.api_key, 'POST', '/v1/monitors', { ...SMALLEST, name })
  })
  afterAll(() => dashboard[Symbol.asyncDispose]())

  const opened = async (path: string) => {
    const found = await dashboard.open(path, owner)
    await found.page.getByRole('button', { name: /^Team: / }).waitFor()
    return found
  }

  test('open a palette that finds monitors, screens and actions by name, and is loaded only then', async () => {
    const { page, watched } = await opened('/changes')
    const isLoaded = () => watched.asked.some((path) => path.includes('/palette'))
    expect(isLoaded()).toBe(false)
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Find and do' }).waitFor()
    expect(isLoaded()).toBe(true)
    await page.keyboard.type('lamp')
    await page.getByRole('menuitem', { name: '<b>Lamp</b>' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: '<b>Lamp</b>' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('pause')
    await page.getByRole('menuitem', { name: 'Pause: <b>Lamp</b>' }).click()
    await expect.poll(() => page.getByRole('button', { name: 'Resume' }).count()).toBe(1)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('colours dark')
    await page.getByRole('menuitem', { name: 'Colours: dark' }).click()
    await page.locator('html[data-theme=dark]').waitFor()
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('act on what is selected, or else on the row, and lead from screen to screen', async () => {
    const { page, watched } = await opened('/changes')
    for (const key of ['g', 'm']) await page.keyboard.press(key)
    await page.getByRole('gridcell').first().waitFor()
    for (const key of ['j', 'j', 'p']) await page.keyboard.press(key)
    await page.getByText('Pause: 1 done.').waitFor()
    for (const key of ['x', 'Shift+ArrowUp']) await page.keyboard.press(key)
    await page.getByText('2 selected').waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('run now')
    await page.getByRole('menuitem', { name: 'Run now: 2 selected' }).waitFor()
    for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key)
    await page.getByText('Run now: 2 done.').waitFor()
    await page.keyboard.press('x')
    await page.getByText('1 selected').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('1 selected').waitFor({ state: 'detached' })
    for (const key of ['g', 'c']) await page.keyboard.press(key)
    await page.waitForURL(/\/changes$/)
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('are turned off as single keys, and stay so; those with Ctrl stay on', async () => {
    const { page } = await opened('/')
    await page.keyboard.press('?')
    await page.getByRole('checkbox', { name: 'Single letters and signs are shortcuts' }).uncheck()
    await page.keyboard.press('Escape')
    await page.reload()
    await page.getByRole('gridcell').first().waitFor()
    for (const key of ['?', '/', 'g', 'c', 'p']) await page.keyboard.press(key)
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Find and do' }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(1)
    expect(new URL(page.url()).pathname).toBe('/')
    expect(await page.getByText(/^Pause: /).count()).toBe(0)
    await page.context().close()
  })
})
