import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { POLICIES, type PolicyName } from '../../api/auth/policies.ts'
import { atLeast, ROLES } from '../../schema/account/role.ts'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { describeIf } from '../support/run/skip.ts'
import { type Dashboard, hasBrowser, startDashboard } from './open-dashboard.ts'
import { refusalOf } from './refusal-of.ts'
import { addAudit, addKeys, addPeople } from './seeded-people.ts'
import { addStatusPages } from './seeded-status.ts'

/** Buttons that do something for the team, with their permissions. `seen`: which one shows them at all. */
const BUTTONS: readonly { path: string; name: RegExp; policy: PolicyName; seen?: PolicyName }[] = [
  { path: '/team', name: /^Invite$/, policy: 'members.invite' },
  { path: '/team', name: /^Rename$/, policy: 'team.rename' },
  { path: '/team', name: /^Send again: /, policy: 'members.invite', seen: 'members.read' },
  { path: '/team', name: /^Withdraw: /, policy: 'members.invite', seen: 'members.read' },
  { path: '/team', name: /^Role of person/, policy: 'members.manage', seen: 'members.read' },
  { path: '/team', name: /^Remove: person/, policy: 'members.manage', seen: 'members.read' },
  { path: '/keys', name: /^New key$/, policy: 'keys.manage' },
  { path: '/keys', name: /^Replace: /, policy: 'keys.manage', seen: 'keys.read' },
  { path: '/keys', name: /^Revoke: /, policy: 'keys.manage', seen: 'keys.read' },
  { path: '/status-pages', name: /^New status page$/, policy: 'monitors.write' },
  { path: '/status-pages', name: /^Publish: Draft$/, policy: 'status.publish' },
  { path: '/status-pages', name: /^Take back: Public$/, policy: 'monitors.write' },
  { path: '/status-pages', name: /^Delete: Public$/, policy: 'monitors.write' },
  { path: '/status-pages', name: /^Delete: Draft$/, policy: 'monitors.write' },
  { path: '/audit', name: /^Export the audit log as CSV/, policy: 'audit.export' },
  { path: '/audit', name: /^Export the audit log as JSON/, policy: 'audit.export' },
  { path: '/account', name: /^Delete the account…$/, policy: 'account.delete' },
  { path: '/account', name: /^End all others…$/, policy: 'account.sessions' },
]

/** Buttons that change only what is shown, that are of the person alone, or that tests of their screens are about. */
const OTHERS = [
  /^(?:All|Owner|Admins|Members|Viewers|Ending soon|Never used|Being replaced) ?\d/,
  /^(?:Details|Leave|Role of|Remove|End)\b/,
  // For who may edit, it is a link.
  /^Edit: /,
  /^(?:Save the name|Change the password|Show)/,
]

const PATHS = [...new Set(BUTTONS.map(({ path }) => path))]

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The screens about people', () => {
  let dashboard: Dashboard
  let owner: CreatedOwner
  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.api.owner({ plan: 'unlimited' })
    await addPeople(dashboard.api, owner, ['Ada Lovelace'])
    await dashboard.api.call(owner.session_token, 'POST', '/v1/team/members/invite', { email: 'grace@example.com' })
    await addStatusPages(dashboard.api, owner)
  }, 60_000)
  afterAll(() => dashboard[Symbol.asyncDispose]())

  /** Opens a screen, and waits until what the role may see of it is read. */
  async function opened(path: string, session_token: string) {
    const { page } = await dashboard.open(path, { session_token })
    await page.getByRole('button', { name: /^Team: / }).waitFor()
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
    await expect.poll(() => page.getByRole('main').getByText('Loading…').count()).toBe(0)
    const last =
      path === '/account'
        ? page.getByText('this one')
        : page.getByText(/ not shown$|^\d+ (?:of \d+|keys?|of \d+ status pages)$/)
    await last.first().waitFor()
    if (path === '/team') await page.getByLabel('Name of the team').waitFor()
    return page
  }

  const whyNot = (role: string, policy: PolicyName) => {
    const { role: least, permission } = POLICIES[policy]
    return atLeast(role as never, least)
      ? null
      : `Your role, ${role}, may not ${permission}. Ask an admin or the owner.`
  }

  test.each(ROLES)('have buttons for a %s as the table of access says, and no others', async (role) => {
    const session = role === 'owner' ? owner.session_token : await dashboard.api.member(owner, role)
    // Who is signed in nowhere else cannot end the other sessions.
    await dashboard.api.sql(`
      insert into auth.sessions (user_id, token, expires_at)
      select user_id, gen_random_uuid()::text, now() + interval '1 day' from team_members
      where team_id = '${owner.team_id}'`)
    for (const path of PATHS) {
      const page = await opened(path, session)
      const listed = BUTTONS.filter((one) => one.path === path)
      if (path === '/team' && atLeast(role, 'admin')) await page.getByLabel('Name of the team').fill('Another')
      for (const { name, policy, seen } of listed) {
        const buttons = page.getByRole('main').getByRole('button', { name })
        if (seen && whyNot(role, seen) !== null) expect([name, await buttons.count()]).toEqual([name, 0])
        else expect([name, await refusalOf(buttons.first())]).toEqual([name, whyNot(role, policy)])
      }
      const unlisted = (await namesOf(page)).filter(
        (name) => !OTHERS.some((other) => other.test(name)) && !listed.some((one) => one.name.test(name)),
      )
      expect(unlisted).toEqual([])
      await page.context().close()
    }
  })

  test('show their first rows of thousands, and load at most 70 KB beside the list', async () => {
    const many = await dashboard.api.owner({ plan: 'unlimited' })
    await addPeople(
      dashboard.api,
      many,
      Array.from({ length: 1_999 }, (_, nth) => `Person ${nth}`),
      'many.example.com',
    )
    await addKeys(dashboard.api, many, 1_999)
    await addAudit(dashboard.api, many, 50_000)
    await addStatusPages(dashboard.api, many)
    await dashboard.api.sql('analyze')
    const { page, watched } = await dashboard.open('/', many)
    await page.getByRole('button', { name: /^Team: / }).waitFor()
    const before = new Set(watched.asked)
    const load = async (path: string) => {
      const begun = performance.now()
      await page.goto(dashboard.base + path, { waitUntil: 'commit' })
      await page.getByRole('main').getByRole('listitem').first().waitFor()
      return performance.now() - begun
    }
    for (const path of PATHS) {
      await load(path)
      const took = await load(path)
      const assets = [...new Set(watched.asked)].filter((one) => one.startsWith('/assets/') && !before.has(one))
      const sizes = await Promise.all(
        assets.map(async (one) => (await readFile(join(dashboard.built, `${one}.gz`))).length),
      )
      const bytes = sizes.reduce((sum, size) => sum + size, 0)
      // All of them together, so each is less.
      expect(bytes).toBeLessThan(70 * 1024)
      console.log(
        `${path}: first rows after ${took.toFixed(0)} ms, ${(bytes / 1024).toFixed(1)} KB more so far, compressed`,
      )
    }
    await page.context().close()
  })
})

/** Returns the names of the buttons of a screen. */
const namesOf = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`[...document.querySelectorAll('main button')].map(
    (button) => button.getAttribute('aria-label') ?? button.textContent.trim()).filter((name) =>
      !['Proxy', 'Mail about failures'].includes(name))`)
