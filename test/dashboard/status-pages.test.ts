import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { SMALLEST } from '../support/api/monitor-body.ts'
import { changeMonitors } from '../support/database/change-monitors.ts'
import { describeIf } from '../support/run/skip.ts'
import { findingsOf } from './axe.ts'
import { type Dashboard, hasBrowser, startDashboard } from './open-dashboard.ts'
import { refusalOf } from './refusal-of.ts'
import { tabTo } from './tab-to.ts'

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The status pages of a team', () => {
  let dashboard: Dashboard
  let owner: CreatedOwner
  beforeAll(async () => {
    dashboard = await startDashboard({ statusBounds: { freshMs: 0, renewMs: 0, roundMs: 0 } })
    owner = await dashboard.api.owner({ plan: 'unlimited' })
    await made('/v1/monitors?paused=true', { ...SMALLEST, name: 'Kettle' })
    const lamp = await made('/v1/monitors?paused=true', { ...SMALLEST, name: 'Lamp' })
    await made('/v1/serp-monitors?paused=true', {
      name: 'Rank of our shop',
      keyword: 'kettle',
      engine: 'google',
      schedule_interval_seconds: 86_400,
    })
    // As the operator would have made it.
    await changeMonitors(dashboard.api, lamp, { managedBy: 'kubernetes' })
  }, 60_000)
  afterAll(() => dashboard[Symbol.asyncDispose]())

  async function made(path: string, body: object, session = owner.session_token): Promise<string> {
    const answer = await dashboard.api.call(session, 'POST', path, body)
    expect(answer).toMatchObject({ status: 201 })
    return String(answer.body['id'])
  }
  const rowOf = (page: Page, title: string) =>
    page.getByRole('region', { name: 'All status pages' }).getByRole('listitem').filter({ hasText: title })

  test('are made, previewed, published, seen by a stranger, changed and deleted', async () => {
    const { page, watched } = await dashboard.open('/team', owner)
    await page.getByRole('navigation', { name: 'About the team' }).getByRole('link', { name: 'Status pages' }).click()
    await page.getByText('There is no status page yet').waitFor()
    await page.getByRole('button', { name: 'New status page' }).click()
    await page.getByText('Give it a title.').waitFor()
    await page.getByLabel('Title').fill('Our <b>shop</b>')
    await page.getByRole('radio', { name: /^An address of your own/ }).check()
    await page.getByLabel('End of the address').fill('docs')
    const picker = page.getByRole('region', { name: 'Add a monitor' })
    // A page, one that a cluster declares, and a search.
    for (const name of ['Rank of our shop', 'Lamp']) await picker.getByRole('button', { name: `Add: ${name}` }).click()
    await picker.getByRole('searchbox').fill('kett')
    await picker.getByRole('button', { name: 'Added: Lamp' }).waitFor({ state: 'detached' })
    await picker.getByRole('button', { name: 'Add: Kettle' }).click()
    await page.getByLabel('Public name 3').fill('The kettle')
    await page.getByRole('button', { name: 'Up: The kettle' }).click()
    await page.getByRole('checkbox', { name: 'Show the value of The kettle' }).check()
    await page.getByRole('button', { name: 'Make the page' }).click()
    await page.getByRole('alert').getByText('none of the names of our own addresses').waitFor()
    await page.getByLabel('End of the address').fill('our-shop')
    await page.getByRole('button', { name: 'Make the page' }).click()
    const row = rowOf(page, 'Our <b>shop</b>')
    await row.getByText('3 monitors, 1 with values').waitFor()
    await row.getByText('Only your team sees it').waitFor()
    const link = row.getByRole('link', { name: /^Preview: / })
    expect(await link.getAttribute('target')).toBe('_blank')
    const { page: preview } = await dashboard.open((await link.getAttribute('href')) ?? '', owner)
    await preview.getByText('Only your team sees it: the page is not published.').waitFor()
    expect(await preview.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual([
      'Rank of our shop',
      'The kettle',
      'Lamp',
    ])
    const stranger = await dashboard.open('/status/our-shop', null)
    await stranger.page.getByText('There is nothing here').waitFor()
    await row.getByRole('button', { name: /^Publish: / }).click()
    await page.getByRole('dialog').getByText('Whoever has the address sees it without an account').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish it' }).click()
    await row.getByText('Published', { exact: true }).waitFor()
    await stranger.page.reload()
    await stranger.page.getByRole('heading', { name: 'Our <b>shop</b>' }).waitFor()
    expect(await stranger.page.getByText('Paused', { exact: true }).count()).toBe(3)
    await row.getByRole('link', { name: /^Edit: / }).click()
    await page.getByText('It is published: everybody sees what you save.').waitFor()
    await page.getByRole('button', { name: 'Leave out: Lamp' }).click()
    await page.getByLabel('Title').fill('Shop')
    await page.getByRole('button', { name: 'Save' }).click()
    await rowOf(page, 'Shop').getByText('2 monitors, 1 with values').waitFor()
    await stranger.page.reload()
    expect(await stranger.page.getByRole('listitem').count()).toBe(2)
    await page.getByRole('button', { name: 'Take back: Shop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Take it back' }).click()
    await rowOf(page, 'Shop').getByText('Only your team sees it').waitFor()
    await page.getByRole('button', { name: 'Delete: Shop' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete it' }).click()
    await page.getByText('There is no status page yet').waitFor()
    // The refused slug, and what the stranger did not find.
    expect(watched.faults.filter((fault) => !/status of 422/.test(fault))).toEqual([])
    expect([watched.strangers, stranger.watched.strangers]).toEqual([[], []])
    await dashboard.closePages()
  })

  test('are made of a label by the keyboard alone, from the palette on', async () => {
    const { page, watched } = await dashboard.open('/', owner)
    await page.getByRole('button', { name: /^Team: / }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('status pages')
    await page.getByRole('menuitem', { name: 'Status pages' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'All status pages' }).waitFor({ state: 'attached' })
    await page.keyboard.press('Control+k')
    await page.keyboard.type('new status')
    await page.getByRole('menuitem', { name: 'New status page' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByLabel('Title').focus()
    await page.keyboard.type('By keys')
    await tabTo(page, 'A label')
    await page.keyboard.press('Enter')
    await page.getByLabel('Label').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.type('audience')
    await page.getByText('Write the label as key=value.').waitFor()
    await page.keyboard.type('=public')
    await page.keyboard.press('Enter')
    await rowOf(page, 'By keys').getByText('Monitors with audience=public').waitFor()
    await tabTo(page, 'Publish: By keys')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('Monitors that get the label later are shown too').waitFor()
    await tabTo(page, 'Publish it')
    await page.keyboard.press('Enter')
    await rowOf(page, 'By keys').getByText('Published').waitFor()
    await tabTo(page, 'Delete: By keys')
    await page.keyboard.press('Enter')
    await page.getByRole('alertdialog').waitFor()
    await tabTo(page, 'Delete it')
    await page.keyboard.press('Enter')
    await rowOf(page, 'By keys').waitFor({ state: 'detached' })
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('say who may publish, and are not edited while they are published by those who may not', async () => {
    const id = await made('/v1/status-pages', { title: 'Walked', shows: { by: 'monitors', monitors: [] } })
    await dashboard.api.call(owner.session_token, 'POST', `/v1/status-pages/${id}/publish`)
    const session_token = await dashboard.api.member(owner, 'member')
    const { page, watched } = await dashboard.open('/status-pages', { session_token })
    const why = 'Your role, member, may not publish status pages. Ask an admin or the owner.'
    expect(await refusalOf(page.getByRole('button', { name: 'Edit: Walked' }))).toBe(why)
    await page.goto(`${dashboard.base}/status-pages/${id}`)
    await page.getByText(why).waitFor()
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await page.goto(`${dashboard.base}/status-pages`)
    await page.getByRole('button', { name: 'Take back: Walked' }).click()
    await page.getByRole('button', { name: 'Take it back' }).click()
    await page.getByRole('link', { name: 'Edit: Walked' }).waitFor()
    expect(await refusalOf(page.getByRole('button', { name: 'Publish: Walked' }))).toBe(why)
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('are not published where somebody changed them after they were shown', async () => {
    const id = await made('/v1/status-pages', { title: 'Looked at', shows: { by: 'monitors', monitors: [] } })
    const { page } = await dashboard.open('/status-pages', owner)
    await page.getByRole('button', { name: 'Publish: Looked at' }).click()
    await dashboard.api.call(owner.session_token, 'PATCH', `/v1/status-pages/${id}`, { title: 'Changed since' })
    await page.getByRole('dialog').getByRole('button', { name: 'Publish it' }).click()
    await page.getByRole('alert').getByText('was changed after you read it').waitFor()
    await rowOf(page, 'Changed since').getByText('Only your team sees it').waitFor({ state: 'attached' })
    await page.context().close()
  })

  test('of a label are published after a look at the names that it brings today', async () => {
    for (const name of ['Aardvark \u202e', 'Zebra'])
      await made('/v1/monitors?paused=true', { ...SMALLEST, name, labels: { zoo: 'open' } })
    await made('/v1/status-pages', { title: 'Zoo', shows: { by: 'label', label: 'zoo=open' } })
    await made('/v1/status-pages', { title: 'Nothing', shows: { by: 'label', label: 'zoo=closed' } })
    const { page, watched } = await dashboard.open('/status-pages', owner)
    await page.getByRole('button', { name: 'Publish: Zoo' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('These 2 names are seen today:').waitFor()
    expect(await dialog.getByRole('listitem').allInnerTexts()).toEqual(['Aardvark U+202E', 'Zebra'])
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Publish: Nothing' }).click()
    await dialog.getByText('It shows nothing today.').waitFor()
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('are not saved over what somebody changed after the form was opened, before a person has chosen', async () => {
    const id = await made('/v1/status-pages', { title: 'Edited twice', shows: { by: 'monitors', monitors: [] } })
    const read = async () => (await dashboard.api.call(owner.session_token, 'GET', `/v1/status-pages/${id}`)).body
    const { page } = await dashboard.open(`/status-pages/${id}`, owner)
    await page.getByLabel('Title').fill('Mine <b>')
    await page.getByRole('radio', { name: /^An address of your own/ }).check()
    await page.getByLabel('End of the address').fill('mine-too')
    const theirs = { title: 'Of somebody else', shows: { by: 'label', label: 'team=shop' } }
    await dashboard.api.call(owner.session_token, 'PATCH', `/v1/status-pages/${id}`, theirs)
    const box = page.getByRole('alert', { name: 'Changed by somebody else' })
    // The list is read again after each answer: a second try does not get through with its new version.
    for (const _ of ['at first', 'again']) {
      await page.getByRole('button', { name: 'Save' }).click()
      await box.getByText('Theirs: title, what it shows.').waitFor()
    }
    expect(await read()).toMatchObject(theirs)
    expect(await findingsOf(page)).toEqual([])
    expect(await box.getByRole('row').allInnerTexts()).toEqual([
      expect.stringMatching(/You both changed/),
      expect.stringMatching(/title\s+Of somebody else\s+Mine <b>/),
    ])
    await box.getByRole('radio', { name: 'title: theirs' }).check()
    await box.getByRole('button', { name: 'Put both together' }).press('Enter')
    expect(await page.getByLabel('Title').inputValue()).toBe('Of somebody else')
    expect(await page.getByLabel('End of the address').inputValue()).toBe('mine-too')
    expect(await page.getByLabel('Label').inputValue()).toBe('team=shop')
    await page.keyboard.press('Enter')
    await rowOf(page, 'Of somebody else').getByText('Monitors with team=shop').waitFor()
    expect(await read()).toMatchObject({ ...theirs, slug: 'mine-too' })
    await page.context().close()
  })

  test('say that somebody published them while the form was open', async () => {
    const id = await made('/v1/status-pages', { title: 'Seen by all', shows: { by: 'monitors', monitors: [] } })
    const { page } = await dashboard.open(`/status-pages/${id}`, owner)
    await page.getByLabel('Title').fill('Another title')
    await dashboard.api.call(owner.session_token, 'POST', `/v1/status-pages/${id}/publish`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Theirs: it is published now.').waitFor()
    await page.getByText('It is published: everybody sees what you save.').waitFor()
    await page.getByRole('button', { name: 'Put both together' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await rowOf(page, 'Another title').getByText('Published').waitFor()
    await page.context().close()
  })

  test('fit a phone, the form and the public page', async () => {
    const name = `Very${'long'.repeat(40)}`
    const monitor_id = await made('/v1/monitors?paused=true', { ...SMALLEST, name: 'Long' })
    const shows = { by: 'monitors', monitors: [{ monitor_id, name, show_value: true }] }
    const id = await made('/v1/status-pages', { title: 'T'.repeat(100), slug: 's'.repeat(64), shows })
    await dashboard.api.call(owner.session_token, 'POST', `/v1/status-pages/${id}/publish`)
    for (const path of ['/status-pages', `/status-pages/${id}`, `/status/${'s'.repeat(64)}`]) {
      const { page } = await dashboard.open(path, owner, { width: 360 })
      await page.getByRole('listitem').first().waitFor()
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 360])
      await page.context().close()
    }
  })
})
