import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeIf } from '../support/run/skip.ts'
import { findingsOf } from './axe.ts'
import { hasBrowser } from './open-dashboard.ts'
import { screensOf } from './screens.ts'
import { startSeeded } from './seeded.ts'

/** The walk through all of them, in both themes and widths, is `axe-walk.test.ts`. */
const FEW = ['list-selected', 'palette', 'changes', 'run']

describeIf(hasBrowser, 'there is no embedded browser for this platform')('For people with other abilities', () => {
  let seeded: Awaited<ReturnType<typeof startSeeded>>
  beforeAll(async () => {
    seeded = await startSeeded()
  })
  afterAll(() => seeded[Symbol.asyncDispose]())

  test('no serious finding of axe is on some screens', async () => {
    for (const { name, path, arrive } of screensOf(seeded).filter((screen) => FEW.includes(screen.name))) {
      const { page } = await seeded.dashboard.open(path, seeded.owner)
      await arrive(page)
      expect({ name, found: await findingsOf(page) }).toEqual({ name, found: [] })
      await page.context().close()
    }
  })
})
