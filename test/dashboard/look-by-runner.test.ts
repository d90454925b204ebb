import { expect, test, vi } from 'vitest'
import { sessionCookieName } from '../../api/auth/sign-in-options.ts'
import { startTestBrowser } from '../support/browser/test-browser.ts'
import { scriptedPage } from '../support/network/scripted-page.ts'
import { openSite } from '../support/network/site.ts'
import { openRunnerInstallation } from '../support/process/runner-installation.ts'
import { shared } from '../support/run/shared.ts'
import { describeIf } from '../support/run/skip.ts'
import { look, press, shows } from './making.ts'
import { hasBrowser } from './open-dashboard.ts'

// Processes and browsers start.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

describeIf(hasBrowser, 'there is no embedded browser for this platform')(
  'The screen of an API without a browser',
  () => {
    const installation = shared(openRunnerInstallation)

    test('says that nobody renders pages, and shows what a runner renders once there is one', async () => {
      await using site = await openSite()
      await using browser = await startTestBrowser()
      const { base, sessionToken } = installation
      const context = await browser.playwright.newContext({ viewport: { width: 1280, height: 800 } })
      await context.addCookies([{ name: sessionCookieName(base), value: encodeURIComponent(sessionToken), url: base }])
      const page = await context.newPage()
      await page.goto(`${base}/new`)
      await look(page, site.page('/shop', scriptedPage('$7')))
      await page.getByText(/no runner has one, so there is no picture\. Ask who runs this installation\./).waitFor()
      await page.getByLabel('Name', { exact: true }).fill('Mine')
      await using _runner = await installation.runner('looks')
      await page.getByRole('button', { name: 'Look again' }).click()
      await press(page, '$7')
      await shows(page, '$7')
      await page.getByText('scripts of the page write it').waitFor()
      await page.getByRole('button', { name: 'Watch it' }).click()
      await page.waitForURL(/\/monitors\/[\w-]+$/)
      const [run] = await installation.ended(page.url().split('/').at(-1) ?? '')
      expect(run).toMatchObject({ status: 'success', fetch_method: 'browser' })
      expect(Object.values(run?.extracted ?? {})).toEqual(['$7'])
      await context.close()
    })
  },
)
