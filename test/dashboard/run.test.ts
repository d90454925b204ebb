import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTextDiffer } from '../../runners/text-diff/text-differ.ts'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { SMALLEST } from '../support/api/monitor-body.ts'
import { seedDelivery, seedRun } from '../support/api/seeded-runs.ts'
import { describeIf } from '../support/run/skip.ts'
import { type Dashboard, hasBrowser, startDashboard } from './open-dashboard.ts'
import { refusalOf } from './refusal-of.ts'

const LINES = Array.from({ length: 40 }, (_, nth) => `Section ${nth + 1} of the terms of the bank.`)
const terms = (changes: Readonly<Record<number, string>>) =>
  LINES.map((line, nth) => changes[nth + 1] ?? line).join('\n')

const changed = (before: Record<string, unknown>, after: Record<string, unknown>) => ({
  extracted: after,
  diff: { fields_changed: Object.keys(after), before, after },
})

describeIf(hasBrowser, 'there is no embedded browser for this platform')('A run', () => {
  const differ = createTextDiffer()
  let dashboard: Dashboard
  let owner: CreatedOwner
  beforeAll(async () => {
    dashboard = await startDashboard({ differ })
    owner = await dashboard.api.owner({ plan: 'unlimited', serp: true })
  }, 60_000)
  afterAll(async () => {
    await dashboard[Symbol.asyncDispose]()
    await differ.close()
  })

  type Seeded = NonNullable<Parameters<typeof seedRun>[2]>
  async function monitorWith(name: string, runs: readonly Seeded[], collection = 'monitors', more: object = SMALLEST) {
    const { body } = await dashboard.api.call(owner.api_key, 'POST', `/v1/${collection}?paused=true`, { ...more, name })
    const ids: string[] = []
    // The first one is the oldest.
    for (const [nth, run] of runs.entries())
      ids.push(
        await seedRun(dashboard.api.services, String(body['id']), { age: `${runs.length - nth} minutes`, ...run }),
      )
    return { id: String(body['id']), ids, path: (run: number) => `/${collection}/${body['id']}/runs/${ids.at(run)}` }
  }
  async function opened(path: string, how?: { readonly width?: number; readonly as?: CreatedOwner }) {
    const found = await dashboard.open(path, how?.as ?? owner, how)
    await found.page.getByRole('heading', { name: /^Run of / }).waitFor()
    return found
  }
  const focused = (page: Page) => page.evaluate<string>('document.activeElement.innerText')
  const rowsOf = (page: Page, name: string) => page.getByRole('region', { name }).getByRole('row').allInnerTexts()

  test('says how it went and what differs by how much, and leads to the runs beside it', async () => {
    const kettle = await monitorWith('Kettle', [
      { extracted: { price: 20, sizes: ['S', 'M'] } },
      {
        ...changed({ price: 20, sizes: ['S', 'M'] }, { price: 15, sizes: ['M', 'L'] }),
        fetchMethod: 'browser',
        warnings: ['Two fields have no match.'],
      },
      { status: 'error', errorCode: 'blocked', errorMessage: 'The site refused. Try it with a browser.' },
    ])
    const { page, watched } = await opened(kettle.path(1))
    await page.getByRole('row', { name: /^price 20 15 -25 %$/ }).waitFor()
    await page.getByRole('row', { name: /^sizes 1 item gone S 1 item new L$/ }).waitFor()
    await page.getByText('in the browser').waitFor()
    await page.getByText('Two fields have no match.').waitFor()
    const readNewer = page.waitForResponse((answer) => answer.url().endsWith(`after=${kettle.ids.at(-1)}`))
    await page.getByRole('link', { name: 'Newer' }).click()
    await readNewer
    await page
      .getByRole('region', { name: 'Why it failed' })
      .getByText('The site refused. Try it with a browser.')
      .waitFor()
    await page.getByText('Nothing was sent: a failed run does not report a change.').waitFor()
    await page.getByRole('link', { name: 'Older' }).waitFor()
    const newer = page.getByRole('button', { name: 'Newer' })
    await expect.poll(() => refusalOf(newer)).toBe('There is no newer run.')
    expect(await page.getByRole('link', { name: 'Newer' }).count()).toBe(0)
    for (const nth of [1, 0]) {
      await page.getByRole('link', { name: 'Older' }).waitFor()
      await page.keyboard.press('[')
      await page.waitForURL(new RegExp(`${kettle.ids[nth]}$`))
    }
    await page.getByText('No value differs from the run before').waitFor()
    await page.getByRole('link', { name: 'Newer' }).waitFor()
    await page.keyboard.press(']')
    await page.waitForURL(new RegExp(`${kettle.ids[1]}$`))
    expect(watched.faults).toEqual([])
    expect(watched.strangers).toEqual([])
    await page.context().close()
  })

  test('shows texts by words or lines, beside each other or inline, and is read by keyboard', async () => {
    const [before, after] = [terms({}), terms({ 9: 'Section 9 of the rules of the bank.', 30: '' })]
    const bank = await monitorWith('Bank', [
      { extracted: { terms: before } },
      changed({ terms: before }, { terms: after }),
    ])
    const { page, watched } = await opened(bank.path(-1))
    await page.getByRole('region', { name: 'Text of terms' }).waitFor()
    const rows = await rowsOf(page, 'Text of terms')
    expect(rows[1]).toBe('5 lines are the same')
    expect(rows.filter((row) => /terms of the bank\.\s+9\s+.*rules of the bank/.test(row))).toHaveLength(1)
    await expect.poll(() => page.locator('ins').allInnerTexts()).toEqual(['rules'])
    for (const key of ['n', 'n', 'p']) await page.keyboard.press(key)
    await expect.poll(() => focused(page)).toMatch(/Section 9 of the terms[^]*Section 9 of the rules/)
    await page.getByText('Change 1 of 2').waitFor()
    await page.getByRole('button', { name: 'Lines' }).click()
    await page.getByRole('button', { name: 'Inline' }).click()
    await page.waitForURL(/by=lines&view=inline/)
    await expect.poll(() => page.locator('ins').first().innerText()).toBe('Section 9 of the rules of the bank.')
    await expect.poll(() => page.locator('del').first().innerText()).toBe('Section 9 of the terms of the bank.')
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('offers in the palette what its buttons do, with the reason where that is nothing', async () => {
    const lamp = await monitorWith('Lamp', [{ extracted: { price: 20 } }, changed({ price: 20 }, { price: 15 })])
    await dashboard.api.call(owner.session_token, 'POST', '/v1/changes/unseen', { run_id: lamp.ids[1] })
    const { page, watched } = await opened(lamp.path(1))
    await page.getByRole('row', { name: /^price 20 15 / }).waitFor()
    const choose = async (title: string) => {
      await page.keyboard.press('Control+k')
      await page.keyboard.type(title)
      await page.getByRole('menuitem', { name: title }).waitFor()
      await page.keyboard.press('Enter')
    }
    await choose('Next change of this run')
    await expect.poll(() => focused(page)).toMatch(/^price/)
    await page.keyboard.press('Control+k')
    await page.getByRole('menuitem', { name: 'Newer run' }).getByText('There is no newer run.').waitFor()
    await page.getByRole('menuitem', { name: 'Mark this change as seen' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await choose('Older run')
    await page.waitForURL(new RegExp(`${lamp.ids[0]}$`))
    await choose('Open the monitor of this run')
    await page.getByRole('heading', { name: 'Lamp' }).waitFor()
    // What a screen offered is gone with it.
    await page.keyboard.press('Control+k')
    await page.getByRole('menuitem', { name: 'Run now: Lamp' }).waitFor()
    expect(await page.getByRole('menuitem', { name: 'Older run' }).count()).toBe(0)
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('is compared with what the reader last saw, or with any run that changed', async () => {
    const shop = await monitorWith('Shop', [
      { extracted: { price: 1 } },
      changed({ price: 1 }, { price: 2 }),
      // What was found before somebody joined the team counts as seen.
      { ...changed({ price: 2 }, { price: 4 }), age: '0 s' },
      { ...changed({ price: 4 }, { price: 8 }), age: '0 s' },
    ])
    const { page, watched } = await opened(shop.path(-1))
    const choice = page.getByLabel('Compared with')
    await page.getByRole('row', { name: /^price 4 8 \+100 %$/ }).waitFor()
    await choice.selectOption('what I last saw')
    await page.getByRole('row', { name: /^price 2 8 \+300 %$/ }).waitFor()
    await page.getByRole('button', { name: 'Mark seen' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('e')
    await page.getByRole('button', { name: 'Mark seen' }).waitFor({ state: 'detached' })
    await page.reload()
    await page.getByText('You have seen this run already').waitFor()
    await choice.selectOption(shop.ids[2] ?? '')
    await page.getByRole('row', { name: /^price 4 8 / }).waitFor()
    await page.goto(`${dashboard.base + shop.path(-1)}?against=${shop.ids[0]}`)
    await page.getByRole('row', { name: /^price 1 8 \+700 %$/ }).waitFor()
    expect(watched.faults.filter((text) => !text.includes('404'))).toEqual([])
    await page.context().close()
  })

  test('shows deliveries with payload and answer, and sends failed ones again for who may', async () => {
    const told = await monitorWith('Sent', [
      { extracted: { a: 1 } },
      { ...changed({ a: 1 }, { a: 2 }), triggered: true },
    ])
    const answer = {
      status: 'failed',
      responseStatus: 400,
      responseBody: '<b>no</b>',
      payload: { deep: { in: ['<i>'] } },
    } as const
    await seedDelivery(dashboard.api.services, told.ids[1] ?? '', answer)
    const viewer = { ...owner, session_token: await dashboard.api.member(owner, 'viewer') }
    const reading = await opened(told.path(-1), { as: viewer })
    await expect.poll(() => reading.page.getByRole('button', { name: 'Send again' }).isDisabled()).toBe(true)
    await reading.page.context().close()
    const { page, watched } = await opened(told.path(-1))
    await page.getByText('answered 400').waitFor()
    await page.getByText('<b>no</b>').waitFor()
    for (const name of ['What was sent', 'deep:', 'in:']) {
      await page.locator('summary', { hasText: name }).focus()
      await page.keyboard.press('Enter')
    }
    await page.getByText('"<i>"').waitFor()
    await page.getByRole('button', { name: 'Send again' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('waits to be sent').waitFor()
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('of a search shows what moved, what is new and what is gone', async () => {
    const result = (position: number, domain: string) => ({
      position,
      title: `The <b>${domain}</b>`,
      domain,
      url: domain === 'evil.test' ? 'javascript:alert(1)' : `https://${domain}/`,
      description: null,
    })
    const search = { keyword: 'kettle', schedule_interval_seconds: 600, target_domain: 'shop.test' }
    const run = (...domains: string[]) => ({ results: domains.map((domain, nth) => result(nth + 1, domain)) })
    const found = await monitorWith(
      'Search',
      [
        run('old.test', 'a.test', 'shop.test'),
        { status: 'error' },
        { ...run('shop.test', 'a.test', 'evil.test'), rank: 1 },
      ],
      'serp-monitors',
      search,
    )
    const { page, watched } = await opened(found.path(-1))
    await page.getByRole('row', { name: /^1 ▲ 2 up The <b>shop\.test<\/b>.*watched$/ }).waitFor()
    await page.getByRole('row', { name: /^2 same/ }).waitFor()
    await page.getByRole('row', { name: /^3 new The <b>evil\.test/ }).waitFor()
    await page.getByText('was at 1').waitFor()
    const links = await page.locator('section a').evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    expect(links).toEqual(['https://shop.test/', 'https://a.test/', 'https://old.test/'])
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('shows what strangers wrote as text, cut where it is long, with a way to see the rest', async () => {
    const deep = JSON.parse(`${'{"in":'.repeat(1_000)}0${'}'.repeat(1_000)}`)
    const hostile = (mark: number) => ({
      markup: `<img src=x onerror=alert(${mark})>`,
      bidi: `\u{202E}evil\u{200B}${mark}`,
      line: `${'w '.repeat(500_000)}${mark}`,
      deep: { mark, deep },
      ...Object.fromEntries(Array.from({ length: 196 }, (_, nth) => [`field ${nth}`, `${mark} <script>${nth}`])),
    })
    const evil = await monitorWith('Evil', [{ extracted: hostile(0) }, changed(hostile(0), hostile(1))])
    const { page, watched } = await opened(evil.path(-1))
    await page.getByRole('region', { name: 'Text of line' }).waitFor({ timeout: 50_000 })
    expect(await page.locator('article img, article script').count()).toBe(0)
    expect(await page.locator('*').count()).toBeLessThan(4_000)
    // What differs is the last character of a megabyte.
    expect(await page.getByRole('region', { name: 'Text of line' }).locator('ins').innerText()).toBe('1')
    const characters = () => page.evaluate<number>('document.querySelector("article").textContent.length')
    expect(await characters()).toBeLessThan(60_000)
    // A megabyte is shown in parts, each at one press.
    await page
      .getByRole('button', { name: /^Show 100,000 more characters of 1,000,001$/ })
      .first()
      .click()
    await expect.poll(characters).toBeGreaterThan(100_000)
    expect(await characters()).toBeLessThan(180_000)
    await page.keyboard.press('n')
    await page.getByText(/^Change \d+ of \d+$/).waitFor()
    expect(watched.faults).toEqual([])
    expect(watched.strangers).toEqual([])
    await page.context().close()
  })

  test('of another team is none, that of a deleted monitor is shown, and 320 pixels are enough', async () => {
    const other = await dashboard.api.owner()
    const text = `${'w'.repeat(300)} `
    const wide = await monitorWith(text.slice(0, 200), [
      {},
      changed({ [text.slice(0, 90)]: text }, { [text.slice(0, 90)]: `${text}2` }),
    ])
    const { page: none } = await dashboard.open(wide.path(-1), other)
    await none.getByText('There is no such thing in this team.').first().waitFor()
    await none.context().close()
    const { page } = await opened(wide.path(-1), { width: 320 })
    await page.getByRole('region', { name: /^Text of / }).waitFor()
    await expect.poll(() => page.evaluate('document.querySelector("article").scrollWidth')).toBe(320)
    await dashboard.api.call(owner.api_key, 'DELETE', `/v1/monitors/${wide.id}`)
    await page.reload()
    await page.getByText('a deleted monitor').waitFor()
    await page.getByRole('region', { name: /^Text of / }).waitFor()
    await page.context().close()
  })

  test('loads at most 70 KB of code and styles beside those of the list', async () => {
    const kettle = await monitorWith('Small', [changed({ a: 1 }, { a: 2 })])
    const { page: list, watched: before } = await dashboard.open('/', owner)
    await list.getByRole('gridcell').first().waitFor()
    const { page, watched } = await opened(kettle.path(-1))
    const paths = watched.asked.filter((path) => path.startsWith('/assets/') && !before.asked.includes(path))
    const sizes = await Promise.all(
      paths.map(async (path) => (await readFile(join(dashboard.built, `${path}.gz`))).length),
    )
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    console.log(`${(bytes / 1024).toFixed(1)} KB of code and styles for a run, compressed`)
    expect(paths.some((path) => path.includes('run-page'))).toBe(true)
    expect(bytes).toBeLessThan(70 * 1024)
    for (const each of [list, page]) await each.context().close()
  })
})
