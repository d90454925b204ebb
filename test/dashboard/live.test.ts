import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createPolicy } from '../../egress/policy.ts'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { SMALLEST } from '../support/api/monitor-body.ts'
import { html, openSite } from '../support/network/site.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'
import { type RunningWorker, startWorker } from '../support/worker/check-worker.ts'
import { type Dashboard, hasBrowser, startDashboard } from './open-dashboard.ts'

/**
 * The bench measures how soon a change is shown (`--only dashboard`). A busy machine takes longer. Without an event the
 * page reads again after a minute.
 */
const BUSY = { timeout: 20_000 }

describeIf(hasBrowser, 'there is no embedded browser for this platform')('A page that is open', () => {
  let dashboard: Dashboard
  let worker: RunningWorker
  let site: Awaited<ReturnType<typeof openSite>>
  let owner: CreatedOwner
  let kettle: string
  let lamp: string
  const call = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) =>
    dashboard.api.call(owner.api_key, method, path, body)
  const streams = () => dashboard.api.services.events.open

  async function run(price: string, id = kettle): Promise<void> {
    site.answer(html(`<b class="price">${price}</b>`))
    const { body } = await call('POST', `/v1/monitors/${id}/run`)
    await eventually(
      async () => (await call('GET', `/v1/runs/${body['run_id']}`)).body['status'],
      (status) => status === 'success',
    )
  }

  beforeAll(async () => {
    const egress = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
    dashboard = await startDashboard({ egress, eventBounds: { checkMs: 200 } })
    site = await openSite()
    worker = await startWorker({ url: dashboard.api.databaseUrl, secrets: dashboard.api.services.secrets })
    owner = await dashboard.api.owner({ plan: 'unlimited' })
    const extract_config = { method: 'css', fields: { price: '.price' } }
    const create = async (name: string) =>
      String(
        (await call('POST', '/v1/monitors?paused=true', { ...SMALLEST, name, url: site.url, extract_config })).body[
          'id'
        ],
      )
    kettle = await create('Kettle')
    lamp = await create('Lamp')
    await run('$20.00')
  }, 60_000)
  afterAll(async () => {
    await worker.stop(5_000)
    await site[Symbol.asyncDispose]()
    await dashboard[Symbol.asyncDispose]()
  })

  afterEach(() => dashboard.closePages())

  async function opened(path = '/?sort=name') {
    const found = await dashboard.open(path, owner)
    await found.page.getByRole('gridcell').first().waitFor()
    await eventually(streams, (count) => count === 1)
    return found
  }
  const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: 'Kettle' }).getByText(text)

  test('shows a change of a row by its event, without a request for each', async () => {
    const { page, watched } = await opened()
    // The page reads once more what it shows, when its stream begins.
    const lists = () => watched.asked.filter((path) => path.startsWith('/v1/overview?')).length
    await eventually(lists, (count) => count >= 2)
    const before = watched.asked.length
    await run('$17.49')
    await rowOf(page, '$17.49').first().waitFor(BUSY)
    await page.getByRole('link', { name: 'Changes 1 not seen', exact: true }).waitFor(BUSY)
    const asked = watched.asked.slice(before)
    for (const path of ['/v1/overview?', '/v1/overview/counts'])
      expect(asked.filter((one) => one.startsWith(path)).length).toBeLessThanOrEqual(3)
    await call('POST', `/v1/monitors/${kettle}/resume`)
    await page.getByRole('row').filter({ hasText: 'Kettle' }).getByText('Active').waitFor()
    await call('POST', `/v1/monitors/${kettle}/pause`)
    expect(await page.getByText('updates every 15 s').count()).toBe(0)
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('shows a monitor that was made elsewhere at once, behind those that are shown, and none twice', async () => {
    const { page, watched } = await opened()
    const names = async () =>
      (await page.getByRole('row').getByRole('link').allInnerTexts())
        .map((text) => text.split('\n')[0] ?? '')
        .filter((text) => /^[A-Z]/.test(text))
    const { body } = await call('POST', '/v1/monitors?paused=true', { ...SMALLEST, name: 'Anvil' })
    await page.getByRole('link', { name: 'Anvil' }).waitFor({ timeout: 10_000 })
    await expect.poll(names).toEqual(['Kettle', 'Lamp', 'Anvil'])
    await page.getByRole('button', { name: /moved: sort again/ }).click()
    await expect.poll(names).toEqual(['Anvil', 'Kettle', 'Lamp'])
    await call('DELETE', `/v1/monitors/${String(body['id'])}`)
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('shares its stream with the other tabs of the browser, and another one takes it over', async () => {
    await eventually(streams, (count) => count === 0)
    const { page } = await opened()
    const second = await page.context().newPage()
    await second.goto(`${dashboard.base}/?sort=name`)
    await second.getByRole('gridcell').first().waitFor()
    // On a busy machine a page may read the list before its stream is open.
    await eventually(streams, (count) => count === 1)
    await run('$16.00')
    for (const tab of [page, second]) await rowOf(tab, '$16.00').first().waitFor({ timeout: 10_000 })
    expect(streams()).toBe(1)
    await page.close()
    await eventually(streams, (count) => count === 1)
    await run('$15.00')
    await rowOf(second, '$15.00').first().waitFor({ timeout: 10_000 })
    await second.context().close()
  })

  test('shows the runs of all monitors that two windows show, by one stream', async () => {
    await eventually(streams, (count) => count === 0)
    await run('$15.00', lamp)
    const { page } = await opened('/?q=kettle')
    const second = await page.context().newPage()
    await second.goto(`${dashboard.base}/monitors/${lamp}`)
    await second.getByText('same', { exact: true }).waitFor()
    await eventually(streams, (count) => count === 1)
    // Nothing changes, so that only the event of the run tells of it.
    await run('$15.00', lamp)
    await second.getByText(/^same ×2 since/).waitFor()
    await run('$14.80')
    await rowOf(page, '$14.80').first().waitFor()
    expect(streams()).toBe(1)
    await page.context().close()
  })

  test('hidden for a minute lets the stream go to another one, and has it back when it is looked at', async () => {
    await eventually(streams, (count) => count === 0)
    const { page } = await opened()
    const second = await page.context().newPage()
    await second.clock.install()
    await second.goto(`${dashboard.base}/?sort=name`)
    await second.getByRole('gridcell').first().waitFor()
    await page.close()
    await eventually(streams, (count) => count === 1)
    const see = (state: string) =>
      second.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))`)
    await see('hidden')
    await second.clock.fastForward(61_000)
    await eventually(streams, (count) => count === 0, { forMs: 15_000 })
    const third = await second.context().newPage()
    await third.goto(`${dashboard.base}/?sort=name`)
    await third.getByRole('gridcell').first().waitFor()
    await eventually(streams, (count) => count === 1)
    await third.close()
    await eventually(streams, (count) => count === 0)
    await run('$14.50')
    await see('visible')
    await rowOf(second, '$14.50').first().waitFor()
    expect(streams()).toBe(1)
    await second.context().close()
  })

  test('says of a row that another person has deleted its monitor, and leaves it where it is', async () => {
    await eventually(streams, (count) => count === 0)
    const body = { ...SMALLEST, name: 'Jug', url: site.url, schedule_interval_seconds: 86_400 }
    const { body: jug } = await call('POST', '/v1/monitors', body)
    const { page } = await opened()
    await page.getByRole('row', { name: 'Jug' }).getByText('Active').waitFor()
    await dashboard.api.call(owner.api_key, 'DELETE', `/v1/monitors/${String(jug['id'])}`)
    await page.getByRole('row', { name: 'Jug' }).getByText('Deleted').waitFor()
    await page.getByRole('button', { name: /sort again$/ }).click()
    await page.getByRole('row', { name: 'Jug' }).waitFor({ state: 'detached' })
    await page.context().close()
  })

  test('goes on after a cut with what it missed', async () => {
    await eventually(streams, (count) => count === 0)
    const { page } = await opened()
    dashboard.api.app.server.closeAllConnections()
    await eventually(streams, (count) => count === 0)
    await run('$14.00')
    await rowOf(page, '$14.00').first().waitFor({ timeout: 10_000 })
    await eventually(streams, (count) => count === 1)
    await page.context().close()
  })

  test('says on every screen within five seconds that the server is away, and no longer when it is back', async () => {
    const { page } = await opened()
    const away = page.getByRole('alert').getByText('The server does not answer.')
    for (const path of ['/', '/changes', `/monitors/${kettle}`]) {
      await page.goto(dashboard.base + path)
      await page.getByRole('heading').or(page.getByRole('gridcell')).first().waitFor()
      await eventually(streams, (count) => count === 1)
      await page.context().route('**/v1/**', (route) => route.abort())
      dashboard.api.app.server.closeAllConnections()
      await away.waitFor({ timeout: 5_000 })
      // What the screen has stays, and nothing says the same twice.
      await page.getByRole('heading').or(page.getByRole('gridcell')).first().waitFor()
      // A request from before may be answered still: the line goes, and comes with the next one.
      await expect.poll(() => away.count()).toBe(1)
      await page.context().unroute('**/v1/**')
      await away.waitFor({ state: 'detached' })
    }
    await page.context().close()
  })

  test('asks for the password over what is shown when the session ends, and goes on with what was typed', async () => {
    const { page, watched } = await opened()
    await page.getByRole('searchbox').fill('kettl')
    await page.getByText(/^1 of /).waitFor()
    await page.context().clearCookies()
    // The stream begins again, and is refused.
    dashboard.api.app.server.closeAllConnections()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    await page.getByLabel(/^Password of /).fill('not the password')
    await page.keyboard.press('Enter')
    await dialog.getByText('The password is not right.').waitFor()
    await page.getByLabel(/^Password of /).fill(String(owner.password))
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    expect(await page.getByRole('searchbox').inputValue()).toBe('kettl')
    await page.getByText(/^1 of /).waitFor()
    expect(watched.faults.filter((fault) => !/40[01]|INCOMPLETE/.test(fault))).toEqual([])
    await page.context().close()
  })

  test('leads from a link into another team of the person to the monitor, or to the run', async () => {
    const other = await dashboard.api.owner()
    await dashboard.api.sql(`
      insert into team_members (team_id, user_id, role) values ('${other.team_id}', '${owner.user_id}', 'viewer')`)
    const { body } = await dashboard.api.call(other.api_key, 'POST', '/v1/monitors?paused=true', {
      ...SMALLEST,
      name: 'Theirs',
    })
    const path = `/monitors/${String(body['id'])}`
    const { page } = await dashboard.open(`${path}/runs/${kettle}`, owner)
    await page.getByRole('button', { name: /^Look in / }).waitFor()
    await page.goto(dashboard.base + path)
    await page.getByRole('button', { name: /^Look in / }).click()
    await page.getByRole('heading', { name: 'Theirs' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(path)
    await expect.poll(() => page.title()).toBe('Theirs – Tidemark')
    await dashboard.api.call(owner.session_token, 'POST', '/v1/team/switch', { team_id: owner.team_id })
    await page.context().close()
  })

  test('says that another tab has switched teams, and switches back', async () => {
    const other = await dashboard.api.owner()
    await dashboard.api.sql(`
      insert into team_members (team_id, user_id, role) values ('${other.team_id}', '${owner.user_id}', 'viewer')`)
    const { page } = await opened()
    const act = (team_id: string) => dashboard.api.call(owner.session_token, 'POST', '/v1/team/switch', { team_id })
    await act(other.team_id)
    const dialog = page.getByRole('dialog', { name: 'You have switched teams in another tab' })
    await dialog.waitFor()
    await dialog.getByRole('button', { name: /^Switch back to / }).click()
    await dialog.waitFor({ state: 'detached' })
    await rowOf(page, 'Kettle').first().waitFor()
    await act(other.team_id)
    await dialog.waitFor()
    await dialog.getByRole('button', { name: 'Show the other team' }).click()
    await page.getByRole('heading', { name: 'Nothing is watched yet' }).waitFor()
    await act(owner.team_id)
    await page.context().close()
  })
})
