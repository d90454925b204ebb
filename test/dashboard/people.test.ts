import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLIENT, openOidcServer } from '../api/auth/oidc-server.ts'
import { startMailWorker } from '../support/mail/mail-worker.ts'
import { freePort } from '../support/network/free-port.ts'
import { describeIf } from '../support/run/skip.ts'
import { hasBrowser } from './open-dashboard.ts'
import { refusalOf } from './refusal-of.ts'
import { startSeeded } from './seeded.ts'

const READS = 'Your role may only read.'

describeIf(hasBrowser, 'there is no embedded browser for this platform')('People of a team', () => {
  let provider: Awaited<ReturnType<typeof openOidcServer>>
  let seeded: Awaited<ReturnType<typeof startSeeded>>
  let mails: Awaited<ReturnType<typeof startMailWorker>>
  const api = () => seeded.dashboard.api
  const open = (path: string, session_token: string | null) =>
    seeded.dashboard.open(path, session_token === null ? null : { session_token })
  const rowOf = (page: Page, name: string) => page.getByRole('row', { name })
  const linkTo = async (email: string, subject: RegExp) =>
    new URL(/http:\S+token=\S+/.exec((await mails.letterTo(email, subject)).mail.text ?? '')?.[0] ?? 'http://none')

  beforeAll(async () => {
    const port = await freePort()
    provider = await openOidcServer(`http://127.0.0.1:${port}/auth/callback/oidc`)
    const oidc = { issuer: provider.issuer, ...CLIENT }
    seeded = await startSeeded({ port, oidc, hasMail: true, eventBounds: { checkMs: 200 } })
    mails = await startMailWorker(api().services)
  }, 60_000)
  afterAll(async () => {
    await mails[Symbol.asyncDispose]()
    await seeded[Symbol.asyncDispose]()
    await provider[Symbol.asyncDispose]()
  })

  test('have marks of their own, and see at once what another one does', async () => {
    const colleague = await api().member(seeded.owner, 'member')
    await api().call(colleague, 'POST', '/v1/changes/unseen', { run_id: seeded.run })
    const { page: mine, watched } = await open('/?sort=name', seeded.owner.session_token)
    const { page: theirs } = await open('/?sort=name', colleague)
    for (const page of [mine, theirs]) {
      await rowOf(page, 'Kettle').getByText('new').waitFor()
      await page.getByRole('button', { name: /^Team: / }).waitFor()
      await page.getByText('updates every 15 s').waitFor({ state: 'detached' })
    }
    await mine.keyboard.press('e')
    await mine.getByText('Mark as seen: 1 done.').waitFor()
    await rowOf(mine, 'Kettle').getByText('new').waitFor({ state: 'detached' })
    await mine.keyboard.press('p')
    await mine.getByText('Resume: 1 done.').waitFor()
    await rowOf(theirs, 'Kettle').getByText('Paused').waitFor({ state: 'detached' })
    await theirs.reload()
    await rowOf(theirs, 'Kettle').getByText('new').waitFor()
    await mine.keyboard.press('u')
    await rowOf(mine, 'Kettle').getByText('new').waitFor()
    expect(watched.faults).toEqual([])
    for (const page of [mine, theirs]) await page.context().close()
  })

  test('who may only read see what they may not do, with the reason, and keys do not do it either', async () => {
    const viewer = await api().member(seeded.owner, 'viewer')
    const { page, watched } = await open('/?sort=name', viewer)
    await page.getByRole('checkbox', { name: 'Select Kettle' }).check()
    for (const name of ['Run now', 'Pause', 'Resume', 'Delete…']) {
      expect([name, await refusalOf(page.getByRole('button', { name, exact: true }))]).toEqual([name, READS])
    }
    await page.keyboard.press('r')
    await page.keyboard.press('Control+k')
    const offered = page.getByRole('menuitem', { name: 'Run now: 1 selected' })
    await offered.getByText(READS).waitFor()
    await expect.poll(() => offered.getAttribute('aria-disabled')).toBe('true')
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Kettle' }).click()
    await page.locator('#why-not').getByText(READS).waitFor()
    for (const name of ['Run now', 'Replace…'])
      await expect.poll(() => page.getByRole('button', { name }).isDisabled()).toBe(true)
    await expect
      .poll(() => refusalOf(page.getByLabel('Signing secret').getByRole('button', { name: 'Show' })))
      .toBe('Your role may not read it.')
    for (const key of ['r', 'p']) await page.keyboard.press(key)
    // What the keys asked for would come before this.
    await page.evaluate(`fetch('/v1/me?last').then(() => null)`)
    await expect.poll(() => watched.asked.includes('/v1/me?last')).toBe(true)
    expect(watched.asked.filter((path) => /\/(?:run|pause|resume|bulk)$/.test(path))).toEqual([])
    expect(watched.faults.filter((fault) => !/status of 4/.test(fault))).toEqual([])
    await page.context().close()
    // The same is enabled for whoever may do it.
    const { page: owned } = await open(`/monitors/${seeded.monitor}`, seeded.owner.session_token)
    for (const name of ['Run now', 'Replace…'])
      await expect.poll(() => owned.getByRole('button', { name }).isEnabled()).toBe(true)
    await owned.route('**/run', (route) => route.abort())
    await owned.getByRole('button', { name: 'Run now' }).click()
    await owned.getByRole('alert').getByText('It may not have been done: the server does not answer.').waitFor()
    await owned.getByText('Look once it answers, and do it again if not.').waitFor()
    await owned.context().close()
  })

  test('hear that somebody else has signed in by another tab, and go on with what that person sees', async () => {
    const colleague = await api().member(seeded.owner, 'member')
    const { page, watched } = await open('/?sort=name', seeded.owner.session_token)
    await page.getByRole('button', { name: /^You: / }).waitFor()
    const before = await page.getByRole('button', { name: /^You: / }).innerText()
    const context = page.context()
    const [cookie] = await context.cookies()
    if (!cookie) throw new Error('there is no session')
    await context.addCookies([{ ...cookie, value: encodeURIComponent(colleague) }])
    const second = await context.newPage()
    await second.goto(`${seeded.dashboard.base}/`)
    const dialog = page.getByRole('dialog', { name: 'Somebody else has signed in' })
    await dialog.getByText(seeded.owner.email).waitFor()
    await dialog.getByRole('button', { name: 'Show what they see' }).click()
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => page.getByRole('button', { name: /^You: / }).innerText()).not.toBe(before)
    expect(watched.faults).toEqual([])
    await context.close()
  })

  test('come to the dashboard by the links of an invitation, of a new password, and of a message', async () => {
    const email = 'guest@example.com'
    await api().call(seeded.owner.session_token, 'POST', '/v1/team/members/invite', { email })
    const { page } = await open((await linkTo(email, /invites you/)).href.slice(seeded.dashboard.base.length), null)
    const form = page.locator('form', { hasText: 'I am new here' })
    await form.getByLabel('Name').fill('Guest')
    await form.getByLabel('New password, at least 8 characters').fill('correct horse')
    await form.getByRole('button').click()
    await page.getByRole('link', { name: 'Go on' }).click()
    await rowOf(page, 'Kettle').waitFor()
    await page.getByRole('button', { name: /^You: Guest/ }).waitFor()
    await page.context().clearCookies()
    await api().call(null, 'POST', '/auth/request-password-reset', { email })
    await page.goto((await linkTo(email, /new password/)).href)
    await page.getByLabel('New password').fill('another horse')
    await page.getByRole('button', { name: 'Set the password' }).click()
    await page.getByRole('link', { name: 'Sign in' }).click()
    await signIn(page, email, 'another horse')
    // A new session acts for the person's own team.
    await page.getByRole('heading', { name: 'Nothing is watched yet' }).waitFor()
    await page.context().clearCookies()
    await page.goto(`${seeded.dashboard.base}/monitors/${seeded.monitor}/runs/${seeded.run}`)
    await signIn(page, seeded.owner.email, String(seeded.owner.password))
    await page.getByRole('heading', { name: 'What differs' }).waitFor()
    await page.context().close()
  })

  test('whose session ends sign in by their organisation in a new tab, and lose nothing that was typed', async () => {
    const { email, user_id: sub } = seeded.owner
    provider.person = { sub, email, email_verified: true, name: 'Ada' }
    const { page, watched } = await open('/?sort=name', seeded.owner.session_token)
    await page.getByRole('button', { name: /^Team: / }).waitFor()
    await page.getByText('updates every 15 s').waitFor({ state: 'detached' })
    await page.getByRole('searchbox').fill('kettl')
    await page.getByText(/^1 of /).waitFor()
    await page.context().clearCookies()
    // The stream begins again, and is refused.
    api().app.server.closeAllConnections()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    const link = dialog.getByRole('link', { name: 'Sign in with your organisation, in a new tab' })
    expect(await link.getAttribute('target')).toBe('_blank')
    // The driver does not always tell of a tab that a link opens without an opener.
    const second = await page.context().newPage()
    await second.goto(new URL((await link.getAttribute('href')) ?? '', seeded.dashboard.base).href)
    await second.getByRole('link', { name: 'Sign in with the provider' }).click()
    await rowOf(second, 'Kettle').waitFor()
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await dialog.waitFor({ state: 'detached' })
    expect(await page.getByRole('searchbox').inputValue()).toBe('kettl')
    await page.getByText(/^1 of /).waitFor()
    expect(watched.faults.filter((fault) => !/401|INCOMPLETE/.test(fault))).toEqual([])
    await page.context().close()
  })
})

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
