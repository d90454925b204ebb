import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPolicy } from '../../egress/policy.ts'
import type { Browsers } from '../../runners/browser/browsers.ts'
import type { CreatedOwner } from '../../store/accounts/accounts.ts'
import { createFolderStore } from '../../store/objects/folder-store.ts'
import { SMALLEST } from '../support/api/monitor-body.ts'
import { testBrowsers } from '../support/browser/test-browsers.ts'
import { html, openSite } from '../support/network/site.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { eventually } from '../support/run/eventually.ts'
import { describeIf } from '../support/run/skip.ts'
import { type RunningWorker, startWorker } from '../support/worker/check-worker.ts'
import { type Dashboard, hasBrowser, startDashboard } from './open-dashboard.ts'

describeIf(hasBrowser, 'there is no embedded browser for this platform')('The pictures of a run', () => {
  let dashboard: Dashboard
  let worker: RunningWorker
  let browsers: Browsers
  let site: Awaited<ReturnType<typeof openSite>>
  let owner: CreatedOwner
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let path = ''
  const call = (method: 'GET' | 'POST', address: string, body?: object) =>
    dashboard.api.call(owner.api_key, method, address, body)

  beforeAll(async () => {
    folder = await temporaryFolder()
    const objects = createFolderStore(folder.path)
    dashboard = await startDashboard({
      egress: createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] }),
      objects,
    })
    browsers = testBrowsers()
    const { databaseUrl: url, services } = dashboard.api
    worker = await startWorker({ url, secrets: services.secrets, browsers, objects, rendersPages: true })
    site = await openSite()
    owner = await dashboard.api.owner({ plan: 'unlimited' })
    const monitor = { ...SMALLEST, url: site.url, visual_config: { enabled: true } }
    const { id } = (await call('POST', '/v1/monitors?paused=true', monitor)).body
    for (const height of [300, 500]) {
      site.answer(
        html(`<style>b { display: block; height: ${height}px; background: #06c }</style><b class="price">1</b>`),
      )
      const { run_id: run } = (await call('POST', `/v1/monitors/${id}/run`)).body
      await eventually(
        async () => (await call('GET', `/v1/runs/${run}`)).body['status'],
        (status) => status === 'success',
      )
      path = `/monitors/${id}/runs/${run}`
    }
  }, 120_000)
  afterAll(async () => {
    await worker.stop(5_000)
    await browsers.close()
    await site[Symbol.asyncDispose]()
    await dashboard[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  test('stand beside those before, over them up to a line that arrow keys move, and as what differs', async () => {
    const { page, watched } = await dashboard.open(path, owner)
    const pictures = page.getByRole('region', { name: 'Pictures' })
    await pictures.getByRole('img', { name: 'After' }).waitFor()
    const loaded = () =>
      pictures
        .locator('img')
        .evaluateAll((all) =>
          Promise.all(all.map((img) => (img as unknown as { decode(): Promise<void> }).decode().then(() => true))),
        )
    await expect.poll(loaded).toEqual([true, true])
    // The base address of the service may be another name of this server.
    const paths = await pictures.locator('img').evaluateAll((all) => all.map((img) => img.getAttribute('src')))
    for (const address of paths) expect(address).toMatch(/^\/v1\/images\//)
    await pictures.getByRole('button', { name: 'Slider' }).focus()
    await page.keyboard.press('Enter')
    const slider = pictures.getByRole('slider')
    await slider.focus()
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft']) await page.keyboard.press(key)
    await expect.poll(() => slider.inputValue()).toBe('51')
    await pictures.getByRole('button', { name: 'Differences' }).click()
    await pictures.getByRole('img', { name: 'Differences in red' }).waitFor()
    await expect.poll(loaded).toEqual([true])
    await page.waitForURL(/pictures=differences/)
    expect(watched.faults).toEqual([])
    expect(watched.strangers).toEqual([])
    await page.context().close()
  })
})
