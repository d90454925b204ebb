import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { actionWords, SENTENCES } from '../../dashboard/src/audit/sentences.ts'
import { AUDIT_ACTIONS } from '../../schema/account/audit.ts'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { SMALLEST } from '../support/api/monitor-body.ts'
import { describeIf } from '../support/run/skip.ts'
import { type Dashboard, hasBrowser, startDashboard } from './open-dashboard.ts'
import { refusalOf } from './refusal-of.ts'
import { savedBy } from './saved-file.ts'
import { addAudit, TURNED } from './seeded-people.ts'
import { tabTo } from './tab-to.ts'

test('each action has words of its own for monitors and for searches, and is one of the API', () => {
  expect(Object.keys(SENTENCES).toSorted()).toEqual(Object.keys(AUDIT_ACTIONS).toSorted())
  const words = Object.keys(AUDIT_ACTIONS).map((action) => actionWords(action as keyof typeof SENTENCES))
  const own = words.filter((text) => !text.startsWith('Replaced the signing secret'))
  expect(new Set(own).size).toBe(own.length)
})

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The audit log of a team', () => {
  let dashboard: Dashboard
  let owner: CreatedOwner
  beforeAll(async () => {
    dashboard = await startDashboard()
  }, 60_000)
  afterAll(() => dashboard[Symbol.asyncDispose]())

  const rows = (page: Page) => page.getByRole('main').getByRole('listitem')
  async function opened(path = '/audit', session_token = owner.session_token, width = 1280) {
    const found = await dashboard.open(path, { session_token }, { width })
    await rows(found.page).first().waitFor()
    return found
  }
  /** Does a few things, the last of them by a key. */
  async function act(): Promise<void> {
    const by = (credential: string, method: string, path: string, body?: object) =>
      dashboard.api.call(credential, method, path, body)
    await by(owner.session_token, 'PATCH', '/v1/team', { name: 'Night shift' })
    await by(owner.session_token, 'PATCH', '/v1/settings', { error_notifications: false })
    await by(owner.session_token, 'POST', '/v1/team/members/invite', { email: 'grace@example.com', role: 'viewer' })
    const { body } = await by(owner.session_token, 'POST', '/v1/monitors?paused=true', {
      ...SMALLEST,
      name: `=HYPERLINK("x") ${TURNED}`,
    })
    await by(owner.api_key, 'PATCH', `/v1/monitors/${String(body['id'])}`, { name: 'Kettle' })
  }

  test('says in sentences what was done, is filtered by who, what and whom, and leads to a monitor', async () => {
    owner = await dashboard.api.owner()
    await act()
    const { page, watched } = await opened()
    const texts = await rows(page).allInnerTexts()
    for (const said of [
      /First key\s*API key edited the monitor Kettle\s+changed name/,
      /made the monitor =HYPERLINK\("x"\) Grace U\+202Enimda/,
      /invited grace@example\.com\s+as viewer/,
      /switched the mail about failures\s+off/,
      /renamed the team\s+from Team of \S+ to Night shift/,
    ])
      expect(texts.join('\n')).toMatch(said)
    await page
      .getByRole('button', { name: /^Details: / })
      .first()
      .click()
    await page.getByText('monitor.updated').waitFor()
    await page.getByRole('button', { name: 'Only what was done to this' }).click()
    await page.getByText('2 of 2').waitFor()
    await page.getByRole('button', { name: 'Only what this key did' }).click()
    await page.getByText('1 of 1').waitFor()
    const shown = page.url()
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByLabel('What was done').selectOption({ label: 'Invited' })
    await page.getByText('1 of 1').waitFor()
    await page.getByLabel('Who').selectOption({ label: owner.email })
    await page.getByLabel('When').selectOption({ label: 'Between days…' })
    await page.getByText('1 of 1').waitFor()
    await page.getByLabel('To', { exact: true }).fill('2020-01-01')
    await page.getByText('No event matches').waitFor()
    // The filters stand in the address, and what is none there is left out.
    await page.goto(`${shown}&action=none&from=yesterday`)
    await page.getByText('1 of 1').waitFor()
    await page.getByRole('link', { name: 'Kettle' }).click()
    await page.getByRole('heading', { name: 'Kettle' }).waitFor()
    expect(watched).toMatchObject({ faults: [], strangers: [] })
    await page.context().close()
  })

  test('is saved as CSV without formulas, and as JSON, both as it is filtered', async () => {
    owner = await dashboard.api.owner()
    await act()
    const { page, watched } = await opened('/audit?type=monitor')
    const [csv, json] = [
      await savedBy(page, 'Export the audit log as CSV'),
      await savedBy(page, 'Export the audit log as JSON'),
    ]
    expect([csv.name, json.name]).toEqual([
      expect.stringMatching(/^audit-[\d-]+\.csv$/),
      expect.stringMatching(/^audit-[\d-]+\.json$/),
    ])
    expect(csv.text.trim().split('\r\n')).toHaveLength(3)
    expect(csv.text).toContain(`"'=HYPERLINK(""x"")`)
    const { data } = JSON.parse(json.text) as { readonly data: readonly { readonly action: string }[] }
    expect(data.map(({ action }) => action)).toEqual(['monitor.updated', 'monitor.created'])
    await page.getByText('The file is saved.').waitFor()
    await page.route('**/audit/export?*', (route) => route.abort())
    await page.getByRole('button', { name: 'Export the audit log as CSV' }).click()
    await page.getByText('No file is saved: the server does not answer.').waitFor()
    expect(watched.faults.filter((fault) => !fault.includes('ERR_FAILED'))).toEqual([])
    await page.context().close()
  })

  test('is read, opened, filtered and saved by the keyboard alone', async () => {
    owner = await dashboard.api.owner()
    await act()
    const { page, watched } = await dashboard.open('/', owner)
    await page.getByRole('button', { name: /^Team: / }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('audit')
    await page.getByRole('menuitem', { name: 'Audit log' }).waitFor()
    await page.keyboard.press('Enter')
    await rows(page).getByText('edited the monitor').waitFor()
    await tabTo(page, 'What was done')
    await page.keyboard.type('Renamed')
    await page.getByText('1 of 1').waitFor()
    for (let presses = 0; presses < 30; presses += 1) {
      await page.keyboard.press('Tab')
      if (await page.evaluate(`document.activeElement.getAttribute('aria-expanded') === 'false'`)) break
    }
    const details = page.getByRole('button', { name: /^Details: / })
    await page.keyboard.press('Enter')
    await expect.poll(() => details.getAttribute('aria-expanded')).toBe('true')
    await page.getByText('team.renamed').waitFor()
    const file = page.waitForEvent('download')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('as json')
    await page.getByRole('menuitem', { name: 'Export the audit log as JSON' }).waitFor()
    await page.keyboard.press('Enter')
    expect((await file).suggestedFilename()).toMatch(/\.json$/)
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('of 50,000 events shows the first, and older ones on request, also while more are recorded', async () => {
    owner = await dashboard.api.owner({ plan: 'unlimited' })
    await addAudit(dashboard.api, owner, 50_000)
    await dashboard.api.sql('analyze audit_events')
    const { page } = await opened()
    await page.getByText(/^50 of 50,00\d$/).waitFor()
    await act()
    await page.getByRole('button', { name: 'Show older events' }).click()
    await page.getByText(/^100 of 50,0/).waitFor()
    expect(await rows(page).count()).toBe(100)
    await page.getByLabel('When').selectOption('1')
    await page.getByText(/^50 of 1,4/).waitFor()
    await page.context().close()
    const { page: narrow } = await opened('/audit', owner.session_token, 320)
    expect(await narrow.evaluate('document.documentElement.scrollWidth')).toBe(320)
    await narrow.context().close()
  })

  test('is for admins and the owner: others read why, and nothing is asked for', async () => {
    owner = await dashboard.api.owner()
    await act()
    for (const role of ['viewer', 'member'] as const) {
      const session_token = await dashboard.api.member(owner, role)
      const { page, watched } = await dashboard.open('/audit', { session_token })
      const why = (what: string) => `Your role, ${role}, may not ${what} the audit log. Ask an admin or the owner.`
      await page.getByText(why('read')).waitFor()
      for (const format of ['CSV', 'JSON'])
        expect(await refusalOf(page.getByRole('button', { name: `as ${format}` }))).toBe(why('export'))
      expect(watched.asked.filter((path) => path.startsWith('/v1/team/'))).toEqual([])
      expect(watched.faults).toEqual([])
      await page.context().close()
    }
    const { page } = await opened('/audit', await dashboard.api.member(owner, 'admin'))
    for (const format of ['CSV', 'JSON'])
      expect(await refusalOf(page.getByRole('button', { name: `as ${format}` }))).toBeNull()
    await page.context().close()
  })
})
