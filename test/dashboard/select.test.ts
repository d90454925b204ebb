import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { SMALLEST } from '../support/api/monitor-body.ts'
import { seedRun } from '../support/api/seeded-runs.ts'
import { changeMonitors } from '../support/database/change-monitors.ts'
import { giveChange } from '../support/database/check-states.ts'
import { describeIf } from '../support/run/skip.ts'
import { type Dashboard, hasBrowser, startDashboard } from './open-dashboard.ts'
import { refusalOf } from './refusal-of.ts'

const KETTLES = 130
const SEARCHES = 3

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The selection of the list', () => {
  let dashboard: Dashboard
  let owner: CreatedOwner
  const kettles: string[] = []
  const paused = async () =>
    (await dashboard.api.call(owner.api_key, 'GET', '/v1/overview?status=paused&limit=1')).body['pagination']
  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.api.owner({ plan: 'unlimited' })
    const create = (path: string, body: object) => dashboard.api.call(owner.api_key, 'POST', path, body)
    for (let nth = 0; nth < KETTLES; nth += 1) {
      const { body } = await create('/v1/monitors?paused=true', { ...SMALLEST, name: `Kettle ${nth}` })
      kettles.push(String(body['id']))
    }
    for (let nth = 0; nth < SEARCHES; nth += 1)
      await create('/v1/serp-monitors?paused=true', { ...SEARCH, name: `Kettle search ${nth}` })
    const { body } = await create('/v1/monitors?paused=true', { ...SMALLEST, name: 'Lamp' })
    await changeMonitors(dashboard.api, String(body['id']), { managedBy: 'file' })
  })
  afterAll(() => dashboard[Symbol.asyncDispose]())

  const opened = async (path: string) => {
    const found = await dashboard.open(path, owner)
    await found.page.getByRole('gridcell').first().waitFor()
    return found
  }

  /** Gives three monitors a change that nobody has seen. */
  async function seedChanges() {
    for (const id of kettles.slice(0, 3)) {
      const run_id = await seedRun(dashboard.api.services, id, { triggered: true })
      const at = '2026-05-01T12:00:00.000Z'
      await giveChange(dashboard.api, id, { run_id, at, field: 'price', before: '$20', after: '$15', more: 0 })
    }
  }

  test('takes all of both kinds that match, resumes them in batches, and lists each refusal by name', async () => {
    const { page, watched } = await opened('/?q=kettle&sort=name')
    await page.getByRole('button', { name: `Select all ${KETTLES + SEARCHES} that match` }).click()
    await page.getByText(`${KETTLES + SEARCHES} selected`).waitFor()
    // Deleted in another tab.
    await dashboard.api.call(owner.api_key, 'DELETE', `/v1/monitors/${kettles[99]}`)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText(`Resume: ${KETTLES + SEARCHES - 1} done, 1 refused.`).waitFor()
    await page.getByText('Show what was refused').click()
    await page.getByRole('listitem').getByText('Kettle 99', { exact: true }).waitFor()
    expect(await paused()).toMatchObject({ total: 1 })
    const bulk = watched.asked.filter((path) => path === '/v1/monitors/bulk')
    expect(bulk.length).toBe(2)
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('has all changes that match marked as seen, and as unseen, by one request each', async () => {
    await seedChanges()
    const unseen = async () => {
      const counts = await dashboard.api.call(owner.session_token, 'GET', '/v1/overview/counts?q=kettle')
      return counts.body['unseen']
    }
    const { page, watched } = await opened('/?q=kettle&sort=name')
    expect(await unseen()).toBe(3)
    const selectAll = async () => {
      await page.getByRole('button', { name: /^Select all \d+ that match$/ }).click()
      await page.getByText(/^\d+ selected$/).waitFor()
    }
    await selectAll()
    await page.getByRole('button', { name: 'Mark as seen' }).click()
    await page.getByText(/^Mark as seen: \d+ done\.$/).waitFor()
    expect(await unseen()).toBe(0)
    await selectAll()
    await page.keyboard.press('u')
    await page.getByText(/^Mark as unseen: \d+ done\.$/).waitFor()
    expect(await unseen()).toBe(3)
    const marks = watched.asked.filter((path) => path.endsWith('seen'))
    expect(marks).toEqual(['/v1/overview/seen', '/v1/overview/unseen'])
    // Where the filter leaves others by now, those are marked that were selected.
    await selectAll()
    const later = { ...SMALLEST, name: 'A later kettle' }
    const { body } = await dashboard.api.call(owner.api_key, 'POST', '/v1/monitors?paused=true', later)
    await page.getByRole('button', { name: 'Mark as seen' }).click()
    await page.getByText(/^Mark as seen: \d+ done\.$/).waitFor()
    expect(await unseen()).toBe(0)
    expect(watched.asked.at(-1)).not.toBe('/v1/overview/seen')
    await dashboard.api.call(owner.api_key, 'DELETE', `/v1/monitors/${String(body['id'])}`)
    await page.context().close()
  })

  test('that was stopped while it was read is marked row by row, and a stopped mark is shown as not done', async () => {
    await seedChanges()
    const { page, watched } = await opened('/?q=kettle&sort=name')
    const all = page.getByRole('button', { name: /^Select all \d+ that match$/ })
    let answer = () => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    await page.route(/sort=created.*page=1&/, async (route) => {
      await held
      await route.continue()
    })
    await all.click()
    await page.getByRole('button', { name: 'Stop' }).click()
    answer()
    await page.getByText(/^\d+ selected$/).waitFor()
    await page.getByRole('button', { name: 'Mark as seen' }).click()
    await page.getByText(/^Mark as seen: \d+ done\.$/).waitFor()
    expect(watched.asked).not.toContain('/v1/overview/seen')
    await page.unroute(/sort=created.*page=1&/)
    await all.click()
    await page.getByText(/^\d+ selected$/).waitFor()
    // Nothing is unseen any more, so that this is the action that has something to ask for.
    await page.route('**/v1/overview/unseen', (route) =>
      route.fulfill({ status: 503, headers: { 'retry-after': '60' } }),
    )
    await page.keyboard.press('u')
    await page.getByText(/^Mark as unseen: 0 of \d+$/).waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText(/^Mark as unseen: 0 done, \d+ not asked for\.$/).waitFor()
    await page.context().close()
  })

  test('is shown as paused before the answer of the server, and an action stops after its batch', async () => {
    const { page } = await opened('/?q=kettle&sort=name')
    let answer = () => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/v1/monitors/bulk', async (route) => {
      await held
      await route.continue()
    })
    await page.keyboard.press('j')
    await page.getByRole('button', { name: /^Select all / }).click()
    await page.getByText(`${KETTLES + SEARCHES - 1} selected`).waitFor()
    await page.keyboard.press('p')
    await page.getByText(`Pause: 0 of ${KETTLES + SEARCHES - 1}`).waitFor()
    await page
      .getByRole('row', { name: /Kettle 1 / })
      .getByText('Paused')
      .waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    answer()
    await page.getByText(`Pause: 100 done, ${KETTLES + SEARCHES - 101} not asked for.`).waitFor()
    expect(await paused()).toMatchObject({ total: 101 })
    await page.context().close()
  })

  test('is deleted above ten only after its number is typed, by keyboard alone', async () => {
    const { page, watched } = await opened('/?q=kettle+1&sort=name')
    const grid = page.getByRole('grid')
    await grid.focus()
    await page.keyboard.press('x')
    await page.keyboard.press('Shift+End')
    const count = Number(/(\d+) selected/.exec(await page.getByText(/\d+ selected/).innerText())?.[1])
    expect(count).toBeGreaterThan(10)
    await page.getByRole('button', { name: 'Delete…' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('alertdialog', { name: `Delete ${count} monitors?` })
    await dialog.waitFor()
    await expect.poll(() => dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
    await dialog.getByRole('textbox').focus()
    await page.keyboard.type(String(count))
    await page.keyboard.press('Enter')
    await page.getByText(`Delete: ${count} done.`).waitFor()
    await page.getByText('No monitor matches').waitFor()
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('says beforehand that what a file declares is deleted there', async () => {
    const { page } = await opened('/?locked=true')
    await page.getByRole('button', { name: /^Locked 1$/ }).waitFor()
    await page.getByRole('checkbox', { name: 'Select Lamp' }).check()
    const button = page.getByRole('button', { name: 'Delete…' })
    expect(await refusalOf(button)).toBe('They are declared in a cluster or a file, and are deleted there.')
    await page.context().close()
  })
})

const SEARCH = {
  keyword: 'kettle',
  engine: 'duckduckgo',
  schedule_interval_seconds: 86_400,
}
