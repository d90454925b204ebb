import type { Json } from '../../../schema/shape/json.ts'

/**
 * An answer in the shape of the real one, which we wrote (test/fixtures/templates), and what a template makes of it.
 */
export interface SavedAnswer {
  readonly slug: string
  readonly file: string
  readonly contentType: string
  readonly fields: Readonly<Record<string, Json>>
  /** Replacements that are what the template is to tell of, and those that it is to be silent about. */
  readonly fires: readonly Replacement[]
  readonly silent: readonly Replacement[]
}
type Replacement = readonly [from: string, to: string]

const HTML = 'text/html; charset=utf-8'
const JSON_TYPE = 'application/json'

/**
 * Pages are kept as text, so that no formatter spreads out what real ones write in one line. At least one a template;
 * `generic-llm-prompt` needs a model and is not among them.
 */
export const ANSWERS: readonly SavedAnswer[] = [
  {
    slug: 'generic-css-selector',
    file: 'page.html.txt',
    contentType: HTML,
    fields: { value: 'Open   until 18:00' },
    fires: [['18:00', '20:00']],
    silent: [
      ['Open   until', 'Open until'],
      ['closed on', 'open on'],
    ],
  },
  {
    slug: 'generic-full-page',
    file: 'page.html.txt',
    contentType: HTML,
    fields: { content_hash: '428195ad4a41af6a9967cf8b7d8724ad03b0f148325a63a573339dad478bdbae' },
    fires: [['public', 'all public']],
    silent: [],
  },
  {
    slug: 'generic-json-field',
    file: 'answer.json',
    contentType: JSON_TYPE,
    fields: { value: { data: { version: '4.1.0', channel: 'stable' }, ok: true } },
    fires: [['4.1.0', '4.2.0']],
    silent: [[', "channel"', ',\n"channel"']],
  },
  {
    slug: 'status-page',
    file: 'status-page.json',
    contentType: JSON_TYPE,
    fields: { indicator: 'none', description: 'All Systems Operational', incidents: [] },
    fires: [
      ['"none", "description": "All Systems Operational"', '"major", "description": "Partial System Outage"'],
      ['"incidents": []', '"incidents": [{ "id": "i1", "name": "Slow answers", "status": "investigating" }]'],
    ],
    silent: [['09:00:00Z', '09:05:00Z']],
  },
  {
    slug: 'crypto-price',
    file: 'crypto-price.json',
    contentType: JSON_TYPE,
    fields: { price: ['58210.40'] },
    fires: [
      ['58210.40', '59374.61'],
      ['58210.40', '57000'],
    ],
    silent: [
      ['58210.40', '59374.60'],
      ['58210.40', '58210.41'],
    ],
  },
  {
    slug: 'stock-price',
    file: 'stock-price.json',
    contentType: JSON_TYPE,
    fields: { price: [124.5], symbol: ['EXMP.DE'] },
    fires: [
      ['"regularMarketPrice": 124.5', '"regularMarketPrice": 126.99'],
      ['"regularMarketPrice": 124.5', '"regularMarketPrice": 122.01'],
    ],
    silent: [
      ['"regularMarketPrice": 124.5', '"regularMarketPrice": 126.98'],
      ['120331', '120332'],
    ],
  },
  {
    slug: 'shop-product-price',
    file: 'shop-open-graph.html.txt',
    contentType: HTML,
    fields: { price: '1249.00', currency: 'EUR', availability: 'InStock' },
    fires: [
      ['"price": "1249.00"', '"price": "1299.00"'],
      ['schema.org/InStock', 'schema.org/OutOfStock'],
    ],
    silent: [
      ['"price": "1249.00"', '"price": "1.250,00"'],
      // JSON-LD comes first; the run warns that they differ.
      ['content="1.249,00"', 'content="1.199,00"'],
      ['content="5.00"', 'content="9.00"'],
    ],
  },
  {
    slug: 'shop-product-price',
    file: 'shop-microdata.html.txt',
    contentType: HTML,
    fields: { price: '1 299,00 kr', currency: null, availability: 'InStock' },
    fires: [
      ['299,00', '199,00'],
      ['InStock', 'OutOfStock'],
    ],
    silent: [
      // A page without a price is trouble, not a price of nothing.
      ['itemprop="price"', 'class="price"'],
    ],
  },
  {
    slug: 'shop-product-price',
    file: 'shop-microdata-content.html.txt',
    contentType: HTML,
    fields: { price: '49.90', currency: 'EUR', availability: null },
    fires: [['content="49.90"', 'content="44.90"']],
    silent: [['<sup>90', '<sup>10']],
  },
  {
    slug: 'shop-product-price',
    file: 'shop-json-ld.html.txt',
    contentType: HTML,
    fields: { price: '49.9', currency: null, availability: null },
    fires: [['49.9}', '39.9}']],
    silent: [
      ['59.9', '39.9'],
      ['"price": 0', '"price": 20'],
    ],
  },
  {
    slug: 'javascript-package-version',
    file: 'javascript-package.json',
    contentType: JSON_TYPE,
    fields: { version: '2.3.1' },
    fires: [['"latest": "2.3.1"', '"latest": "2.4.0"']],
    silent: [['beta.2', 'beta.3']],
  },
  {
    slug: 'python-package-version',
    file: 'python-package.json',
    contentType: JSON_TYPE,
    fields: { version: '1.8.0', requires_python: '>=3.11', yanked: false },
    fires: [
      ['"version": "1.8.0"', '"version": "1.9.0"'],
      ['"yanked": false', '"yanked": true'],
    ],
    silent: [
      ['Boils', 'Heats'],
      ['>=3.11', '>=3.10'],
    ],
  },
  {
    slug: 'repository-release',
    file: 'repository-releases.json',
    contentType: JSON_TYPE,
    fields: {
      versions: ['v1.4.0', 'v1.3.9'],
      titles: ['1.4.0: quieter boiling', '1.3.9'],
      links: [
        'https://code.example.com/example/kettle/releases/tag/v1.4.0',
        'https://code.example.com/example/kettle/releases/tag/v1.3.9',
      ],
    },
    fires: [
      ['[\n', '[{ "tag_name": "v1.4.2" }, { "tag_name": "v1.4.1" },\n'],
      ['"prerelease": true', '"prerelease": false'],
    ],
    silent: [
      ['quieter', 'much quieter'],
      ['"tag_name": "v1.3.9"', '"tag": "v1.3.9"'],
      ['rc.1', 'rc.2'],
    ],
  },
  {
    slug: 'news-front-page',
    file: 'news-front-page.html.txt',
    contentType: HTML,
    fields: {
      headlines: ['Harbour opens again after the storm', 'Old organ found in a barn'],
      links: ['/world/harbour-opens', '/culture/organ'],
    },
    fires: [
      ['Harbour opens again', 'Harbour stays closed'],
      ['Old organ', 'Very old organ'],
      [
        '<article>',
        '<article><h3><a href="/a">A first long headline</a></h3><h3><a href="/b">A second long headline</a></h3>',
      ],
    ],
    silent: [
      ['weather in your region', 'weather on the coast'],
      ['contact of the paper', 'contact of our paper'],
      // A headline that leaves the page.
      ['<h3>Old organ found in a barn</h3>', ''],
    ],
  },
  {
    slug: 'feed-new-item',
    file: 'feed.rss.xml',
    contentType: 'application/rss+xml',
    fields: {
      titles: ['Kettles & more: spring sale', 'Descaling made easy'],
      links: ['https://news.example.com/spring-sale', 'https://news.example.com/descaling'],
      ids: ['news-118', 'news-117'],
    },
    fires: [
      [
        '<item>',
        '<item><title>Summer</title><link>https://news.example.com/summer</link><guid>news-119</guid></item><item>',
      ],
      // A weekly title that stays the same.
      ['<item>', '<item><title>Kettles &amp; more: spring sale</title><guid>news-119</guid></item><item>'],
      // A new item pushes the last one out of the feed.
      ['news-118</guid>', 'news-119</guid></item><item><title>Spring</title><guid>news-118</guid>'],
    ],
    silent: [
      ['Descaling made', 'Descaling is'],
      ['Picture of', 'Photo of'],
      // Items that leave the feed.
      [
        '<title>Descaling made easy</title>\n      <link>https://news.example.com/descaling</link>\n' +
          '      <guid isPermaLink="false">news-117</guid>',
        '',
      ],
    ],
  },
  {
    slug: 'feed-new-item',
    file: 'feed.atom.xml',
    contentType: 'application/atom+xml',
    fields: {
      titles: ['Spring sale', 'Descaling made easy'],
      links: ['https://news.example.com/spring-sale', 'https://news.example.com/descaling'],
      ids: ['urn:example:118', 'urn:example:117'],
    },
    fires: [['<entry>', '<entry><id>urn:example:119</id><title>Summer</title></entry><entry>']],
    silent: [['2026-05-01', '2026-05-02']],
  },
  {
    slug: 'feed-new-item',
    file: 'feed.rdf.xml',
    contentType: 'application/xml',
    fields: {
      titles: ['Spring sale'],
      links: ['https://news.example.com/spring-sale'],
      ids: ['https://news.example.com/spring-sale'],
    },
    fires: [['<link>https://news.example.com/spring-sale', '<link>https://news.example.com/summer-sale']],
    silent: [['Kettle news', 'News of kettles']],
  },
  {
    slug: 'sitemap-new-urls',
    file: 'sitemap.xml',
    contentType: 'application/xml',
    fields: {
      urls: ['https://shop.example.com/', 'https://shop.example.com/kettles', 'https://shop.example.com/kettles/blue'],
    },
    fires: [
      ['<url>', '<url><loc>https://shop.example.com/new</loc></url><url>'],
      ['kettles/blue', 'kettles/green'],
      ['<loc>https://shop.example.com/</loc>', '<loc>https://shop.example.com/home</loc>'],
    ],
    silent: [
      ['2026-04-01', '2026-05-01'],
      ['<url><loc>https://shop.example.com/kettles/blue</loc></url>', ''],
      [
        '<url><loc>https://shop.example.com/kettles/blue</loc></url>\n</urlset>',
        '<url><loc>https://shop.example.com/kettles/blue</loc></url></urlset>',
      ],
    ],
  },
  {
    slug: 'sitemap-new-urls',
    file: 'sitemap-index.xml',
    contentType: 'text/xml',
    fields: {
      urls: ['https://shop.example.com/sitemap-pages.xml', 'https://shop.example.com/sitemap-products.xml'],
    },
    fires: [
      ['</sitemapindex>', '<sitemap><loc>https://shop.example.com/sitemap-3.xml</loc></sitemap></sitemapindex>'],
      ['sitemap-pages', 'sitemap-all-pages'],
    ],
    silent: [['<sitemap><loc>https://shop.example.com/sitemap-products.xml</loc></sitemap>', '']],
  },
  {
    slug: 'job-listings',
    file: 'job-board.json',
    contentType: JSON_TYPE,
    fields: {
      titles: ['Boiler Engineer', 'Tea Taster'],
      links: ['https://jobs.example.com/4001', 'https://jobs.example.com/4002'],
      postings: [],
      posting_links: [],
    },
    fires: [
      ['"title": "Tea Taster"', '"title": "Tea Taster, Senior"'],
      ['"jobs": [', '"jobs": [{ "title": "Stoker" }, { "title": "Tea Taster" },'],
    ],
    silent: [
      ['"Remote"', '"Anywhere"'],
      ['"title": "Tea Taster"', '"subtitle": "Tea Taster"'],
    ],
  },
  {
    slug: 'job-listings',
    file: 'job-postings.json',
    contentType: JSON_TYPE,
    fields: {
      titles: [],
      links: [],
      postings: ['Boiler Engineer', 'Tea Taster'],
      posting_links: ['https://jobs.example.com/a1', 'https://jobs.example.com/a2'],
    },
    fires: [
      ['{ "id": "a2"', '{ "id": "a3", "text": "Stoker", "hostedUrl": "https://jobs.example.com/a3" }, { "id": "a2"'],
    ],
    silent: [['You bring', 'You have']],
  },
]
