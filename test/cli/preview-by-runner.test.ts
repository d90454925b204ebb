import { expect, test, vi } from 'vitest'
import type { Preview } from '../../schema/monitor/preview.ts'
import { scriptedPage } from '../support/network/scripted-page.ts'
import { html, openSite, type Site, status } from '../support/network/site.ts'
import { openRunnerInstallation } from '../support/process/runner-installation.ts'
import { eventually } from '../support/run/eventually.ts'
import { shared } from '../support/run/shared.ts'

// Processes and browsers start.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const installation = shared(openRunnerInstallation)

const preview = (site: Site, more: object = {}) =>
  installation.api<Preview>('POST', '/v1/monitors/preview', {
    url: site.url,
    fetch_mode: 'browser',
    extract_config: { method: 'css', fields: { price: '.price' } },
    ...more,
  })
const waiting = () => installation.rows('select no from asked_work')
const used = async () => {
  const [row] = await installation.rows<{ used: number }>('select runs_used::float8 as used from team_usage')
  return row?.used
}

test('without a runner, a page that needs a browser is refused at once, and another one is previewed', async () => {
  await using site = await openSite()
  expect(await preview(site)).toMatchObject({ status: 'error', error_code: 'not_available' })
  expect(await preview(site, { fetch_mode: 'auto' })).toMatchObject({ fields: { price: '$1' }, fetch_method: 'static' })
})

test('an API without a browser previews what a runner renders, with how it was fetched', async () => {
  await using site = await openSite()
  site.answer(scriptedPage('$7'))
  await using _runner = await installation.runner('renders')
  const before = await used()
  const sandboxed = async () => /^tidemark_browser_sandboxed (.*)$/m.exec(await installation.metrics())?.[1]
  expect(await sandboxed()).toBeUndefined()
  const shown = await preview(site, { request_headers: { 'x-key': 'mine' } })
  expect(shown).toMatchObject({
    ...{ status: 'success', fields: { price: '$7' }, fetch_method: 'browser', fetch_reason: 'configured' },
    ...{ http_status: 200, content_type: expect.stringContaining('text/html'), error_code: null },
  })
  expect(shown.bytes).toBeGreaterThan(50)
  expect(shown.duration_ms).toBeGreaterThanOrEqual((shown.fetch_ms ?? 0) + (shown.extract_ms ?? 0))
  expect(site.requests.some(({ headers }) => headers['x-key'] === 'mine')).toBe(true)
  expect([await used(), await waiting()]).toEqual([(before ?? 0) + 1, []])
  // The worker shows it: nothing reaches the metrics of a runner pod.
  expect(await sandboxed()).toBe('1')
  // The API fetches first, and finds a page without its text.
  expect(await preview(site, { fetch_mode: 'auto' })).toMatchObject({
    ...{ fields: { price: '$7' }, fetch_method: 'browser', fetch_reason: 'needs_scripts' },
  })
  // It reads the text, and finds no match: a script writes what the rule selects.
  const text = '<p>There is enough to read here before any script has run.</p>'.repeat(20)
  const scripts = `<script>document.body.insertAdjacentHTML('beforeend', '<b class="price">$9</b>')</script>`
  site.answer(html(text + scripts))
  const missing = { fields: { price: '$9' }, fetch_method: 'browser', fetch_reason: 'no_match' }
  expect(await preview(site, { fetch_mode: 'auto' })).toMatchObject(missing)
  site.answer(scriptedPage('$7'))
  const regions = [{ selector: '.price' }, { selector: '#none', label: 'None' }]
  expect(await preview(site, { visual_config: { enabled: true, regions } })).toMatchObject({
    ...{ fields: { price: '$7' }, warnings: ['The region "None" was not found on the page; its picture is empty.'] },
  })
  site.answer(status(404))
  expect(await preview(site)).toMatchObject({ status: 'error', error_code: 'http_status', http_status: 404 })
})

/** Begins a preview of a page that hangs, which one of two runners has claimed. */
async function hanging(site: Site) {
  site.answer(() => {})
  const names = ['holds', 'takes-over']
  const runners = new Map(
    await Promise.all(names.map(async (name) => [name, await installation.runner(name)] as const)),
  )
  const shown = preview(site)
  await eventually(
    () => site.requests.length,
    (count) => count > 0,
  )
  const [row] = await installation.rows<{ job: string }>(
    'select job from asked_work a join runner_tokens k on k.id = a.holder',
  )
  const holder = runners.get(row?.job ?? '')
  if (!holder) throw new Error('no runner has the preview')
  return { shown, holder, end: () => Promise.all([...runners.values()].map((one) => one[Symbol.asyncDispose]())) }
}

test('a preview whose runner is killed is done by another one', async () => {
  await using site = await openSite()
  const { shown, holder, end } = await hanging(site)
  site.answer(scriptedPage('$8'))
  holder.signal('SIGKILL')
  expect(await shown).toMatchObject({ status: 'success', fields: { price: '$8' } })
  await end()
})
