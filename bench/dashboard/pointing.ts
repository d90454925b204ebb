import type { Browser, Page } from 'playwright-core'
import { placeOfBox, placeOfPrice, priceOf, SMALL_BOXES } from './looked-pages.ts'
import { signedIn, type SignedIn } from './signed-in.ts'

/** What a person waits for who points at a page. */
export interface Pointed {
  /** From a move of the pointer until the outline of the element is laid out. */
  readonly outlineMs: readonly number[]
  /** From a press until the value of its best rule is shown. */
  readonly pressMs: readonly number[]
  /** From a letter in a selector until its boxes and its value are shown. */
  readonly letterMs: readonly number[]
}

interface Pointing extends SignedIn {
  /** The addresses of both pages. */
  readonly pages: { readonly items: string; readonly boxes: string }
  readonly points: number
}

const PICTURE = 1_280
/** The price of the first item with a number of two digits. */
const FIRST = 10
/** The first ones compile. */
const FIRST_ONES = 3

export async function measurePointing(
  browser: Browser,
  { pages, points: counted, ...person }: Pointing,
): Promise<Pointed> {
  const points = counted + FIRST_ONES
  const context = await signedIn(browser, person)
  const page = await context.newPage()
  await look(page, person.base, pages.boxes)
  const outlineMs = (await outlineTimes(page, points)).slice(FIRST_ONES)
  await look(page, person.base, pages.items)
  const pressMs = (await pressTimes(page, points)).slice(FIRST_ONES)
  const letterMs = (await letterTimes(page, points)).slice(FIRST_ONES)
  await context.close()
  return { outlineMs, pressMs, letterMs }
}

/** Looks at a page, and waits for its picture and for the value of the best guess. */
async function look(page: Page, base: string, url: string): Promise<void> {
  await page.goto(`${base}/new`)
  await page.getByLabel('Address').fill(url)
  await page.keyboard.press('Enter')
  const picture = page.getByRole('application').locator('img')
  await picture.waitFor({ timeout: 60_000 })
  await page.waitForFunction(`document.querySelector('[role=application] img').complete`)
  await page.waitForFunction(`${SHOWN}.length > 0`)
}

/** The texts of the values that are shown. Beside them only what is pointed at is told like this. */
const SHOWN = `[...document.querySelectorAll('[aria-live=polite]:not(#pointed-at)')]
  .map(({ textContent }) => textContent.trim()).filter((text) => text !== '')`
const STAGE = `const stage = document.querySelector('[role=application]')
  const around = () => stage.getBoundingClientRect()
  const at = ([x, y]) => ({ clientX: around().left + (x * around().width) / ${PICTURE},
    clientY: around().top + (y * around().width) / ${PICTURE}, bubbles: true })`

/** Goes to and fro over the picture, so that no two places are beside each other. */
function outlineTimes(page: Page, points: number): Promise<number[]> {
  const places = Array.from({ length: points }, (_, nth) => placeOfBox((nth * 1_237) % SMALL_BOXES))
  return page.evaluate(`(() => {
    ${STAGE}
    const outline = stage.lastElementChild
    return ${JSON.stringify(places)}.map((place) => {
      const event = new PointerEvent('pointermove', at(place))
      const from = performance.now()
      stage.dispatchEvent(event)
      const { width } = outline.getBoundingClientRect()
      const took = performance.now() - from
      if (outline.hidden || width === 0 || outline.textContent !== 'i') throw new Error('it has no outline')
      return took
    })
  })()`)
}

async function pressTimes(page: Page, points: number): Promise<number[]> {
  const pressed = Array.from({ length: points }, (_, nth) => FIRST + nth)
  return page.evaluate(`(async () => {
    ${STAGE}
    const took = []
    for (const [place, text] of ${JSON.stringify(pressed.map((item) => [placeOfPrice(item), priceOf(item)]))}) {
      const from = performance.now()
      stage.dispatchEvent(new MouseEvent('click', at(place)))
      do {
        await new Promise((resolve) => requestAnimationFrame(resolve))
        if (performance.now() - from > 20_000) throw new Error('the value of ' + text + ' is not shown')
      } while (!${SHOWN}.includes(text))
      took.push(performance.now() - from)
    }
    return took
  })()`)
}

async function letterTimes(page: Page, points: number): Promise<number[]> {
  const rule = page.getByLabel(/^Rule of /)
  const isShown = (item: number) =>
    page.waitForFunction(
      `${SHOWN}.includes(${JSON.stringify(priceOf(item))}) &&
        document.querySelectorAll('[role=application] [class*=match]').length === 1`,
      undefined,
      { polling: 'raf' },
    )
  const took: number[] = []
  // Behind those that were pressed, whose values the screen has kept. The last letter is the last digit.
  for (let item = FIRST + points; item < FIRST + 2 * points; item += 1) {
    const typed = `#price-${item}`
    await rule.fill(typed.slice(0, -1))
    await isShown(Math.floor(item / 10))
    const from = performance.now()
    await page.keyboard.type(typed.slice(-1))
    await isShown(item)
    took.push(performance.now() - from)
  }
  return took
}
