import { gunzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { findUnreadPage, sweepUnreadPages } from '../../../store/objects/unread-pages.ts'
import {
  googlePage,
  HOOK,
  openSearchedEngines,
  REFUSAL,
  resultUrls,
  type SearchedEngines,
} from '../../support/browser/searched-engines.ts'
import { changeMonitors } from '../../support/database/change-monitors.ts'
import type { RunningWorker } from '../../support/worker/check-worker.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let serp: SearchedEngines
let worker: RunningWorker
let team: string
beforeAll(async () => {
  serp = await openSearchedEngines()
  worker = await serp.work({ country: 'us' })
})
beforeEach(async () => {
  team = await serp.database.team()
})
afterEach(() => serp.reset())
afterAll(() => serp[Symbol.asyncDispose]())

describe('a check of a search', () => {
  test('stores each organic result; without a snippet, its description is null', async () => {
    serp.answer(() => googlePage(['https://a.example/x', { url: 'https://b.example/', title: 'B', description: null }]))
    const run = await serp.check(await serp.add(team, { target: 'b.example' }))
    expect(run).toMatchObject({ status: 'success', fetch_method: 'browser', error_message: null })
    expect(run.organic_results).toEqual([
      {
        ...{ position: 1, title: 'About https://a.example/x', url: 'https://a.example/x', domain: 'a.example' },
        description: 'A snippet.',
      },
      { position: 2, title: 'B', url: 'https://b.example/', domain: 'b.example', description: null },
    ])
    expect(run).toMatchObject({ target_rank: 2, rank_delta: null, delivery_triggered: false })
    expect(run).toMatchObject({ ai_overview_present: false, featured_snippet_present: false })
    expect(run.serp_check).toMatchObject({
      outcome: 'ok',
      source: 'engine',
      pages: 1,
      country: 'exact',
      is_guess: false,
    })
    expect(run.serp_check?.late_ms).toBeGreaterThanOrEqual(0)
  })

  test('of rank_tracking without a target stores the list, and has no rank to send', async () => {
    serp.answer(() => googlePage(resultUrls(3)))
    const no = await serp.add(team, { mode: 'rank_tracking', target: null, threshold: 1, deliveries: [HOOK] })
    const first = await serp.check(no)
    expect(first).toMatchObject({ status: 'success', target_rank: null, rank_delta: null, ai_overview_present: false })
    expect(first.organic_results).toHaveLength(3)
    serp.answer(() => googlePage(resultUrls(2)))
    const next = await serp.check(no)
    expect(next).toMatchObject({ target_rank: null, rank_delta: null, delivery_triggered: false })
    expect(next.organic_results).toHaveLength(2)
  })

  test('follows the own next link of the engine; positions run on, and a repeated URL is counted once', async () => {
    serp.answer((query) =>
      query.get('start') === '10'
        ? googlePage(['https://site-2.example/page', 'https://site-3.example/page'])
        : googlePage(resultUrls(2), '/search?q=shoes&start=10&from=page'),
    )
    const run = await serp.check(await serp.add(team, { pages: 2, mode: 'full_analysis' }))
    expect(run.organic_results?.map(({ position, domain }) => [position, domain])).toEqual([
      [1, 'site-1.example'],
      [2, 'site-2.example'],
      [3, 'site-3.example'],
    ])
    expect(serp.asked.at(-1)?.searchParams.get('from')).toBe('page')
    expect(await serp.database.usage(team)).toMatchObject({ runs_used: 2 })
  })

  test('carries the results in both modes; in full_analysis rank and delta are null', async () => {
    serp.answer(() => googlePage(resultUrls(3)))
    const run = await serp.check(await serp.add(team, { mode: 'full_analysis' }))
    expect(run.organic_results).toHaveLength(3)
    expect(run).toMatchObject({ target_rank: null, rank_delta: null })
    expect(run).not.toHaveProperty('ai_overview_present')
  })

  test('that is equal to the previous one stores its results once, and shows them again', async () => {
    serp.answer(() => googlePage(resultUrls(3)))
    const no = await serp.add(team, { mode: 'full_analysis', deliveries: [HOOK] })
    const first = await serp.check(no)
    const second = await serp.check(no)
    expect(second.organic_results).toEqual(first.organic_results)
    expect(second.delivery_triggered).toBe(false)
    const stored = await serp.database.runs(no)
    expect(stored.map((run) => run.organic_results === null)).toEqual([false, true])
  })

  test('that is equal to one of an earlier month stores its results again: months are dropped', async () => {
    serp.answer(() => googlePage(resultUrls(3)))
    const no = await serp.add(team, { mode: 'full_analysis', deliveries: [HOOK] })
    const first = await serp.check(no)
    await serp.database.setClock('32 days')
    expect(await serp.check(no)).toMatchObject({ organic_results: first.organic_results, delivery_triggered: false })
    await serp.check(no)
    const stored = await serp.database.runs(no)
    expect(stored.map((run) => run.organic_results !== null)).toEqual([true, true, false])
    expect(stored[2]?.reading_id).toBe(stored[1]?.id)
  })

  test('for another country than that of the exit says that its country is approximate', async () => {
    serp.answer(() => googlePage(resultUrls(1)))
    const no = await serp.add(team)
    await changeMonitors(serp.database, no, { locationCode: 'de' })
    expect((await serp.check(no)).serp_check).toMatchObject({ country: 'approximate' })
  })
})

describe('rank_tracking', () => {
  test('fires when the rank moved by the threshold; the payload has the block serp and an empty diff', async () => {
    const no = await serp.add(team, { target: 'site-5.example', threshold: 3, deliveries: [HOOK] })
    serp.answer(() => googlePage(resultUrls(6)))
    await serp.check(no)
    serp.answer(() => googlePage([...resultUrls(2), 'https://site-5.example/page', ...resultUrls(2, 3)]))
    expect(await serp.check(no)).toMatchObject({ target_rank: 3, rank_delta: 2, delivery_triggered: false })
    serp.answer(() => googlePage([...resultUrls(4), 'https://x.example', 'https://site-5.example/page']))
    expect(await serp.check(no)).toMatchObject({ target_rank: 6, rank_delta: -3, delivery_triggered: true })
    const [payload] = await serp.payloads(no)
    expect(payload).toMatchObject({
      version: '2026-05-01',
      diff: { fields_changed: [], before: {}, after: {} },
      serp: { keyword: 'shoes', target_domain: 'site-5.example', rank: 6, previous_rank: 3, rank_delta: -3 },
      monitor: { name: 'S', url: expect.stringMatching(/^https:\/\/www\.google\.com\/search\?q=shoes&/) },
    })
  })

  test('says that it fired where there is no destination, too', async () => {
    const no = await serp.add(team, { target: 'site-1.example' })
    serp.answer(() => googlePage(resultUrls(3)))
    expect(await serp.check(no)).toMatchObject({ fired: false, delivery_triggered: false })
    serp.answer(() => googlePage(resultUrls(3, 2)))
    expect(await serp.check(no)).toMatchObject({ fired: true, delivery_triggered: false })
    serp.answer(() => REFUSAL)
    expect(await serp.check(no)).toMatchObject({ status: 'error', fired: false })
  })

  test('fires when the domain leaves and when it enters again; a rank that is not listed is null', async () => {
    const no = await serp.add(team, { target: 'site-1.example', deliveries: [HOOK] })
    serp.answer(() => googlePage(resultUrls(3)))
    await serp.check(no)
    serp.answer(() => googlePage(resultUrls(3, 2)))
    expect(await serp.check(no)).toMatchObject({ target_rank: null, rank_delta: null, delivery_triggered: true })
    serp.answer(() => googlePage(resultUrls(3)))
    expect(await serp.check(no)).toMatchObject({ target_rank: 1, delivery_triggered: true })
    expect((await serp.payloads(no)).map((payload) => payload.serp)).toMatchObject([
      { rank: null, previous_rank: 1, rank_delta: null },
      { rank: 1, previous_rank: null, rank_delta: null },
    ])
  })
})

describe('full_analysis', () => {
  test('fires on any change of rank, title, description or domain, with both lists', async () => {
    const no = await serp.add(team, { mode: 'full_analysis', deliveries: [HOOK] })
    serp.answer(() => googlePage([{ url: 'https://a.example/1', description: null }, 'https://b.example/']))
    await serp.check(no)
    serp.answer(() =>
      googlePage([{ url: 'https://a.example/1', title: 'New', description: null }, 'https://b.example/']),
    )
    expect(await serp.check(no)).toMatchObject({ delivery_triggered: true })
    const [payload] = await serp.payloads(no)
    expect(payload?.diff).toEqual({ fields_changed: [], before: {}, after: {} })
    expect(payload?.serp_analysis).toMatchObject({
      keyword: 'shoes',
      results: [
        { rank: 1, title: 'New', description: '', domain: 'https://a.example/' },
        { rank: 2, domain: 'https://b.example/' },
      ],
      previous_results: [{ rank: 1, title: 'About https://a.example/1' }, { rank: 2 }],
    })
  })
})

describe('an engine that refuses', () => {
  test('gives a blocked run, is not asked again, and its page is stored nowhere', async () => {
    const no = await serp.add(team, { deliveries: [HOOK] })
    serp.answer(() => googlePage(resultUrls(3)))
    await serp.check(no)
    serp.asked.length = 0
    serp.answer(() => REFUSAL)
    const run = await serp.check(no)
    expect(run).toMatchObject({
      status: 'error',
      error_code: 'blocked',
      organic_results: [],
      delivery_triggered: false,
    })
    expect(run.serp_check).toMatchObject({ outcome: 'blocked', source: null, pages: 0 })
    expect(serp.asked).toHaveLength(1)
    expect(JSON.stringify(await serp.database.runs(no))).not.toContain('captcha-form"')
    expect(await Array.fromAsync(serp.objects.names())).toEqual([])

    const second = await serp.check(no)
    expect(second).toMatchObject({ status: 'error', error_code: 'blocked', fetch_method: null })
    expect(second.error_message).toMatch(/^Google refused earlier checks as automated and is left alone until 20/)
    expect(second.serp_check).toMatchObject({ outcome: 'left_alone' })
    expect(serp.asked).toHaveLength(1)
    expect(await serp.database.usage(team)).toMatchObject({ runs_used: 2 })
  })

  test('is asked again when the time is over; the baseline is still the one before the refusals', async () => {
    const no = await serp.add(team, { mode: 'full_analysis', deliveries: [HOOK] })
    serp.answer(() => googlePage(resultUrls(3)))
    await serp.check(no)
    serp.answer(() => REFUSAL)
    await serp.check(no)
    await serp.database.setClock('16 minutes')
    serp.answer(() => googlePage(resultUrls(3)))
    expect(await serp.check(no)).toMatchObject({ status: 'success', delivery_triggered: false })
    expect(await serp.database.query('select from serp_engines')).toEqual([])
  })

  test('on a later page leaves the pages before it, costs all, and fires only by what both checks cover', async () => {
    const no = await serp.add(team, { mode: 'full_analysis', pages: 2, deliveries: [HOOK] })
    const second = (page: string | typeof REFUSAL) =>
      serp.answer((query) => (query.has('start') ? page : googlePage(resultUrls(2), '/search?q=shoes&start=10')))
    second(googlePage(resultUrls(2, 3)))
    await serp.check(no)
    second(REFUSAL)
    const short = await serp.check(no)
    expect(short).toMatchObject({ status: 'success', delivery_triggered: false })
    expect(short.organic_results).toHaveLength(2)
    expect(short.serp_check).toMatchObject({ pages: 1, cut_by: 'blocked' })
    expect(short.warnings).toEqual(['A later page was refused. The results are those of the pages before it.'])
    expect(await serp.database.usage(team)).toMatchObject({ runs_used: 4 })
    expect(await serp.database.query('select engine from serp_engines')).toEqual([{ engine: 'google' }])
    // The check before the short one is still what the next one is compared with.
    await serp.database.setClock('20 minutes')
    second(googlePage(resultUrls(2, 4)))
    expect(await serp.check(no)).toMatchObject({ delivery_triggered: true })
  })
})

test('a change that a shorter check has sent is sent once, however often a later page fails', async () => {
  const no = await serp.add(team, { mode: 'full_analysis', pages: 2, deliveries: [HOOK] })
  let isDown = false
  let first = resultUrls(2)
  serp.answer((query) => {
    if (!query.has('start')) return googlePage(first, '/search?q=shoes&start=10')
    return isDown ? { status: 503, html: '<title>x</title>down' } : googlePage(resultUrls(2, 3))
  })
  await serp.check(no)
  isDown = true
  first = resultUrls(2).toReversed()
  expect(await serp.check(no)).toMatchObject({ delivery_triggered: true, serp_check: { cut_by: 'engine_error' } })
  expect(await serp.check(no)).toMatchObject({ delivery_triggered: false })
  expect(await serp.check(no)).toMatchObject({ delivery_triggered: false })
  isDown = false
  expect(await serp.check(no)).toMatchObject({ delivery_triggered: false, serp_check: { cut_by: null } })
  isDown = true
  first = resultUrls(2)
  expect(await serp.check(no)).toMatchObject({ delivery_triggered: true })
  // The way back is told too, although the last full check before has the same list.
  isDown = false
  first = resultUrls(2).toReversed()
  expect(await serp.check(no)).toMatchObject({ delivery_triggered: true, serp_check: { cut_by: null } })
})

describe('other outcomes', () => {
  test('an error of the engine fails the run, and the engine is not left alone', async () => {
    serp.answer(() => ({ status: 503, html: '<title>x</title>down' }))
    const run = await serp.check(await serp.add(team))
    expect(run).toMatchObject({ status: 'error', error_code: 'http_status', serp_check: { outcome: 'engine_error' } })
    expect(await serp.database.query('select from serp_engines')).toEqual([])
  })

  test('an unknown page is never "not listed": it fails, tells the operator, and is kept for seven days', async () => {
    const no = await serp.add(team, { target: 'site-1.example', deliveries: [HOOK] })
    serp.answer(() => googlePage(resultUrls(1)))
    await serp.check(no)
    serp.answer(() => '<!doctype html><title>x</title><body><p>A page of another kind.</p>')
    const run = await serp.check(no)
    expect(run).toMatchObject({ status: 'error', delivery_triggered: false, serp_check: { outcome: 'unparsed' } })
    expect(await serp.payloads(no)).toEqual([])
    expect(worker.log.join('')).toContain('its layout may have changed')
    expect(await serp.registry.metrics()).toMatch(/tidemark_serp_checks_total\{engine="google",outcome="unparsed"\} 1/)
    const { store } = serp.database
    const page = await findUnreadPage({ store, objects: serp.objects }, 'google')
    expect(gunzipSync(page ?? '').toString()).toContain('A page of another kind.')
    await serp.database.setClock('7 days 1 minute')
    await sweepUnreadPages({ store, objects: serp.objects })
    expect(await Array.fromAsync(serp.objects.names())).toEqual([])
  })

  test('a list whose way on is unknown has not ended: it fires nothing, tells the operator, and is kept', async () => {
    const no = await serp.add(team, { target: 'site-12.example', pages: 2, deliveries: [HOOK] })
    let link = '<a id="pnnext" href="/search?q=shoes&start=10">Next</a>'
    serp.answer((query) =>
      query.has('start') ? googlePage(resultUrls(5, 11)) : `${googlePage(resultUrls(10))}${link}`,
    )
    expect(await serp.check(no)).toMatchObject({ target_rank: 12 })
    link = '<a class="another-name" href="/search?q=shoes&start=10">Next</a>'
    const run = await serp.check(no)
    expect(run).toMatchObject({ status: 'success', target_rank: null, delivery_triggered: false })
    expect(run).toMatchObject({ serp_check: { outcome: 'ok', cut_by: 'unparsed', pages: 1 } })
    expect(run.warnings).toHaveLength(1)
    expect(await serp.registry.metrics()).toMatch(/tidemark_serp_cut_total\{engine="google",reason="unparsed"\} 1/)
    const { store } = serp.database
    const page = await findUnreadPage({ store, objects: serp.objects }, 'google')
    expect(gunzipSync(page ?? '').toString()).toContain('another-name')
    // Each run has the warning, and the log says it once.
    expect((await serp.check(no)).warnings).toHaveLength(1)
    expect(worker.log.join('').split('or the way to it, was not recognized')).toHaveLength(2)
    link = '<a id="pnnext" href="/search?q=shoes&start=10">Next</a>'
    expect(await serp.check(no)).toMatchObject({ target_rank: 12, delivery_triggered: false })
  })

  test('a list whose layout is unknown is shown as a guess, and fires nothing', async () => {
    const no = await serp.add(team, { mode: 'full_analysis', deliveries: [HOOK] })
    serp.answer(() => googlePage(resultUrls(6)))
    await serp.check(no)
    const other = resultUrls(6, 2).map((url) => `<section><a href="${url}"><h4>${url}</h4></a><p>words</p></section>`)
    serp.answer(() => `<!doctype html><title>x</title><body><main>${other.join('')}</main>`)
    const run = await serp.check(no)
    expect(run).toMatchObject({ status: 'success', delivery_triggered: false, serp_check: { is_guess: true } })
    expect(run.warnings.join(' ')).toContain('fire no alert')
    serp.answer(() => googlePage(resultUrls(6)))
    expect(await serp.check(no)).toMatchObject({ delivery_triggered: false, serp_check: { is_guess: false } })
  })

  test('nothing found is a success with an empty list, and the target has left', async () => {
    const no = await serp.add(team, { target: 'site-1.example', deliveries: [HOOK] })
    serp.answer(() => googlePage(resultUrls(2)))
    await serp.check(no)
    serp.answer(
      () =>
        '<!doctype html><title>x</title><body><div id="topstuff"><div class="card-section"><p role="heading">' +
        'Your search did not match any documents.</p></div></div>',
    )
    const run = await serp.check(no)
    expect(run).toMatchObject({ status: 'success', organic_results: [], serp_check: { outcome: 'zero' } })
    expect(run).toMatchObject({ target_rank: null, delivery_triggered: true })
  })
})
