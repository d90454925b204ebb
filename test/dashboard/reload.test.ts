import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { buildDashboard } from '../../tools/build/build-dashboard.ts'
import { describeIf } from '../support/run/skip.ts'
import { hasBrowser, startDashboard } from './open-dashboard.ts'

const ROOT = join(import.meta.dirname, '../..')

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The dashboard while one works on it', () => {
  test('loads an open page again after the next build', async () => {
    await using dashboard = await startDashboard()
    const owner = await dashboard.api.owner({ plan: 'unlimited' })
    // Within the repository, where the packages are found.
    const copy = await mkdtemp(join(ROOT, 'node_modules/.cache/dashboard-'))
    onTestFinished(() => rm(copy, { recursive: true, force: true }))
    await cp(join(ROOT, 'dashboard'), copy, { recursive: true, filter: (path) => !path.endsWith('/dist') })
    await buildDashboard(copy, dashboard.built, { reloads: true })
    const { page, watched } = await dashboard.open('/', owner)
    await page.getByRole('heading').first().waitFor()
    const loads = () => watched.asked.filter((path) => path === '/').length
    const index = join(copy, 'index.html')
    await writeFile(
      index,
      (await readFile(index, 'utf8')).replace('</head>', '<meta name="build" content="next"></head>'),
    )
    const before = loads()
    await buildDashboard(copy, dashboard.built, { reloads: true })
    await page.locator('meta[name=build]').waitFor({ state: 'attached' })
    expect(loads()).toBeGreaterThan(before)
  })
})

test('a build for users has nothing that loads a page again', async () => {
  const folder = await mkdtemp(join(ROOT, 'node_modules/.cache/dashboard-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const codeOf = async (reloads: boolean) => {
    const target = join(folder, `reloads-${reloads}`)
    await buildDashboard(join(ROOT, 'dashboard'), target, { reloads })
    const page = await readFile(join(target, 'index.html'), 'utf8')
    return readFile(join(target, /src="\/(assets\/[^"]+\/app\.js)"/.exec(page)?.[1] ?? ''), 'utf8')
  }
  const looks = 'setInterval(async'
  expect([(await codeOf(true)).includes(looks), (await codeOf(false)).includes(looks)]).toEqual([true, false])
})
