import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { toApiNames } from '../../core/custom-resource/names.ts'
import type { Browsers } from '../../runners/browser/browsers.ts'
import { MonitorCreate, type MonitorSpec } from '../../schema/monitor/monitor.ts'
import { SerpMonitorCreate, type SerpMonitorSpec } from '../../schema/serp/serp-monitor.ts'
import { checkerOf } from '../../schema/validation/validate.ts'
import { createMonitor } from '../support/api/monitor-requests.ts'
import { endedRuns, runNow, startWatching, type Watching } from '../support/api/watching.ts'
import { googlePage, openSearchedEngines, type SearchedEngines } from '../support/browser/searched-engines.ts'
import { testBrowsers } from '../support/browser/test-browsers.ts'
import { pdfOf, tableOf, textAt } from '../support/documents/files.ts'
import { type Answer, html, openSite, type Site } from '../support/network/site.ts'

// Some pages are opened in a browser, on a machine that does other things besides.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const FOLDER = new URL('../../examples/cookbook/', import.meta.url).pathname
const NAMES = readdirSync(FOLDER).map((file) => file.replace('.yaml', ''))

interface Recipe {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: object
}
const recipeOf = (name: string) => parse(readFileSync(join(FOLDER, `${name}.yaml`), 'utf8')) as Recipe
const definitionOf = ({ kind }: Recipe) => (kind === 'Monitor' ? MonitorCreate : SerpMonitorCreate)
const configurationOf = (recipe: Recipe) => toApiNames(definitionOf(recipe), recipe.spec) as object

const as =
  (type: string, text: string): Answer =>
  (response) =>
    response.writeHead(200, { 'content-type': type }).end(text)
const json = (value: unknown) => as('application/json', JSON.stringify(value))
const page = (body: string) => html(`<!doctype html><title>A page</title><body>${body}`)
const price = (text: string, more = '') => page(`<h1>Thing</h1><b class="price">${text}</b>${more}`)
const offer = (text: string) => page(`<b itemprop="price">${text}</b>`)
const stated = (amount: string, availability: string) =>
  page(`<script type="application/ld+json">{"@type":"Product","name":"Lamp","offers":{"price":${amount},
    "availability":"https://schema.org/${availability}"}}</script>`)
const stock = (text: string) => page(`<p class="availability">${text}</p>`)
const left = (count: number) => page(`<p>Hurry: only ${count} left in our shop.</p>`)
const coin = (usd: number) => json({ market: { usd } })
const status = (indicator: string, description: string) => json({ status: { indicator, description } })
const release = (tag: string, body: string) => json({ tag_name: tag, body })
const advisories = (...found: readonly (readonly [string, string])[]) =>
  json({ advisories: found.map(([id, severity]) => ({ id, severity })) })
const sums = (hash: string, date: string) =>
  as('text/plain', `# ${date}\n${'0'.repeat(64)}  installer-arm64.tar.gz\n${hash.repeat(64)}  installer-x64.tar.gz\n`)
const jobs = (...titles: readonly string[]) =>
  page(`<ul>${titles.map((title) => `<li class="job"><h3>${title}</h3></li>`).join('')}</ul>`)
const links = (...paths: readonly string[]) =>
  page(`<ul>${paths.map((path) => `<li class="job"><a href="${path}">A job</a></li>`).join('')}</ul>`)
const offers = (...titles: readonly string[]) =>
  page(titles.map((title) => `<div class="offer"><h3>${title}</h3></div>`).join(''))
const lots = (...titles: readonly string[]) =>
  page(titles.map((title) => `<div class="lot"><h3>${title}</h3></div>`).join(''))
const notices = (...lines: readonly string[]) => page(`<pre id="notices">\n${lines.join('\n')}\n</pre>`)
const feed = (...titles: readonly string[]) =>
  as(
    'application/rss+xml',
    `<rss version="2.0"><channel><title>Harbour</title>${titles
      .map((title) => `<item><title>${title}</title></item>`)
      .join('')}</channel></rss>`,
  )
