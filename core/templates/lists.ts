import { template } from './template.ts'

/**
 * Headings that lead to an article: they are linked, longer than the name of a section, and not part of the frame
 * around the page.
 */
const HEADLINES =
  '(//h1 | //h2 | //h3)[.//a[@href] or ancestor::a[@href]][string-length(normalize-space()) > 12]' +
  '[not(ancestor::nav or ancestor::footer or ancestor::aside or ancestor::header[not(ancestor::main or ' +
  'ancestor::article)])]'

export const newsFrontPage = template({
  slug: 'news-front-page',
  name: 'Headlines of a news site',
  description:
    'Reports when the front page has new headlines, and names them: headings that link to an article, outside of ' +
    'menus, header and footer.',
  category: 'news',
  audience: 'both',
  example_url: null,
  config: {
    extract: {
      method: 'xpath',
      fields: {
        headlines: `${HEADLINES}[]`,
        links: `${HEADLINES}//a/@href | ${HEADLINES}/ancestor::a/@href[]`,
      },
    },
    // A headline that only moves down or leaves the page is not news.
    diff_predicate: { type: 'list_gains_items', field: 'headlines' },
    schedule_interval_seconds: 900,
  },
})

/** All versions of RSS name it item, Atom names it entry. */
const ITEMS = '(//item | //entry)'
/** What tells an item from others: its id, else its link, else its title or description. */
const IDS =
  '//item/guid | //entry/id | //item[not(guid)]/link | //item[not(guid or link)]/title | ' +
  '//item[not(guid or link or title)]/description[]'

export const feedNewItem = template({
  slug: 'feed-new-item',
  name: 'New items in a feed',
  description:
    'Reports when a feed, RSS or Atom, has new items, and names all of them with their titles and links. Items that ' +
    'leave the feed, and edits of their titles, do not count.',
  category: 'news',
  audience: 'both',
  example_url: null,
  config: {
    extract: {
      method: 'xpath',
      fields: {
        // An item needs a title or a description, not both.
        titles: `${ITEMS}/title | ${ITEMS}[not(title)]/description[]`,
        // Atom's link is an attribute, and there may be several; the link of RSS is text.
        links: `${ITEMS}/link[@href][not(@rel) or @rel="alternate"]/@href | ${ITEMS}/link[not(@href)][]`,
        ids: IDS,
      },
    },
    diff_predicate: { type: 'list_gains_items', field: 'ids' },
    schedule_interval_seconds: 900,
  },
})

export const sitemapNewUrls = template({
  slug: 'sitemap-new-urls',
  name: 'New addresses in a sitemap',
  description:
    'Reports when a sitemap, or an index of sitemaps, lists addresses that it did not list before, and names them. ' +
    'Give the address of the sitemap.xml.',
  category: 'seo',
  audience: 'operator',
  example_url: null,
  config: {
    extract: {
      method: 'xpath',
      fields: { urls: '(//url | //sitemap)/loc[]' },
    },
    // An address that leaves, or another order, is nothing new.
    diff_predicate: { type: 'list_gains_items', field: 'urls' },
    schedule_interval_seconds: 3600,
  },
})

export const jobListings = template({
  slug: 'job-listings',
  name: 'Open positions of a company',
  description:
    "Reports when positions are added to a job board, and names them. Give the address of the board's public JSON " +
    'API: a list of jobs (titles, links), or an array of postings (their text or title, and address).',
  category: 'jobs',
  audience: 'both',
  example_url: null,
  config: {
    extract: {
      method: 'json_path',
      fields: {
        titles: "$['jobs', 'results', 'data'][*]['title', 'name']",
        links: "$['jobs', 'results', 'data'][*]['absolute_url', 'jobUrl', 'url']",
        postings: "$[*]['text', 'title']",
        posting_links: "$[*]['hostedUrl', 'url']",
      },
    },
    diff_predicate: {
      type: 'composite',
      operator: 'OR',
      conditions: [
        { type: 'list_gains_items', field: 'titles' },
        { type: 'list_gains_items', field: 'postings' },
      ],
    },
    schedule_interval_seconds: 3600,
  },
})
