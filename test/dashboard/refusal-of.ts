import type { Locator } from 'playwright-core'

/** Focuses a button that cannot be used, and returns the reason that it shows. Null: it can be used. */
export async function refusalOf(button: Locator): Promise<string | null> {
  if (!(await button.isDisabled())) return null
  await button.focus()
  const id = await button.getAttribute('aria-describedby')
  const reason = button.page().locator(`[role=tooltip][id="${id}"]`)
  await reason.waitFor()
  return reason.textContent()
}
