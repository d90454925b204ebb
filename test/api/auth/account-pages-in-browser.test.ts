import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createResetToken } from '../../../store/accounts/admin-accounts.ts'
import { createTestApi, type TestApi } from '../../support/api/test-api.ts'
import { startTestBrowser } from '../../support/browser/test-browser.ts'
import { startMailWorker } from '../../support/mail/mail-worker.ts'
import { freePort } from '../../support/network/free-port.ts'
import { describeIf } from '../../support/run/skip.ts'

const hasBrowser = process.platform === 'linux' && process.arch === 'x64'

/** Forms name the address that they come from, so it has to be known before there is a server. */

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The pages of accounts, in a browser', () => {
  let api: TestApi
  let base: string
  let browser: Awaited<ReturnType<typeof startTestBrowser>>
  let worker: Awaited<ReturnType<typeof startMailWorker>>

  beforeAll(async () => {
    const port = await freePort()
    base = `http://127.0.0.1:${port}`
    api = await createTestApi({ baseUrl: base, dashboardUrl: base, signUp: 'open', hasMail: true })
    await api.app.listen({ host: '127.0.0.1', port })
    worker = await startMailWorker(api.services)
    browser = await startTestBrowser()
  }, 60_000)
  afterAll(async () => {
    await browser[Symbol.asyncDispose]()
    await worker[Symbol.asyncDispose]()
    await api.close()
  })

  /** A browser of its own, without scripts. The limits of an address count for all of them. */
  async function open(path: string, from?: Page): Promise<{ page: Page; status: number; heading: string }> {
    await api.sql('delete from rate_limits')
    const page = from ?? (await (await browser.playwright.newContext({ javaScriptEnabled: false })).newPage())
    const answer = await page.goto(new URL(path, base).href)
    return { page, status: answer?.status() ?? 0, heading: await page.locator('h1').innerText() }
  }
  async function submit(page: Page, button: string): Promise<string> {
    await api.sql('delete from rate_limits')
    await Promise.all([page.waitForEvent('domcontentloaded'), page.getByRole('button', { name: button }).click()])
    return page.locator('h1').innerText()
  }
  const linkTo = async (email: string, subject: RegExp) =>
    /http:\S+token=\S+/.exec((await worker.letterTo(email, subject)).mail.text ?? '')?.[0] ?? ''

  test('whoever is invited signs up and joins on one page, and the link works once', async () => {
    const owner = await api.owner()
    const email = 'guest@example.com'
    await api.call(owner.session_token, 'POST', '/v1/team/members/invite', { email })
    const link = await linkTo(email, /invites you/)
    const { page, heading } = await open(`${link}&utm_source=mail`)
    expect(heading).toMatch(/^Join /)
    const form = page.locator('form', { hasText: 'I am new here' })
    await form.getByLabel('Name').fill('Guest')
    await form.getByLabel('New password, at least 8 characters').fill('correct horse')
    expect(await submit(page, 'Create an account and accept')).toMatch(/^You are in /)
    const again = await open(link, page)
    expect(again).toMatchObject({ status: 409, heading: 'This invitation does not work any more' })
    expect(await again.page.locator('main').innerText()).toContain('accepted already')
  })

  test('an address is confirmed and a password is set with the links of the mails', async () => {
    const email = 'ann@example.com'
    await api.call(null, 'POST', '/auth/sign-up/email', { name: 'Ann', email, password: 'correct horse' })
    const { page } = await open(await linkTo(email, /Confirm/))
    await page.getByLabel('Password').fill('another password')
    expect(await submit(page, 'Confirm')).toBe('Confirm your address')
    expect(await page.getByRole('alert').innerText()).toContain('password')
    await page.getByLabel('Password').fill('correct horse')
    expect(await submit(page, 'Confirm')).toBe('Your address is confirmed')
    const reset = await createResetToken(api.services.store, email)
    await open(`/new-password?token=${reset?.token}`, page)
    await page.getByLabel('New password').fill('a brand new one')
    expect(await submit(page, 'Set the password')).toBe('Your new password is set')
    await page.goBack()
    await page.getByLabel('New password').fill('another new one')
    expect(await submit(page, 'Set the password')).toBe('This link does not work any more')
  })

  test('somebody signs up, signs in by keyboard, comes where they wanted, and signs out', async () => {
    const email = 'new@example.com'
    const { page } = await open('/sign-in?next=/docs/api%3Fa=b')
    await page.getByRole('link', { name: 'Create an account' }).click()
    await page.getByLabel('Your name').fill('New')
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password, at least 8 characters').fill('correct horse')
    expect(await submit(page, 'Create the account')).toBe('Look into your mailbox')
    await page.goto(await linkTo(email, /Confirm/))
    await page.getByLabel('Password').fill('correct horse')
    await submit(page, 'Confirm')
    await page.goto(`${base}/sign-in?next=/docs/api%3Fa=b`)
    await page.keyboard.press('Tab')
    await page.keyboard.type(email)
    await page.keyboard.press('Tab')
    await page.keyboard.type('wrong')
    await page.keyboard.press('Enter')
    expect(await page.getByRole('alert').innerText()).toContain('password')
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password').fill('correct horse')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${base}/docs/api?a=b`)
    await open('/sign-in', page)
    expect(await page.locator('main').innerText()).toContain(`signed in as ${email}`)
    expect(await submit(page, 'Sign out')).toBe('You are signed out')
    expect((await open('/sign-in', page)).heading).toBe('Sign in')
  })

  const BAD = ['', 'x', 'inv_x', `${'x'.repeat(300)}`, `${'x'.repeat(3_000)}`, '%00', '%zz', '%ED%A0%80', 'a&token=b']
  test.each(['/verify', '/new-password', '/invitation'])('%s is a page whatever token its link has', async (path) => {
    let shown: Page | undefined
    for (const token of BAD) {
      const { page, status, heading } = await open(`${path}?token=${token}`, shown)
      shown = page
      expect([token.slice(0, 9), heading]).toEqual([token.slice(0, 9), expect.stringMatching(/^[A-Z][a-z ]+$/)])
      expect(status).toBeLessThan(500)
      const button = page.getByRole('button')
      if ((await button.count()) === 1) {
        await page.locator('input[type=password]').fill('correct horse')
        expect(await submit(page, (await button.innerText()).trim())).toBe('This link does not work any more')
      }
    }
    await shown?.context().close()
  })

  test('whoever looks too often reads when to try again', async () => {
    const { page } = await open('/invitation?token=x')
    for (let nth = 0; nth < 10; nth += 1) await page.reload()
    // A minute may have ended in between, though not twice.
    for (let nth = 0; nth < 11; nth += 1)
      if ((await page.locator('h1').innerText()) !== 'Too many requests') await page.reload()
    expect(await page.locator('main').innerText()).toMatch(
      /^Too many requests\s+Too many requests\. Try again in \d+ s\./,
    )
  })
})
