import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { eventually } from '../support/run/eventually.ts'
import type { LookingDashboard } from './looking.ts'

const ITEMS = ['Cup', 'Pot', 'Tea'].map((name) => `<li class="item"><a href="/${name}">${name}</a></li>`).join('')
const HOSTILE = '&lt;img src=x onerror=alert(1)&gt;'

/** A page whose price stands in what is fetched, and whose stock is written by a script. */
export const SHOP = `<!doctype html><title>Shop</title>
  <style>.bar { position: sticky; top: 0; background: #eee }</style>
  <div class="bar">Menu</div><h1>Kettle</h1><p class="offer"><b itemprop="price">$19.99</b></p>
  <p>${HOSTILE}</p><ul>${ITEMS}</ul><p id="stock"></p><canvas width="60" height="40"></canvas>
  <script>document.querySelector('#stock').textContent = '7 left'</script>`

/** Looks at an address on the screen for a new monitor. */
export async function look(page: Page, url: string): Promise<void> {
  await page.getByLabel('Address').fill(url)
  await page.keyboard.press('Enter')
  const found = page.getByRole('region', { name: 'What', exact: true })
  await found.or(page.getByRole('alert')).first().waitFor()
  expect(await page.getByRole('alert').allInnerTexts()).toEqual([])
  await found.waitFor()
}

/** Waits until a value is shown as a run would store it, beside the text of the element that was pressed. */
export const shows = (page: Page, text: string) =>
  page
    .locator('[aria-live=polite]:not(#pointed-at)')
    .filter({ hasText: /\S/ })
    .getByText(text, { exact: true })
    .first()
    .waitFor()

/** Chooses an element by the text that it shows. Returns the middle of it in the picture. */
export async function press(page: Page, text: string) {
  const stage = page.getByRole('application')
  await stage.locator('img').evaluate((img) => (img as unknown as { decode(): Promise<void> }).decode())
  const find = page.getByRole('searchbox', { name: 'Find on the page' })
  await find.fill(text)
  await page.getByText('1 place', { exact: true }).waitFor()
  await page.keyboard.press('Enter')
  // The places that are listed move the picture.
  await find.fill('')
  const box = await stage.locator('[data-active]').boundingBox()
  return { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 }
}

const PICTURE = 1_280

/** Presses on the picture with the pointer, or moves it there: at a place in pixels of the page. */
export async function pressAt(page: Page, [x, y]: readonly [number, number], act: 'click' | 'hover' = 'click') {
  const stage = page.getByRole('application')
  await stage.locator('img').evaluate((img) => (img as unknown as { decode(): Promise<void> }).decode())
  const scale = ((await stage.boundingBox())?.width ?? 0) / PICTURE
  await stage[act]({ position: { x: x * scale, y: y * scale } })
}

/** Saves, and returns the monitor with what its first run stored. */
export async function watch(page: Page, { dashboard, owner }: LookingDashboard) {
  const call = (method: 'GET' | 'POST', path: string) => dashboard.api.call(owner.api_key, method, path)
  await page.getByRole('button', { name: 'Watch it' }).click()
  await page.waitForURL(/\/monitors\/[\w-]+$/)
  const id = page.url().split('/').at(-1)
  const { body: monitor } = await call('GET', `/v1/monitors/${id}`)
  const { run_id: run } = (await call('POST', `/v1/monitors/${id}/run`)).body
  const { body } = await eventually(
    () => call('GET', `/v1/runs/${run}`),
    ({ body: { status } }) => status === 'success' || status === 'error',
  )
  return { monitor, stored: body['extracted'] as unknown }
}
