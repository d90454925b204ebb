import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { LOOK_LIMITS } from '../../schema/monitor/look-limits.ts'
import { describeIf } from '../support/run/skip.ts'
import { findingsOf } from './axe.ts'
import { type LookingDashboard, startLooking } from './looking.ts'
import { look, pressAt, shows, watch } from './making.ts'
import { hasBrowser } from './open-dashboard.ts'

// A browser starts, and large pages are read.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const STYLE = `<!doctype html><meta charset="utf-8"><style>body { margin: 0 }
  i, b { float: left; width: 64px; height: 20px; overflow: hidden; font: 12px/20px monospace }</style>`
const COUNT = 5_000
const IN_A_LINE = 1_280 / 64
/** All have one id, and there are more elements and nodes than are listed. */
const OF_ONE_ID = `${STYLE}${Array.from({ length: COUNT }, (_, nth) => `<i id="same">No ${nth}</i> `).join('')}
  ${'<b>more</b> '.repeat(3_000)}`
/** The picture ends in the middle of it. */
const TALL = `${STYLE}<p style="margin: 0; height: 16320px">Top</p><p style="margin: 0">$12.00</p>
  <p style="margin: 0; height: 4000px">${'Below '.repeat(40)}</p><p>Nobody sees it</p>`

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The look at a large page', () => {
  let looking: LookingDashboard
  beforeAll(async () => {
    looking = await startLooking()
  })
  afterAll(() => looking[Symbol.asyncDispose]())

  const opened = () => looking.dashboard.open('/new', looking.owner)
  const elements = (page: Page) => page.evaluate<number>(`document.querySelectorAll('*').length`)

  test('has 4,000 elements of one id to point at, with a warning, and reads the one that was pressed', async () => {
    const { page, watched } = await opened()
    await look(page, looking.site.page('/same', OF_ONE_ID))
    await page.getByText(/^The page shows [\d,]+ elements; the 4,000 nearest to its top are listed/).waitFor()
    await page.getByText(/^The page has [\d,]+ nodes; elements among the first 20,000 are listed/).waitFor()
    const nth = 3_333
    const at = [32 + 64 * (nth % IN_A_LINE), 10 + 20 * Math.floor(nth / IN_A_LINE)] as const
    await pressAt(page, at, 'hover')
    await page.getByRole('application').getByText('i', { exact: true }).waitFor()
    await pressAt(page, at)
    await shows(page, `No ${nth}`)
    // The end of the tree, by the keyboard.
    const tree = page.getByRole('tree', { name: 'Elements of the page' })
    await tree.focus()
    await page.keyboard.press('End')
    await tree
      .getByText(/^No 3[89]\d\d$/)
      .last()
      .waitFor()
    const rule = page.getByLabel(/^Rule of /)
    const found = await rule.inputValue()
    await page.getByLabel('Rules are').selectOption('css')
    await rule.fill('#same')
    await page.getByText(`${COUNT.toLocaleString('en')} matches`).waitFor()
    // Boxes of the matches that are listed, and a few rows of the tree.
    expect(await elements(page)).toBeLessThan(1_000 + LOOK_LIMITS.matches)
    expect(await findingsOf(page)).toEqual([])
    await pressAt(page, at)
    await shows(page, `No ${nth}`)
    expect(await rule.inputValue()).toBe(found)
    const { stored } = await watch(page, looking)
    expect(Object.values(stored as object)).toEqual([`No ${nth}`])
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('ends where the largest picture ends, and reads what stands at its end', async () => {
    const { page, watched } = await opened()
    await look(page, looking.site.page('/tall', TALL))
    await page.getByText('The page is longer than its picture, which ends here: 16,384 px.').waitFor()
    await page.getByRole('group', { name: 'Size of the picture' }).getByText('Actual size').click()
    await pressAt(page, [20, 16_330])
    await shows(page, '$12.00')
    const find = page.getByRole('searchbox', { name: 'Find on the page' })
    await find.fill('Nobody sees it')
    await page.getByText('0 places').waitFor()
    await find.fill('')
    const { stored } = await watch(page, looking)
    expect(Object.values(stored as object)).toEqual(['$12.00'])
    expect(watched.faults).toEqual([])
    await page.context().close()
  })
})
