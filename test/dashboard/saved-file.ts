import type { Page } from 'playwright-core'

const KEEP = `{
  const make = URL.createObjectURL
  URL.createObjectURL = (file) => {
    window.savedText = file.text()
    return make(file)
  }
}`

/** Presses a button that saves a file. The browser of the tests keeps no file, so what it is given is looked at. */
export async function savedBy(page: Page, name: string): Promise<{ readonly name: string; readonly text: string }> {
  await page.evaluate(KEEP)
  const file = page.waitForEvent('download')
  await page.getByRole('button', { name }).press('Enter')
  return { name: (await file).suggestedFilename(), text: await page.evaluate<string>('window.savedText') }
}
