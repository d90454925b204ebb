import { writeFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { configurationOf } from '../../../cli/check/configuration.ts'
import type { CheckOptions } from '../../../cli/check/options.ts'
import { runCheck } from '../../../cli/check/run-check.ts'
import { createPolicy } from '../../../egress/policy.ts'
import type { Browsers } from '../../../runners/browser/browsers.ts'
import { createPreviews } from '../../../worker/previews/previews.ts'
import { testBrowsers } from '../../support/browser/test-browsers.ts'
import { unpaidWork } from '../../support/database/spend-run.ts'
import { openSite, type Site, status } from '../../support/network/site.ts'

vi.setConfig({ testTimeout: 60_000 })

const OPEN = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
const PROSE = 'There is enough to read here before any script has run. '.repeat(20)
const CSS: CheckOptions = { css: ['price=.price'], json: true }

let site: Site
let browsers: Browsers

beforeAll(async () => {
  site = await openSite({ otherwise: status(404) })
  browsers = testBrowsers()
  const script = `<script>document.querySelector('#root').innerHTML = '<b class="price">made</b>'</script>`
  site.page('/shell', `<!doctype html><div id="root"></div>${script}`)
  site.page('/complete', `<!doctype html><p>${PROSE}</p><div id="root"><b class="price">sent</b></div>${script}`)
})

afterAll(async () => {
  await browsers.close()
  await site[Symbol.asyncDispose]()
})

/** What `tidemark check` prints, as the object that it is with `--json`. */
async function check(path: string, options: CheckOptions, browser?: Browsers): Promise<unknown> {
  let out = ''
  const output = { io: process, form: 'json' as const, out: (text: string) => void (out += text), err: () => {} }
  await runCheck(
    await configurationOf(process, [site.origin + path], options, OPEN),
    OPEN,
    output,
    browser ? { browser } : {},
  )
  return JSON.parse(out)
}

test('tidemark check renders a page that needs it, and none that does not', async () => {
  expect(await check('/shell', CSS, browsers)).toMatchObject({ fetch_method: 'browser', fields: { price: 'made' } })
  expect(await check('/complete', CSS, browsers)).toMatchObject({ fetch_method: 'static', fields: { price: 'sent' } })
})

test('tidemark check --browser renders any page', async () => {
  const shown = await check('/complete', { ...CSS, browser: true }, browsers)
  expect(shown).toMatchObject({ fetch_method: 'browser', http_status: 200, fields: { price: 'made' } })
})

test('tidemark check --wait-for waits for what comes late; a wrong selector is refused', async () => {
  const late = `setTimeout(() => { root.innerHTML = '<b class="price">late</b>' }, 2500)`
  site.page('/late', `<!doctype html><p>${PROSE}</p><div id="root"></div><script>${late}</script>`)
  const shown = await check('/late', { ...CSS, waitFor: '.price' }, browsers)
  expect(shown).toMatchObject({ fetch_method: 'browser', fields: { price: 'late' }, warnings: [] })
  expect(await check('/late', { ...CSS, browser: true }, browsers)).toMatchObject({
    fields: { price: null },
    warnings: [expect.stringMatching(/^The field "price" has no match on the page\. Its rule/)],
  })
  await expect(check('/late', { ...CSS, waitFor: 'b[' })).rejects.toThrow(
    '--wait-for is not a CSS selector that can run',
  )
  await expect(check('/late', { jsonPath: ['a=$.a'], waitFor: 'b' })).rejects.toThrow('--wait-for')
})

test('without a browser at hand --browser says so; a page that would need one is read as it came', async () => {
  expect(await check('/shell', { ...CSS, browser: true })).toMatchObject({ error_code: 'not_available' })
  expect(await check('/shell', CSS)).toMatchObject({ fetch_method: 'static', fields: { price: null } })
})

test('--browser beside --monitor is refused: the monitor says it itself', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-check-'))
  const monitor = join(folder, 'monitor.json')
  await writeFile(monitor, '{}')
  await expect(configurationOf(process, [], { monitor, browser: true }, OPEN)).rejects.toThrow('fetch_mode')
  await rm(folder, { recursive: true })
})

test('a preview renders as a run does', async () => {
  const previews = createPreviews({ egress: OPEN, browser: browsers })
  const slot = previews.enter('a team')
  if (slot.kind !== 'place') throw new Error('no slot')
  const shown = await slot.run(unpaidWork('a team'), {
    url: `${site.origin}/shell`,
    extract_config: { method: 'css', fields: { price: '.price' } },
    fetch_mode: 'auto',
    request_config: null,
    request_headers: null,
    visual_config: null,
  })
  slot.leave()
  await previews.close()
  const preview = { status: 'success', fetch_method: 'browser', fields: { price: 'made' } }
  expect(shown).toMatchObject({ kind: 'done', preview })
})
