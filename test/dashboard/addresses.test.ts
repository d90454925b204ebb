import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { SMALLEST } from '../support/api/monitor-body.ts'
import { describeIf } from '../support/run/skip.ts'
import { type Dashboard, hasBrowser, startDashboard } from './open-dashboard.ts'
import { startPlainProxy, startSecureProxy } from './proxies.ts'

const LIMIT = 5
const POLLS = 'updates every 15 s'

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The dashboard at an address', () => {
  let dashboard: Dashboard
  let owner: CreatedOwner
  let kettle: string
  const call = (method: 'GET' | 'POST', path: string, body?: object) =>
    dashboard.api.call(owner.api_key, method, path, body)
  beforeAll(async () => {
    dashboard = await startDashboard()
    owner = await dashboard.api.owner({ plan: 'unlimited' })
    kettle = String((await call('POST', '/v1/monitors?paused=true', { ...SMALLEST, name: 'Kettle' })).body['id'])
  })
  afterAll(() => dashboard[Symbol.asyncDispose]())

  async function signIn(page: Page): Promise<void> {
    await page.getByLabel('Email address').fill(owner.email)
    await page.getByLabel('Password').fill(String(owner.password))
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('gridcell').first().waitFor()
  }
  const shows = (page: Page, state: string) => page.getByRole('row', { name: 'Kettle' }).getByText(state).waitFor()
  const act = (action: 'pause' | 'resume') => call('POST', `/v1/monitors/${kettle}/${action}`)

  test.each(['127.0.0.1', 'localhost'])('%s is signed in to, and used', async (host) => {
    const base = dashboard.base.replace('127.0.0.1', host)
    const { page, watched } = await dashboard.open('/?sort=name', null, { base })
    await signIn(page)
    expect(page.url()).toBe(`${base}/?sort=name`)
    await page.getByText(POLLS).waitFor({ state: 'detached' })
    await act('resume')
    await shows(page, 'First check')
    await page.keyboard.press('p')
    await page.getByText('Pause: 1 done.').waitFor()
    expect(watched.faults).toEqual([])
    expect(watched.strangers).toEqual([])
    await page.context().close()
  })

  test('behind a reverse proxy with https has a secure cookie, and its events come through', async () => {
    const keeping = { all: false }
    let port = 0
    await using proxy = await startSecureProxy(() => port, keeping)
    const base = `https://127.0.0.1:${proxy.port}`
    const there = await dashboard.serveAs(base)
    port = there.port
    const context = { ignoreHTTPSErrors: true }
    const { page, watched } = await dashboard.open('/', null, { base, context })
    await signIn(page)
    const cookies = await page.context().cookies()
    const session = cookies.find(({ name }) => name.endsWith('session_token'))
    expect(session).toMatchObject({ name: '__Host-tidemark.session_token', secure: true, httpOnly: true })
    await page.getByText(POLLS).waitFor({ state: 'detached' })
    await act('resume')
    await shows(page, 'First check')
    expect(watched.faults).toEqual([])
    // A proxy that keeps everything back: nothing comes, though the answer has begun.
    keeping.all = true
    await page.clock.install()
    await page.reload()
    await page.getByRole('gridcell').first().waitFor()
    await expect.poll(() => there.streams()).toBe(1)
    await act('pause')
    await page.getByText(POLLS).waitFor()
    await page.clock.fastForward(15_000)
    await shows(page, 'Paused')
    await page.getByText(POLLS).waitFor()
    await page.context().close()
  })

  test('of plain http has a stream a tab up to five, then asks every 15 seconds, and copies by selecting', async () => {
    const base = 'http://watch.example'
    const there = await dashboard.serveAs(base)
    await using proxy = await startPlainProxy(() => there.port)
    const context = { proxy: { server: `http://127.0.0.1:${proxy.port}` } }
    const { page, watched } = await dashboard.open(`/monitors/${kettle}`, owner, { base, context })
    expect(await page.evaluate('[isSecureContext, "locks" in navigator, "clipboard" in navigator]')).toEqual([
      false,
      false,
      false,
    ])
    const manifest = page.getByRole('region', { name: 'As code' })
    await manifest.getByRole('button', { name: 'Show' }).click()
    await manifest.getByRole('button', { name: 'Copy' }).click()
    await page.getByText('It is selected: copy it with').waitFor()
    await expect.poll(() => page.evaluate('getSelection().toString()')).toContain('name: Kettle')
    // Another stream begins for its monitor. It would find no place once all are taken.
    await expect.poll(() => watched.asked.some((path) => path.includes('/v1/events?watch='))).toBe(true)
    for (let streams = 1; streams < LIMIT; streams += 1) {
      // The stream before may still hold a place.
      await expect.poll(() => there.streams()).toBe(streams)
      await (await page.context().newPage()).goto(`${base}/changes`)
    }
    await expect.poll(() => there.streams()).toBe(LIMIT)
    const last = await page.context().newPage()
    await last.clock.install()
    const refused = last.waitForResponse((answer) => answer.url().includes('/v1/events') && answer.status() === 429)
    await last.goto(`${base}/`)
    await refused
    await last.getByText(POLLS).waitFor()
    await last.getByRole('gridcell').first().waitFor()
    await act('resume')
    await page.getByText('First check').waitFor()
    await last.clock.fastForward(15_000)
    await shows(last, 'First check')
    await last.getByText(POLLS).waitFor()
    expect(await page.getByText(POLLS).count()).toBe(0)
    // Browsers say that they heed this header on https and on the own machine alone.
    expect(watched.faults.filter((fault) => !fault.startsWith('The Cross-Origin-Opener-Policy header'))).toEqual([])
    await page.context().close()
  })
})
