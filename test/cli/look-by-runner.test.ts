import { expect, test, vi } from 'vitest'
import type { Look, LookExtracted } from '../../schema/monitor/look.ts'
import { scriptedPage } from '../support/network/scripted-page.ts'
import { openSite, type Site } from '../support/network/site.ts'
import { openRunnerInstallation } from '../support/process/runner-installation.ts'
import { shared } from '../support/run/shared.ts'

// Processes and browsers start.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const installation = shared(openRunnerInstallation)
const look = (site: Site) =>
  installation.api<Look>('POST', '/v1/looks', { url: site.url, request_headers: { 'x-key': 'mine' } })

test('without a runner, a look has the page as it is fetched, and says that nobody renders it', async () => {
  await using site = await openSite()
  const { picture, documents } = await look(site)
  expect(picture).toBeNull()
  expect(documents).toMatchObject({ fetched: { is_there: true }, rendered: { error_code: 'not_available' } })
})

test('an API without a browser shows what a runner renders', async () => {
  await using site = await openSite()
  site.answer(scriptedPage('$7'))
  await using _runner = await installation.runner('looks')
  const shown = await look(site)
  expect(shown).toMatchObject({ width: 1280, needs_browser: true, documents: { rendered: { is_there: true } } })
  const price = shown.elements.findLast(({ text }) => text === '$7')
  expect(price).toMatchObject({ unreadable: null, path: expect.any(Array) })
  expect((await fetch(shown.picture ?? '')).headers.get('content-type')).toBe('image/png')
  const rules = { extract_config: { method: 'css', fields: { price: '.price' } } }
  const { rendered } = await installation.api<LookExtracted>('POST', `/v1/looks/${shown.id}/extract`, rules)
  expect(rendered).toMatchObject({ fields: { price: '$7' }, matches: { price: { count: 1 } } })
  expect(rendered?.matches['price']?.elements.map((at) => shown.elements[at]?.text)).toEqual(['$7'])
  expect(await installation.rows('select no from asked_work')).toEqual([])
  expect(
    site.requests.every(({ headers }) => headers['x-key'] === 'mine' || headers['sec-fetch-dest'] !== 'document'),
  ).toBe(true)
})
