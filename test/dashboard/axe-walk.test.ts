import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeIf } from '../support/run/skip.ts'
import { findingsOf } from './axe.ts'
import { lookingParts } from './looking.ts'
import { hasBrowser } from './open-dashboard.ts'
import { screensOf } from './screens.ts'
import { seedPeople } from './seeded-people.ts'
import { startSeeded } from './seeded.ts'

const LOOKS = (['light', 'dark'] as const).flatMap((theme) => [1280, 360].map((width) => ({ theme, width })))

describeIf(hasBrowser, 'there is no embedded browser for this platform')('Every screen', () => {
  let started: AsyncDisposableStack
  let seeded: Awaited<ReturnType<typeof startSeeded>>
  beforeAll(async () => {
    started = new AsyncDisposableStack()
    seeded = started.use(await startSeeded((await lookingParts(started)).options))
    await seedPeople(seeded.dashboard.api, seeded.owner)
  })
  afterAll(() => started.disposeAsync())

  test.each(LOOKS)(
    'has no serious finding of axe in $theme at $width pixels',
    async ({ theme, width }) => {
      for (const { name, path, isPublic = false, arrive } of screensOf(seeded)) {
        const { page } = await seeded.dashboard.open(path, isPublic ? null : seeded.owner, { width })
        await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
        await arrive(page)
        expect.soft({ name, found: await findingsOf(page) }).toEqual({ name, found: [] })
        await page.context().close()
      }
    },
    120_000,
  )
})
