import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPolicy } from '../../egress/policy.ts'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { SMALLEST } from '../support/api/monitor-body.ts'
import { html, openSite } from '../support/network/site.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'
import { type RunningWorker, startWorker } from '../support/worker/check-worker.ts'
import { type Dashboard, hasBrowser, startDashboard } from './open-dashboard.ts'

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The changes of all monitors', () => {
  let dashboard: Dashboard
  let worker: RunningWorker
  let site: Awaited<ReturnType<typeof openSite>>
  let owner: CreatedOwner
  const call = (method: 'GET' | 'POST', path: string, body?: object) =>
    dashboard.api.call(owner.api_key, method, path, body)

  async function run(id: string, price: string): Promise<void> {
    site.answer(html(`<b class="price">${price}</b>`))
    const { body } = await call('POST', `/v1/monitors/${id}/run`)
    await eventually(
      async () => (await call('GET', `/v1/runs/${body['run_id']}`)).body['status'],
      (status) => status === 'success',
    )
  }

  beforeAll(async () => {
    dashboard = await startDashboard({ egress: createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] }) })
    site = await openSite()
    worker = await startWorker({ url: dashboard.api.databaseUrl, secrets: dashboard.api.services.secrets })
    owner = await dashboard.api.owner({ plan: 'unlimited' })
    for (const name of ['Kettle', '<img src=x onerror=alert(1)>']) {
      const extract_config = { method: 'css', fields: { price: '.price' } }
      const { body } = await call('POST', '/v1/monitors?paused=true', {
        ...SMALLEST,
        name,
        url: site.url,
        extract_config,
      })
      for (const price of ['$20.00', '$15.00', '$18.00']) await run(String(body['id']), price)
    }
  }, 60_000)
  afterAll(async () => {
    await worker.stop(5_000)
    await site[Symbol.asyncDispose]()
    await dashboard[Symbol.asyncDispose]()
  })

  const opened = async (path: string, how?: { readonly width: number }) => {
    const found = await dashboard.open(path, owner, how)
    await found.page.getByRole('listitem').first().waitFor()
    return found
  }

  test('stand there with what was before and after, by how much, and why nothing was sent', async () => {
    const { page, watched } = await opened('/changes')
    await expect.poll(() => page.getByRole('listitem').count()).toBe(4)
    const rows = await page.getByRole('listitem').allInnerTexts()
    expect(rows[0]).toMatch(/<img src=x onerror=alert\(1\)>[^]*price[^]*\$15\.00[^]*→[^]*\$18\.00[^]*\+20 %/)
    expect(rows[3]).toMatch(/Kettle[^]*\$20\.00[^]*\$15\.00[^]*[-−]25 %[^]*The monitor had no destination\./)
    expect(await page.getByRole('list').locator('img').count()).toBe(0)
    expect(watched.faults).toEqual([])
    expect(watched.strangers).toEqual([])
    await page.context().close()
  })

  test('are read by keyboard alone: move, mark as seen and unseen, open, and go back', async () => {
    const { page, watched } = await opened('/changes')
    const unseen = page.getByRole('img', { name: 'unseen' })
    for (const key of ['j', 'e']) await page.keyboard.press(key)
    // A mark counts for the older changes of its monitor.
    await expect.poll(() => unseen.count()).toBe(2)
    await page.getByRole('link', { name: 'Changes 1 not seen', exact: true }).waitFor()
    await expect.poll(() => page.title()).toBe('(1) Changes – Tidemark')
    await page.keyboard.press('u')
    await expect.poll(() => unseen.count()).toBe(3)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/monitors\/[0-9a-f-]+\/runs\/[0-9a-f-]+$/)
    await page.getByRole('columnheader', { name: 'Before' }).waitFor()
    await page.goBack()
    await page.getByRole('listitem').first().waitFor()
    expect(watched.faults).toEqual([])
    await page.context().close()
  })

  test('have one row a monitor where they are grouped, and none once all are seen', async () => {
    const { page } = await opened('/changes')
    await page.getByRole('button', { name: 'By monitor' }).click()
    await page.waitForURL(/group=monitor/)
    await expect.poll(() => page.getByRole('listitem').count()).toBe(2)
    await page.getByRole('button', { name: 'Mark all seen' }).click()
    await expect.poll(() => page.getByRole('img', { name: 'unseen' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Changes', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Unseen', exact: true }).click()
    await page.getByRole('paragraph').getByText('You have seen every change.').waitFor()
    await page.context().close()
  })

  test('need no more than 320 pixels', async () => {
    const { page } = await opened('/changes', { width: 320 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320)
    await page.context().close()
  })
})
