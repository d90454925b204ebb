import type { Response } from 'playwright-core'
import { expect, test } from 'vitest'
import { isLeft, watchNavigation } from '../../../../runners/browser/page/navigation.ts'
import { startTestBrowser } from '../../../support/browser/test-browser.ts'
import { html, openSite, status } from '../../../support/network/site.ts'

test('a page is left once it asks for another one, whether that has answered or not', async () => {
  await using site = await openSite({ otherwise: status(404) })
  const [first, second, silent] = [site.page('/first', html('')), site.page('/second', html('')), '/silent']
  await using browser = await startTestBrowser()
  const page = await browser.playwright.newPage()
  const session = await page.context().newCDPSession(page)
  const navigation = await watchNavigation({ context: page.context(), page, session })
  const goTo = async (address: string) => (await page.goto(address, { waitUntil: 'commit' })) as Response

  const one = await goTo(`${first}#part`)
  expect(isLeft(navigation, one)).toBe(false)
  const two = await goTo(second)
  expect([isLeft(navigation, one), isLeft(navigation, two)]).toEqual([true, false])
  site.page(silent, () => {})
  const asked = page.waitForRequest(`${site.origin}${silent}`)
  await page.evaluate(`void setTimeout(() => { location.href = '${silent}' })`)
  await asked
  expect(isLeft(navigation, two)).toBe(true)
})
