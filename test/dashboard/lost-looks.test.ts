import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Look } from '../../schema/monitor/look.ts'
import { html } from '../support/network/site.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'
import { type LookingDashboard, startLooking } from './looking.ts'
import { look, press, SHOP, shows, watch } from './making.ts'
import { hasBrowser } from './open-dashboard.ts'

// A browser starts, and is killed.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const isOfBrowser = (headers: object) => 'sec-fetch-dest' in headers

describeIf(hasBrowser, 'there is no embedded browser for this platform')('Looks that wait or are lost', () => {
  let looking: LookingDashboard
  beforeAll(async () => {
    looking = await startLooking()
  })
  afterAll(() => looking[Symbol.asyncDispose]())

  const opened = () => looking.dashboard.open('/new', looking.owner)

  test('say that the browser was killed, and keep the form for the next look', async () => {
    const { page, watched } = await opened()
    const url = looking.site.page('/killed', SHOP)
    await look(page, url)
    await press(page, 'Kettle')
    await shows(page, 'Kettle')
    await page.getByLabel('Name', { exact: true }).fill('Mine')
    const rule = page.getByLabel(/^Rule of /)
    expect(await rule.inputValue()).toBe('h1')
    let killed = 0
    looking.site.page('/killed', (response, request, nth) => {
      if (!isOfBrowser(request.headers)) return html(SHOP)(response, request, nth)
      killed += 1
      response.writeHead(200, { 'content-type': 'text/html' }).write('<p>Begun</p>')
      looking.browsers.current()?.kill()
    })
    await page.getByRole('button', { name: 'Look again' }).click()
    const said = page.getByText('In a browser: The page crashed the browser')
    await said.getByText('The browser ended while it showed the page, twice.').waitFor()
    expect(await said.innerText()).toContain('Look again to try it once more.')
    // It is tried once more by itself.
    expect(killed).toBe(2)
    expect(await rule.inputValue()).toBe('h1')
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Mine')
    await shows(page, 'Kettle')
    looking.site.page('/killed', SHOP)
    await page.getByRole('button', { name: 'Look again' }).click()
    await press(page, 'Kettle')
    const { monitor, stored } = await watch(page, looking)
    expect(monitor['name']).toBe('Mine')
    expect(Object.values(stored as object)).toEqual(['Kettle'])
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('of one team are made two at once, and a third has to wait', async () => {
    const pages = await Promise.all([opened(), opened(), opened()])
    const waiting: (() => void)[] = []
    const held = (path: string, name: string) =>
      looking.site.page(path, (response, request, nth) => {
        const answer = () => html(`<!doctype html><h1>${name}</h1>`)(response, request, nth)
        if (isOfBrowser(request.headers)) waiting.push(answer)
        else answer()
      })
    const names = ['Cup', 'Pot', 'Tea']
    const start = async (nth: number) => {
      const { page } = pages[nth] ?? { page: null }
      await page?.getByLabel('Address').fill(held(`/${names[nth]}`, names[nth] ?? ''))
      await page?.keyboard.press('Enter')
    }
    await start(0)
    await start(1)
    await expect.poll(() => waiting.length).toBe(2)
    await start(2)
    const third = pages[2]?.page
    await third
      ?.getByRole('alert')
      .getByText(/^At most 2 .* Try again in \d+ s\.$/)
      .waitFor()
    for (const answer of waiting.splice(0)) answer()
    for (const nth of [0, 1]) {
      const tree = pages[nth]?.page.getByRole('tree', { name: 'Elements of the page' })
      await tree
        ?.getByText(names[nth] ?? '')
        .first()
        .waitFor()
    }
    expect(await third?.getByLabel('Address').inputValue()).toMatch(/Tea$/)
    await third?.getByRole('button', { name: 'Look', exact: true }).click()
    await expect.poll(() => waiting.length).toBe(1)
    for (const answer of waiting.splice(0)) answer()
    await third?.getByRole('tree', { name: 'Elements of the page' }).getByText('Tea').first().waitFor()
    for (const { page } of pages) await page.context().close()
  })

  test('of ten teams at once end with the page of each', async () => {
    const { api } = looking.dashboard
    const owners = await Promise.all(Array.from({ length: 10 }, () => api.owner({ plan: 'unlimited' })))
    const shown = await Promise.all(
      owners.map(async ({ api_key: key }, nth) => {
        const url = looking.site.page(`/of-team-${nth}`, `<!doctype html><h1>Team ${nth}</h1>`)
        const ask = () => api.call(key, 'POST', '/v1/looks', { url })
        const refused = ({ status, body }: Awaited<ReturnType<typeof ask>>) =>
          status === 429 ? String((body['error'] as { code?: string } | undefined)?.code) : null
        const { status, body } = await eventually(ask, (answer) => refused(answer) !== 'RATE_LIMIT_EXCEEDED')
        expect(status).toBe(200)
        return (body as unknown as Look).elements.map(({ text }) => text)
      }),
    )
    expect(shown.map((texts) => new Set(texts))).toEqual(owners.map((_, nth) => new Set([`Team ${nth}`])))
  })
})
