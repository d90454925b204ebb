import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { SMALLEST } from '../support/api/monitor-body.ts'
import { giveChange } from '../support/database/check-states.ts'
import { describeIf } from '../support/run/skip.ts'
import { type Dashboard, hasBrowser, startDashboard } from './open-dashboard.ts'

const MONITORS = 120
const CHANGE = {
  run_id: '019de363-a5c8-7c11-8000-000000c0ffee',
  at: '2026-05-01T12:00:00.000Z',
  field: 'price',
  more: 0,
}
const HOSTILE = ['<img src=x onerror=alert(1)>', 'javascript:alert(1)', '\u{202E}evil\u{200B}', `${'w'.repeat(200)}`]

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The list of monitors', () => {
  let dashboard: Dashboard
  let owner: CreatedOwner
  let empty: CreatedOwner
  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.api.owner({ plan: 'unlimited' })
    empty = await dashboard.api.owner()
    const names = [...HOSTILE, ...Array.from({ length: MONITORS - HOSTILE.length }, (_, nth) => `Kettle ${nth}`)]
    for (const name of names) {
      const body = { ...SMALLEST, name, labels: { team: name.endsWith('7') ? 'shop' : 'ops' } }
      await dashboard.api.call(owner.api_key, 'POST', '/v1/monitors', body)
    }
  })
  afterAll(() => dashboard[Symbol.asyncDispose]())

  const opened = async (path: string, how?: { readonly width: number }) => {
    const found = await dashboard.open(path, owner, how)
    await found.page.getByRole('gridcell').first().waitFor()
    return found
  }
  const activeRow = (page: Page) =>
    page.evaluate<string | null>(`(() => {
      const id = document.activeElement.getAttribute('aria-activedescendant')
      return document.getElementById(id)?.querySelector('a')?.innerText ?? null
    })()`)
  const namesOf = (page: Page) => page.locator('[role=row] a').allInnerTexts()

  test('is shown to whoever is signed in, with their team, and only ours is asked', async () => {
    const { page, watched } = await opened('/?sort=name')
    const grid = page.getByRole('grid', { name: 'Monitors' })
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe(String(MONITORS + 1))
    await page.getByRole('button', { name: /^Team: / }).waitFor()
    await page.getByText(`${MONITORS} of ${MONITORS}`).waitFor()
    // Numbers in names are numbers, and rows that are not on the screen are no elements.
    expect((await namesOf(page)).filter((name) => name.startsWith('Kettle')).slice(0, 3)).toEqual([
      'Kettle 0',
      'Kettle 1',
      'Kettle 2',
    ])
    expect(await page.locator('[role=row]').count()).toBeLessThan(40)
    expect(watched.faults).toEqual([])
    expect(watched.strangers).toEqual([])
    expect(watched.asked.filter((path) => path.startsWith('/v1/')).length).toBeLessThanOrEqual(6)
    expect(await page.evaluate('Object.keys(localStorage).length + Object.keys(sessionStorage).length')).toBe(0)
    await page.context().close()
  })

  test('shows a stranger’s names as text, whatever they are', async () => {
    const { page, watched } = await opened('/?sort=created')
    const names = await namesOf(page)
    for (const name of HOSTILE) expect(names.slice(0, 4)).toContain(name)
    expect(await page.locator('[role=grid] img').count()).toBe(0)
    const links = await page.locator('[role=grid] a').evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    for (const link of links) expect(link).toMatch(/^\/monitors\/[0-9a-f-]{36}$/)
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('is used by keyboard alone: move, search, select, pause, open, and the keys themselves', async () => {
    const { page, watched } = await opened('/?sort=name')
    await page.keyboard.press('/')
    await page.keyboard.type('kettle 1')
    await page.waitForURL(/q=kettle\+1/)
    await page.getByText(/^27 of /).waitFor()
    await page.keyboard.press('Escape')
    expect(await page.getByRole('searchbox').inputValue()).toBe('kettle 1')
    for (const key of ['j', 'j', 'k']) await page.keyboard.press(key)
    await expect.poll(() => activeRow(page)).toBe('Kettle 10')
    await page.keyboard.press('End')
    await expect.poll(() => activeRow(page)).toBe('Kettle 115')
    await page.keyboard.press('Home')
    for (const key of ['Space', 'Shift+ArrowDown', 'Shift+ArrowDown']) await page.keyboard.press(key)
    await page.getByText('3 selected').waitFor()
    await page.getByRole('button', { name: 'Pause', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('Pause: 3 done.').waitFor()
    await page.getByRole('button', { name: /^Paused 3/ }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('grid').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Kettle 11' }).waitFor()
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('puts the focus on the heading of what is opened, the row one came from, and the next list', async () => {
    const { page, watched } = await opened('/?sort=name')
    const focus = () => page.evaluate('document.activeElement.tagName + " " + document.activeElement.innerText')
    await page.keyboard.press('Tab')
    await expect.poll(focus).toBe('A Skip to the content')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('screen')
    await page.getByRole('grid').focus()
    await page.keyboard.press('Home')
    for (let nth = 0; nth < 60; nth += 1) await page.keyboard.press('j')
    const row = await activeRow(page)
    expect(row).toMatch(/^Kettle /)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/monitors\//)
    await expect.poll(focus).toBe(`H1 ${row}`)
    await page.goBack()
    await expect.poll(() => activeRow(page)).toBe(row)
    await page.getByRole('link', { name: 'Changes', exact: true }).click()
    await expect.poll(focus).toBe('H1 Changes')
    await page.goBack()
    await expect.poll(() => activeRow(page)).toBe(row)
    await page.goto(`${dashboard.base}/?sort=name`)
    await page.getByRole('grid').focus()
    await page.getByRole('combobox', { name: 'Order' }).selectOption('-created')
    await page.waitForURL(/sort=-created/)
    await page.getByText(`${MONITORS} of ${MONITORS}`).waitFor()
    await page.getByRole('grid').focus()
    await page.goBack()
    await page.waitForURL(/sort=name/)
    await expect.poll(() => activeRow(page)).not.toBe(null)
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('undoes a chip, an order and a word that was searched for by the way back', async () => {
    const { page } = await opened('/')
    const search = () => page.evaluate('location.search')
    await page.getByRole('button', { name: /^Paused/ }).click()
    await expect.poll(search).toBe('?status=paused')
    await page.getByRole('button', { name: /^All/ }).click()
    await expect.poll(search).toBe('')
    await page.getByRole('combobox', { name: 'Order' }).selectOption('name')
    await expect.poll(search).toBe('?sort=name')
    for (const [letter, q] of [
      ['k', 'k'],
      ['e', 'ke'],
      ['t', 'ket'],
    ] as const) {
      await page.getByRole('searchbox').press(letter)
      await expect.poll(search).toBe(`?q=${q}&sort=name`)
    }
    for (const before of ['?sort=name', '', '?status=paused', '']) {
      await page.goBack()
      await expect.poll(search).toBe(before)
    }
    expect(await page.getByRole('searchbox').inputValue()).toBe('')
    await page.context().close()
  })

  test('keeps its filters in the address, so that a view is a link', async () => {
    const { page } = await opened('/?label=team%3Dshop&sort=-created')
    await page.getByText(/^11 of /).waitFor()
    await page.getByRole('button', { name: /^Paused/ }).click()
    await page.waitForURL(/status=paused&label=team%3Dshop&sort=-created/)
    await page.getByText('No monitor matches').waitFor()
    await page.getByRole('link', { name: 'Show all monitors' }).click()
    await page.getByText(`${MONITORS} of ${MONITORS}`).waitFor()
    await page.context().close()
  })

  test('reads the top of a list that is searched for from its end, and counts once its rows are there', async () => {
    const { page, watched } = await opened('/?sort=name')
    await page.getByRole('grid').focus()
    await page.keyboard.press('End')
    await page.getByText('Kettle 115', { exact: true }).waitFor()
    await page.getByRole('searchbox').fill('kettle')
    await page.getByText(`${MONITORS - HOSTILE.length} of ${MONITORS - HOSTILE.length}`).waitFor()
    const asked = watched.asked.filter((path) => path.startsWith('/v1/overview') && path.includes('q=kettle'))
    expect(asked[0]).toBe('/v1/overview?q=kettle&sort=name&page=1&limit=100')
    expect(asked.filter((path) => path.includes('page=2'))).toEqual([])
    await page.getByText('Kettle 0', { exact: true }).waitFor()
    await expect.poll(() => page.evaluate(`document.querySelector('[role=grid]').scrollTop`)).toBe(0)
    await expect.poll(() => page.getByRole('grid').getAttribute('aria-activedescendant')).toBe('row-0')
    await page.context().close()
  })

  test('shows a part of both values, however long one of them is', async () => {
    const monitor = { name: 'Kettle 11' }
    await giveChange(dashboard.api, monitor, { ...CHANGE, before: 'cheap', after: 'dear '.repeat(16) })
    const { page } = await opened('/?q=Kettle%2011')
    const widthOf = async (text: string) => (await page.locator('bdi', { hasText: text }).boundingBox())?.width ?? 0
    expect(await widthOf('cheap')).toBeGreaterThan(25)
    expect(await widthOf('dear')).toBeGreaterThan(50)
    await giveChange(dashboard.api, monitor, { ...CHANGE, before: 'cheap '.repeat(16), after: 'dear '.repeat(16) })
    await page.reload()
    await page.locator('bdi', { hasText: 'cheap cheap' }).waitFor()
    expect(await widthOf('cheap')).toBeGreaterThan(50)
    expect(await widthOf('dear')).toBeGreaterThan(50)
    await page.context().close()
  })

  test('does not say that nothing is watched while it reads what is', async () => {
    const { page } = await opened('/?sort=name')
    let answer = () => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/v1/overview?*', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(dashboard.base)
    await page.getByText('Loading…').waitFor()
    expect(await page.getByRole('heading', { name: 'Nothing is watched yet' }).count()).toBe(0)
    answer()
    await page.getByText(`${MONITORS} of ${MONITORS}`).waitFor()
    await page.context().close()
  })

  test('says what to do first where nothing is watched', async () => {
    const { page } = await dashboard.open('/', empty)
    await page.getByRole('heading', { name: 'Nothing is watched yet' }).waitFor()
    await page.context().close()
  })

  test('needs no more than 320 pixels, and its menus no style or script that the policy refuses', async () => {
    const { page, watched } = await opened('/', { width: 320 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    await page.getByRole('button', { name: /^You: / }).click()
    await page.getByRole('menuitemradio', { name: 'Dark' }).click()
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark')
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('leads a stranger to the sign-in, and a session that ends says so', async () => {
    const { page } = await dashboard.open('/?q=kettle', null)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(page.url()).toBe(`${dashboard.base}/sign-in?next=%2F%3Fq%3Dkettle`)
    await page.context().close()
    const { page: shown } = await opened('/')
    await shown.getByRole('button', { name: /^Team: / }).waitFor()
    await shown.getByText('updates every 15 s').waitFor({ state: 'detached' })
    await shown.context().clearCookies()
    // The stream begins again, and is refused.
    dashboard.api.app.server.closeAllConnections()
    await shown.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    await shown.context().close()
  })

  test('asks again when the server says so, and later each time where it only has an error', async () => {
    const { page } = await dashboard.open('/changes', owner)
    await page.getByRole('heading', { name: 'Changes' }).waitFor()
    const asked: number[] = []
    await page.route('**/v1/overview?*', async (route) => {
      asked.push(performance.now())
      if (asked.length > 2) return route.continue()
      const headers = asked.length === 1 ? { 'retry-after': '2' } : {}
      await route.fulfill({ status: asked.length === 1 ? 429 : 502, headers, body: 'of a proxy' })
    })
    await page.getByRole('link', { name: 'Monitors', exact: true }).click()
    await page.getByText(`${MONITORS} of ${MONITORS}`).waitFor()
    const [first = 0, second = 0, third = 0] = asked
    expect(second - first).toBeGreaterThanOrEqual(1_950)
    expect(third - second).toBeGreaterThanOrEqual(1_950)
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.context().close()
  })

  test('tells times by the clock of the server, however wrong that of the browser is', async () => {
    const { page } = await dashboard.open('/changes', owner)
    await page.clock.install({ time: Date.now() + 3 * 3_600_000 })
    await page.goto(`${dashboard.base}/?q=kettle+1&sort=name`)
    await page.getByRole('gridcell').first().waitFor()
    const times = () => page.getByRole('row', { name: 'Kettle 10' }).locator('time').allInnerTexts()
    await expect.poll(async () => (await times()).every((text) => !text.includes('hr'))).toBe(true)
    expect((await times()).length).toBeGreaterThan(0)
    await page.context().close()
  })

  test('loads at most 190 KB of code and styles', async () => {
    const page = await readFile(join(dashboard.built, 'index.html'), 'utf8')
    const paths = Array.from(page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g), ([, path = '']) => path)
    const sizes = await Promise.all(
      paths.map(async (path) => (await readFile(join(dashboard.built, `${path}.gz`))).length),
    )
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    console.log(`${(bytes / 1024).toFixed(1)} KB of code and styles until the list, compressed`)
    expect(bytes).toBeLessThan(190 * 1024)
    expect((await readdir(join(dashboard.built, 'assets'))).length).toBe(1)
  })
})
