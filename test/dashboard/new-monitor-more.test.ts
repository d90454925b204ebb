import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { describeIf } from '../support/run/skip.ts'
import { type LookingDashboard, startLooking } from './looking.ts'
import { look, press, SHOP, shows, watch } from './making.ts'
import { hasBrowser } from './open-dashboard.ts'

// A browser starts, and each look opens a page in it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const WALL = `<!doctype html><style>.wall { position: fixed; inset: 0; background: #fff }</style>
  <h1 style="margin: 100px">Behind it</h1><div class="wall" id="wall"><p>We use cookies</p></div>`

describeIf(hasBrowser, 'there is no embedded browser for this platform')(
  'The screen for a new monitor, further',
  () => {
    let looking: LookingDashboard
    beforeAll(async () => {
      looking = await startLooking()
    })
    afterAll(() => looking[Symbol.asyncDispose]())

    const opened = (path = '/new') => looking.dashboard.open(path, looking.owner)

    test('asks for a browser only where the fetched document has no such value', async () => {
      const { page } = await opened()
      await look(page, looking.site.page('/shop', SHOP))
      await press(page, '7 left')
      await shows(page, '7 left')
      const browser = page.getByRole('checkbox', { name: 'A browser opens the page each time' })
      await expect.poll(() => browser.isChecked()).toBe(true)
      await page.getByText('scripts of the page write it').waitFor()
      await page.getByRole('application').focus()
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('Enter')
      await page.getByText('It cannot be read: it is a canvas').waitFor()
      const { monitor, stored } = await watch(page, looking)
      expect(monitor['fetch_mode']).toBe('browser')
      expect(Object.values(stored as object)).toEqual(['7 left'])
      await page.context().close()
    })

    test('lets the pointer through what covers the page, and leaves it out of the whole page', async () => {
      const { page } = await opened()
      await look(page, looking.site.page('/wall', WALL))
      await page.getByText('We use cookies').first().waitFor()
      await page.getByRole('button', { name: 'Hide this' }).first().click()
      await page.getByRole('button', { name: 'Show this' }).first().waitFor()
      await page.getByRole('radio', { name: 'the text of the whole page' }).click()
      await page.getByText('Without #wall').waitFor()
      const { monitor } = await watch(page, looking)
      expect(monitor['extract_config']).toMatchObject({ method: 'full_page', ignore: { selectors: ['#wall'] } })
      await page.context().close()
    })

    test('leaves out what is pressed, or compares it alone in pictures, where a person says so', async () => {
      const { page } = await opened()
      await look(page, looking.site.page('/shop', SHOP))
      await page.getByRole('button', { name: 'Leave it out' }).click()
      await press(page, 'Menu')
      await page.getByText('Left out: .bar').waitFor()
      await page.getByRole('button', { name: 'Compare only it in pictures' }).click()
      await press(page, 'Kettle')
      await page.getByText('Compared in pictures: h1').waitFor()
      await press(page, 'Cup')
      await page.getByRole('button', { name: /^Remove .*Cup|^Remove .*item/ }).click()
      // What is watched is still the best guess.
      await shows(page, '$19.99')
      await page.getByRole('radio', { name: 'the text of the whole page' }).click()
      const { monitor } = await watch(page, looking)
      expect(monitor).toMatchObject({
        extract_config: { method: 'full_page', ignore: { selectors: ['.bar'] } },
        visual_config: { enabled: true, regions: [{ selector: 'h1' }], ignoreSelectors: ['.bar'] },
      })
      await page.context().close()
    })

    test('treats a value before it is compared, and says which treatment cannot run', async () => {
      const { page } = await opened()
      await look(page, looking.site.page('/shop', SHOP))
      await shows(page, '$19.99')
      await page.getByRole('button', { name: 'Treat price before it is compared' }).click()
      await page.getByLabel('What is done to its lines or items').selectOption('replace')
      await page.getByLabel('Pattern', { exact: true }).fill('(')
      await page.getByText('[0].pattern is not a JavaScript pattern that can run').waitFor()
      await page.getByLabel('Pattern', { exact: true }).fill('^.(\\d+)')
      await page.getByLabel('Text in its place').fill('EUR $1')
      await shows(page, 'EUR 19.99')
      await page.getByRole('button', { name: 'Then' }).click()
      await page.getByRole('button', { name: 'Remove treatment 2 of price' }).click()
      const { monitor, stored } = await watch(page, looking)
      const clean = { price: [{ do: 'replace', pattern: '^.(\\d+)', text: 'EUR $1' }] }
      expect(monitor['extract_config']).toMatchObject({ clean })
      expect(stored).toEqual({ price: 'EUR 19.99' })
      await page.context().close()
    })

    test('says that a look has ended, and keeps what was filled in', async () => {
      const { page } = await opened()
      await look(page, looking.site.page('/shop', SHOP))
      await shows(page, '$19.99')
      await page.getByLabel('Name', { exact: true }).fill('Mine')
      await looking.dashboard.api.sql('update looks set expires_at = clock()')
      await page.getByLabel('Rule of price').fill('.offer b')
      await page.getByText('The look has ended').waitFor()
      await page.getByRole('button', { name: 'Look again' }).click()
      await page.getByText('The look has ended').waitFor({ state: 'hidden' })
      await shows(page, '$19.99')
      expect(await page.getByLabel('Rule of price').inputValue()).toBe('.offer b')
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Mine')
      await page.context().close()
    })

    test('loads at most 70 KB of code and styles beside those of the list', async () => {
      const { page, watched: seen } = await opened('/')
      await page.getByRole('heading', { level: 1 }).waitFor()
      const before = new Set(seen.asked)
      await page.goto(`${looking.dashboard.base}/new`)
      await look(page, looking.site.page('/shop', SHOP))
      const paths = [...new Set(seen.asked)].filter((path) => path.startsWith('/assets/') && !before.has(path))
      const sizes = await Promise.all(
        paths.map(async (path) => (await readFile(join(looking.dashboard.built, `${path}.gz`))).length),
      )
      const bytes = sizes.reduce((sum, size) => sum + size, 0)
      console.log(`${(bytes / 1024).toFixed(1)} KB of code and styles for a new monitor, compressed`)
      expect(paths.some((path) => path.includes('new-page'))).toBe(true)
      expect(bytes).toBeLessThan(70 * 1024)
      await page.context().close()
    })
  },
)
