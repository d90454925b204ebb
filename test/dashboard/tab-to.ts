import type { Page } from 'playwright-core'

const FOCUSED = `(({ activeElement: e }) => e.getAttribute('aria-label') ?? e.textContent)(document)`

/** Presses the Tab key until something of this name has the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  const passed: unknown[] = []
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press('Tab')
    passed.push(await page.evaluate(FOCUSED))
    if (passed.at(-1) === name) return
  }
  throw new Error(`the Tab key does not lead to ${name}, but to ${passed.slice(0, 30).join(', ')}`)
}
