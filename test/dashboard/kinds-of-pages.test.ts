import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { describeIf } from '../support/run/skip.ts'
import { PAGE_KINDS, type PageKind } from './kinds-of-pages.ts'
import { type LookingDashboard, startLooking } from './looking.ts'
import { look, pressAt, shows, watch } from './making.ts'
import { hasBrowser } from './open-dashboard.ts'

// A browser starts, and each look opens a page in it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const ZOOMED = { viewport: { width: 427, height: 267 }, deviceScaleFactor: 3 }

describeIf(hasBrowser, 'there is no embedded browser for this platform')(
  'What is pointed at is what a run stores',
  () => {
    let looking: LookingDashboard
    beforeAll(async () => {
      looking = await startLooking()
    })
    afterAll(() => looking[Symbol.asyncDispose]())

    test.for(PAGE_KINDS)('on $kind', async (kind) => {
      const url = looking.site.page(`/${kind.kind.replaceAll(' ', '-')}`, kind.page)
      const { page, watched } = await looking.dashboard.open('/new', looking.owner, {
        ...(kind.isZoomed && { context: ZOOMED }),
      })
      await look(page, url)
      await wait(page, kind)
      if (kind.hides !== undefined) await page.getByRole('button', { name: kind.hides }).click()
      for (const { at, says } of kind.before ?? []) {
        await pressAt(page, at)
        await page.locator('[aria-live], [role=alert]').getByText(says).first().waitFor()
      }
      await choose(page, kind)
      await shows(page, kind.value)
      const { monitor, stored } = await watch(page, looking)
      expect(Object.values(stored as object)).toEqual([kind.value, ...(kind.more ?? [])])
      expect(monitor['fetch_mode']).toBe(kind.mode ?? 'auto')
      expect(watched.faults).toEqual([])
      await page.context().close()
    })
  },
)

/** Looks again, and waits for an element that was not there at first. */
async function wait(page: Page, { waitFor, value }: PageKind): Promise<void> {
  if (waitFor === undefined) return
  const tree = page.getByRole('tree', { name: 'Elements of the page' })
  await tree.waitFor()
  expect(await tree.getByText(value).count()).toBe(0)
  await page.getByText('More settings: ').click()
  await page.getByLabel('Wait for an element').fill(waitFor)
  await page.getByRole('button', { name: 'Look again' }).click()
  await tree.getByText(value).first().waitFor()
}

async function choose(page: Page, { at, value }: PageKind): Promise<void> {
  if (at !== null) return pressAt(page, at)
  await page.getByRole('searchbox', { name: 'Find on the page' }).fill(value)
  await page.keyboard.press('Enter')
}
