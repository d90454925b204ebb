import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { changeMonitors } from '../support/database/change-monitors.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'
import { type LookingDashboard, startLooking } from './looking.ts'
import { look, shows, watch } from './making.ts'
import { hasBrowser } from './open-dashboard.ts'

// A browser starts, and each look opens a page in it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const SHOP = '<!doctype html><h1>Kettle</h1><b class="price">$19.99</b>'

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The form of a monitor', () => {
  let looking: LookingDashboard
  beforeAll(async () => {
    looking = await startLooking()
  })
  afterAll(() => looking[Symbol.asyncDispose]())

  const call = (method: 'GET' | 'POST', path: string, body?: object) =>
    looking.dashboard.api.call(looking.owner.api_key, method, path, body)
  async function made(path: string, more: object = {}): Promise<string> {
    const { body } = await call('POST', '/v1/monitors', {
      name: 'Kettle',
      url: looking.site.page(path, SHOP),
      schedule_interval_seconds: 3_600,
      extract_config: { method: 'css', fields: { price: '.price' } },
      diff_predicate: { type: 'any_field_changes' },
      ...more,
    })
    return String(body['id'])
  }
  const opened = (path: string) => looking.dashboard.open(path, looking.owner)

  test('of a manifest shows who declares it, and its manifest, and saves nothing', async () => {
    const id = await made('/declared')
    await changeMonitors(looking.dashboard.api, id, { managedBy: 'file' })
    const { page } = await opened(`/monitors/${id}/edit`)
    await page.getByText('A file declares this monitor. Edit it there').waitFor()
    await page.getByRole('region', { name: 'As code' }).getByRole('button', { name: 'Show' }).click()
    await page.getByRole('region', { name: 'Manifest' }).getByText('name: kettle').first().waitFor()
    expect(await page.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0)
    expect(await page.getByRole('textbox').count()).toBe(0)
    await page.context().close()
  })

  test('has the picture of the last run beside that of the look, to point again', async () => {
    const id = await made('/pictured', { fetch_mode: 'browser', visual_config: { enabled: true } })
    await eventually(
      () => call('GET', `/v1/monitors/${id}/runs?status=success`),
      ({ body }) => (body['data'] as unknown as object[]).length === 1,
    )
    const { page } = await opened(`/monitors/${id}/edit?again=price`)
    const isShown = (img: unknown) => (img as { readonly naturalWidth: number }).naturalWidth
    await expect.poll(() => page.getByAltText('The page as it was then').evaluate(isShown)).toBe(1_280)
    await expect.poll(() => page.getByRole('application').locator('img').evaluate(isShown)).toBe(1_280)
    await page.context().close()
  })

  test('begins with a template, whose rule is tried on the page', async () => {
    const { page } = await opened('/new')
    await page.getByRole('button', { name: /^Any page, by CSS selector/ }).click()
    await look(page, looking.site.page('/template', SHOP))
    await shows(page, 'Kettle')
    const { monitor, stored } = await watch(page, looking)
    expect(monitor['template_slug']).toMatch(/css/)
    expect(Object.values(stored as object)).toEqual(['Kettle'])
    await page.context().close()
  })
})
