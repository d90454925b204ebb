import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const SOURCE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** A fault of accessibility that keeps people from using the page. */
interface Finding {
  readonly id: string
  readonly impact: string
  readonly where: readonly string[]
}

const LOOK = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, impact, nodes }) => ({
      id,
      impact,
      where: nodes.slice(0, 5).map(({ html, failureSummary }) => html.slice(0, 300) + ' ' + failureSummary),
    })))`

/** Returns the serious and critical findings of axe on a page. It is run by the browser, whatever the page's policy. */
export async function findingsOf(page: Page): Promise<readonly Finding[]> {
  await page.evaluate(await readFile(SOURCE, 'utf8'))
  // What fades in has less contrast until it is there.
  await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))')
  return page.evaluate<readonly Finding[]>(LOOK)
}