const sitemap = (...paths: readonly string[]) =>
  as(
    'application/xml',
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths
      .map((path) => `<url><loc>https://competitor.example.com/${path}</loc></url>`)
      .join('')}</urlset>`,
  )
/** One product a page. */
const catalogue =
  (...names: readonly string[]): Answer =>
  (response, request, nth) => {
    const at = Number(new URL(request.url ?? '', 'http://site').searchParams.get('page')) - 1
    json({ products: names.slice(at, at + 1).map((name) => ({ name })) })(response, request, nth)
  }
/** Says the number only to the query that the recipe sends. */
const orders =
  (totalCount: number): Answer =>
  (response, request, nth) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const isAsked = request.method === 'POST' && body.includes('orders(state: OPEN)')
      json(isAsked ? { data: { orders: { totalCount } } } : { errors: [] })(response, request, nth)
    })
  }
const terms = (days: number, viewed: string) =>
  page(`<nav>Menu ${viewed}</nav><p>Returns are free for ${days} days.</p><p>Viewed on ${viewed}</p>`)
const rendered = (text: string) => page(`<b id="price"></b><script>document.all.price.textContent='${text}'</script>`)
const look = (colour: string, time: string) =>
  page(`<style>main{height:300px;background:${colour}}</style><main><i class="clock">${time}</i></main>`)

const bytes =
  (body: Buffer): Answer =>
  (response) =>
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(body)
const workbook = (...rows: readonly (readonly [sku: string, price: number])[]) =>
  bytes(tableOf('Prices', [['SKU', 'Price'], ...rows]))
/** Three pages with their numbers. */
const edition = (year: number, days: string) =>
  bytes(
    pdfOf({
      pages: [1, 2, 3].map((number) =>
        textAt([
          [72, 700, `Delivery takes ${days} days, part ${'abc'[number - 1]}.`],
          [72, 40, `Edition ${year}, page ${number} of 3`],
        ]),
      ),
    }),
  )
const calendar = (stamp: number, ...summaries: readonly string[]) =>
  as(
    'text/calendar',
    ['BEGIN:VCALENDAR', ...summaries.map((text, at) => eventOf(text, at, stamp)), 'END:VCALENDAR', ''].join('\r\n'),
  )
const eventOf = (summary: string, at: number, stamp: number) =>
  ['BEGIN:VEVENT', `UID:${at}`, `DTSTAMP:2026113${stamp}T100000Z`, 'DTSTART:20261224T100000Z', `SUMMARY:${summary}`]
    .concat('END:VEVENT')
    .join('\r\n')

/** What the page says at first, then without a message, and then with one. */
const CHANGES: Readonly<Record<string, readonly [first: Answer, silent: Answer, loud: Answer]>> = {
  'price-drop': [price('$100.00'), price('$95.01', '<p>An advert</p>'), price('$90.25')],
  'price-target': [offer('$599'), offer('$500'), offer('$499.99')],
  'stated-price': [stated('129.00', 'InStock'), stated('126', 'InStock'), stated('126', 'OutOfStock')],
  'price-list': [
    workbook(['K-8', 5], ['K-9', 19.9]),
    workbook(['K-7', 4], ['K-8', 6], ['K-9', 19.9]),
    workbook(['K-9', 18]),
  ],
  'terms-pdf': [edition(2025, 'two'), edition(2026, 'two'), edition(2026, 'three')],
  'harbour-calendar': [calendar(0, 'Market'), calendar(1, 'Market'), calendar(1, 'Market', 'Concert')],
  'back-in-stock': [stock('Sold out'), stock('Back on 3 May'), stock('In stock, ready to ship')],
  'few-left': [left(12), left(5), left(4)],
  tickets: [
    json({ on_sale: false, cheapest: { amount: 120 } }),
    json({ on_sale: true, cheapest: { amount: 95 } }),
    json({ on_sale: true, cheapest: { amount: 79.5 } }),
  ],
  'exchange-rate': [json({ rates: { USD: 1.08 } }), json({ rates: { USD: 1.1 } }), json({ rates: { USD: 1.1001 } })],
  'coin-swing': [coin(1000), coin(1049), coin(996)],
  'status-page': [
    status('none', 'All systems operational'),
    status('none', 'All good'),
    status('major', 'Payments are down'),
  ],
  'new-release': [release('v1.0', 'First'), release('v1.0', 'First, spelled better'), release('v1.1', 'Second')],
  'security-advisories': [
    advisories(['A-1', 'high'], ['A-2', 'critical']),
    advisories(['A-2', 'critical'], ['A-3', 'low']),
    advisories(['A-2', 'critical'], ['A-3', 'low'], ['A-4', 'high']),
  ],
  'download-checksum': [sums('a', '1 May'), sums('a', '2 May'), sums('b', '2 May')],
  'job-listings': [
    jobs('Cook', 'Software Engineer'),
    jobs('Pilot', 'Software Engineer'),
    jobs('Pilot', 'Site engineer', 'Software Engineer'),
  ],
  'jobs-never-shown': [
    links('/1', '/sponsored/1', '/2'),
    links('/sponsored/2', '/2', '/2'),
    links('/2', '/1', '/3', '/sponsored/3'),
  ],
  'lines-in-any-order': [
    as('text/plain', 'Made at 10:00\n10.0.0.0/8\n2001:db8::/32\n'),
    as('text/plain', 'Made at 11:00\n2001:db8::/32\n10.0.0.0/8\n10.0.0.0/8\n'),
    as('text/plain', 'Made at 12:00\n2001:db8::/32\n'),
  ],
  'news-feed': [feed('Storm', 'Ferry', 'Fog'), feed('Storm', 'Ferry'), feed('Whale seen', 'Storm', 'Ferry')],
  'new-pages': [sitemap('', 'about'), sitemap('about', ''), sitemap('', 'about', 'pricing')],
  catalogue: [catalogue('Kettle', 'Pot'), catalogue('Pot', 'Kettle'), catalogue('Pot', 'Kettle', 'Urn')],
  'planning-notices': [
    notices('3 Harbour Street: a shed', '1 Mill Road: a fence'),
    notices('9 Mill Road: a wall', '3 Harbour Street: a shed'),
    notices('9 Mill Road: a wall', '3 Harbour Street: a shed', '5 HARBOUR SQUARE: two flats'),
  ],
  'lots-sold': [lots('Chair', 'Lamp'), lots('Clock', 'Lamp', 'Chair'), lots('Clock', 'Lamp')],
  'queue-length': [orders(12), orders(100), orders(101)],
  'terms-of-service': [terms(30, '1 May'), terms(30, '2 May'), terms(14, '2 May')],
  'rendered-price': [rendered('$20'), rendered(' $20 '), rendered('$18')],
  'chat-message': [price('$40'), price('$40', '<p>An advert</p>'), price('$45')],
  'daily-digest': [offers('Pan'), offers('Pan'), offers('Pan', 'Urn')],
  'page-look': [look('#fff', '10:00'), look('#fff', '10:01'), look('#c00', '10:02')],
}

const SEARCHES = NAMES.filter((name) => recipeOf(name).kind === 'SerpMonitor')

describe('The cookbook', () => {
  test('has at least twenty recipes, and this test runs each', () => {
    expect(NAMES.length).toBeGreaterThanOrEqual(20)
    expect(NAMES.toSorted()).toEqual([...Object.keys(CHANGES), ...SEARCHES].sort())
    expect(SEARCHES).toEqual(['rank-loss', 'search-list'])
  })

  test.each(NAMES)('%s is named like its file, and valid', (name) => {
    const recipe = recipeOf(name)
    expect(recipe.metadata).toEqual({ name })
    expect(checkerOf(definitionOf(recipe)).validate(configurationOf(recipe))).toMatchObject({ ok: true })
  })
})

describe('A recipe for pages', () => {
  let watching: Watching
  let site: Site
  let browsers: Browsers
  beforeAll(async () => {
    browsers = testBrowsers()
    site = await openSite()
    watching = await startWatching({ browsers, pictures: true })
  })
  afterAll(async () => {
    await watching.close()
    await site[Symbol.asyncDispose]()
    await browsers.close()
  })

  test.each(Object.entries(CHANGES))('%s is silent, and then tells', async (name, [first, silent, loud]) => {
    const path = `/${name}`
    const me = watching.served.me
    const { id } = await createMonitor(me, { ...configurationOf(recipeOf(name)), url: site.page(path, first) })
    expect(await endedRuns(me, id, 1)).toMatchObject([{ status: 'success', delivery_triggered: false }])
    site.page(path, silent)
    expect(await runNow(me, id)).toMatchObject({ status: 'success', delivery_triggered: false, error_message: null })
    site.page(path, loud)
    expect(await runNow(me, id)).toMatchObject({ status: 'success', delivery_triggered: true })
    const { body } = await me.get('/v1/deliveries?limit=1')
    expect(body.data).toMatchObject([{ monitor_id: id }])
  })
})

describe('A recipe for searches', () => {
  let engines: SearchedEngines
  beforeAll(async () => {
    engines = await openSearchedEngines()
    await engines.work()
  })
  afterAll(() => engines[Symbol.asyncDispose]())

  const found = (...hosts: readonly string[]) => googlePage(hosts.map((host) => `https://${host}.example.com/kettles`))
  const CASES = [
    ['rank-loss', found('shop', 'a', 'b', 'c'), found('a', 'shop', 'b', 'c'), found('a', 'b', 'c', 'd', 'shop')],
    ['search-list', found('a', 'b'), found('a', 'b'), found('a', 'c', 'b')],
  ] as const
  test.each(CASES)('%s is silent, and then tells', async (name, ...pages) => {
    const spec = configurationOf(recipeOf(name)) as SerpMonitorSpec
    const no = await engines.add(await engines.database.team(), {
      keyword: spec.keyword,
      ...(spec.mode && { mode: spec.mode }),
      target: spec.target_domain ?? null,
      threshold: spec.rank_change_threshold ?? null,
      interval: spec.schedule_interval_seconds,
      deliveries: spec.deliveries as MonitorSpec['deliveries'],
    })
    const told: boolean[] = []
    for (const results of pages) {
      engines.answer(() => results)
      const run = await engines.check(no)
      expect(run).toMatchObject({ status: 'success' })
      told.push(run.delivery_triggered)
    }
    expect(told).toEqual([false, false, true])
    expect(engines.asked.at(-1)?.searchParams.get('q')).toBe('electric kettle')
  })
})
