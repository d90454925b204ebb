import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { describeIf } from '../support/run/skip.ts'
import { type Dashboard, hasBrowser, startDashboard } from './open-dashboard.ts'
import { refusalOf } from './refusal-of.ts'
import { addPeople, IMITATED, TURNED } from './seeded-people.ts'
import { tabTo } from './tab-to.ts'

const refusal = (role: string, what: string) => `Your role, ${role}, may not ${what}. Ask an admin or the owner.`

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The screen of a team', () => {
  let dashboard: Dashboard
  let owner: CreatedOwner
  beforeAll(async () => {
    dashboard = await startDashboard()
  }, 60_000)
  afterAll(() => dashboard[Symbol.asyncDispose]())

  const rowOf = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })
  const membersOf = async () => (await dashboard.api.call(owner.session_token, 'GET', '/v1/team/members')).body
  const emails = async (of: 'members' | 'invitations') =>
    (((await membersOf())[of] ?? []) as readonly { readonly email: string }[]).map(({ email }) => email)
  async function opened(session_token = owner.session_token) {
    const found = await dashboard.open('/team', { session_token })
    await found.page.getByText(/^Your role is/).waitFor()
    return found
  }

  test('invites, sends again, withdraws, changes roles and removes, and says what each does', async () => {
    owner = await dashboard.api.owner()
    await addPeople(dashboard.api, owner, ['Ada Lovelace', IMITATED, TURNED])
    const { page, watched } = await opened()
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Invite a person' })
    const send = dialog.getByRole('button', { name: 'Invite' })
    for (const [address, why] of [
      ['ada', 'Type an address of e-mail.'],
      [owner.email.toUpperCase(), 'This is you: you are a member.'],
      ['person1@example.com', 'A member has this address already.'],
    ] as const) {
      await dialog.getByLabel('Address').fill(address)
      await dialog.getByText(why).waitFor()
      expect(await send.isDisabled()).toBe(true)
    }
    await dialog.getByLabel('Address').fill('grace@example.com')
    await dialog.getByRole('radio', { name: /^viewer/i }).check()
    await dialog.getByText('This installation sends no mail.').waitFor()
    await send.click()
    await page.getByText('grace@example.com is invited. No mail is sent here').waitFor()
    expect(await emails('invitations')).toEqual(['grace@example.com'])
    await page.getByRole('button', { name: 'Send again: grace@example.com' }).click()
    await page.getByRole('button', { name: 'Withdraw: grace@example.com' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }).click()
    await page.getByText('The invitation of grace@example.com is withdrawn.').waitFor()
    expect(await emails('invitations')).toEqual([])
    // The sign that turns a text, and the letter of another alphabet, are shown.
    await rowOf(page, 'Grace U+202Enimda').waitFor()
    await rowOf(page, 'person2@example.com').getByText('mixed alphabets').waitFor()
    await page.getByRole('button', { name: 'Role of person2@example.com' }).click()
    const change = page.getByRole('dialog', { name: 'Change the role' })
    expect(await change.getByRole('button', { name: 'Change it' }).isDisabled()).toBe(true)
    await change.getByRole('radio', { name: /^admin/i }).check()
    await change.getByRole('button', { name: 'Change it' }).click()
    await page.getByText('person2@example.com is admin now.').waitFor()
    await page.getByRole('button', { name: 'Remove: person2@example.com' }).click()
    await page.getByRole('alertdialog').getByText('API keys that they made go on working').waitFor()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await rowOf(page, 'person2@example.com').waitFor({ state: 'detached' })
    expect(await emails('members')).not.toContain('person2@example.com')
    expect(watched).toMatchObject({ faults: [], strangers: [] })
    await page.context().close()
  })

  test('renames the team and changes its settings, by the keyboard alone', async () => {
    owner = await dashboard.api.owner()
    const { page, watched } = await opened()
    await page.getByLabel('Name of the team').focus()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Shop of Ada')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Team: Shop of Ada' }).waitFor()
    await tabTo(page, 'Proxy')
    const proxy = page.getByRole('switch', { name: 'Proxy' })
    const before = await proxy.getAttribute('aria-checked')
    await page.keyboard.press('Space')
    await page.getByText('It is saved.').waitFor()
    expect(await proxy.getAttribute('aria-checked')).not.toBe(before)
    const { body } = await dashboard.api.call(owner.session_token, 'GET', '/v1/settings')
    expect(String(body['proxy_enabled'])).toBe(await proxy.getAttribute('aria-checked'))
    await page.getByRole('heading', { name: 'Members', level: 1 }).click()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('invite')
    await page.getByRole('menuitem', { name: 'Invite a person' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Invite a person' }).waitFor()
    await page.keyboard.type('keys@example.com')
    await page.keyboard.press('Enter')
    await rowOf(page, 'keys@example.com').waitFor()
    await tabTo(page, 'Withdraw: keys@example.com')
    await page.keyboard.press('Enter')
    await page.getByRole('alertdialog').waitFor()
    await tabTo(page, 'Withdraw')
    await page.keyboard.press('Enter')
    await page.getByText('The invitation of keys@example.com is withdrawn.').waitFor()
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('shows each role what it may not do, with the reason, and asks for nothing that is refused', async () => {
    owner = await dashboard.api.owner()
    for (const role of ['viewer', 'member', 'admin'] as const) {
      const session = await dashboard.api.member(owner, role)
      const { page, watched } = await opened(session)
      const isAdmin = role === 'admin'
      const invited = page.getByRole('button', { name: 'Invite', exact: true })
      await expect
        .poll(() => refusalOf(invited))
        .toBe(isAdmin ? null : refusal(role, 'invite people or change invitations'))
      expect(await refusalOf(page.getByRole('button', { name: 'Rename' }))).toBe(
        isAdmin ? 'The name is not changed yet.' : refusal(role, 'rename the team'),
      )
      const proxy = page.getByRole('switch', { name: 'Proxy' })
      await expect.poll(() => proxy.getAttribute('aria-disabled')).toBe(String(!isAdmin))
      if (isAdmin) {
        const { email } = owner
        expect(await refusalOf(page.getByRole('button', { name: `Role of ${email}` }))).toMatch(/^The role of/)
        expect(await refusalOf(page.getByRole('button', { name: `Remove: ${email}` }))).toMatch(/cannot be removed/)
        const own = page.getByRole('button', { name: /^Role of admin-/ })
        expect(await refusalOf(own)).toBe('Another admin or the owner changes your role.')
      } else {
        await page.getByText(refusal(role, 'view members and invitations')).waitFor()
        await proxy.click({ force: true })
        await page.getByText(refusal(role, 'change team settings')).waitFor()
      }
      expect(watched.faults).toEqual([])
      await page.getByRole('button', { name: 'Leave the team…' }).click()
      await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click()
      await page.getByRole('heading', { name: 'Nothing is watched yet' }).waitFor()
      expect((await emails('members')).length).toBe(1)
      await page.context().close()
    }
    const { page } = await opened()
    expect(await refusalOf(page.getByRole('button', { name: 'Leave the team…' }))).toMatch(/^You own this team/)
    await page.context().close()
  })

  test('of another team is shown after a switch, on the same screen', async () => {
    owner = await dashboard.api.owner()
    const session = await dashboard.api.member(owner, 'member')
    const { page } = await opened(session)
    await page.getByText('Your role is member.').waitFor()
    await page.getByRole('button', { name: /^Team: / }).click()
    await page.getByRole('menuitemradio', { name: /^Team of member-/ }).click()
    await page.getByText('Your role is owner.').waitFor()
    expect(new URL(page.url()).pathname).toBe('/team')
    await page.context().close()
  })

  test('says that all seats are taken, before anybody is invited', async () => {
    owner = await dashboard.api.owner()
    const { body } = await dashboard.api.call(owner.session_token, 'GET', '/v1/team')
    const most = Number(body['max_members'])
    await addPeople(
      dashboard.api,
      owner,
      Array.from({ length: most - 1 }, (_, nth) => `Person ${nth}`),
      'full.example.com',
    )
    const { page } = await opened()
    await page.getByText(`${most} of ${most} seats taken`).waitFor()
    expect(await refusalOf(page.getByRole('button', { name: 'Invite', exact: true }))).toMatch(/seats are taken/)
    await page.context().close()
  })

  test('finds one of 2,000 members', async () => {
    owner = await dashboard.api.owner({ plan: 'unlimited' })
    await addPeople(
      dashboard.api,
      owner,
      Array.from({ length: 1_999 }, (_, nth) => `Person ${nth}`),
      'many.example.com',
    )
    const { page } = await opened()
    await page.getByText('2,000 of 2,000').waitFor()
    await page.getByRole('searchbox').fill('person1777@')
    await rowOf(page, 'Person 1776').waitFor()
    await page.getByText('1 of 2,000').waitFor()
    await page.context().close()
  })
})
