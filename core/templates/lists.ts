import { template } from './template.ts'

/**
 * Headings that lead to an article: they are linked, longer than the name of a section, and not part of the frame
 * around the page.
 */
const HEADLINES =
  '(//h1 | //h2 | //h3)[.//a[@href] or ancestor::a[@href]][string-length(normalize-space()) > 12]' +
  '[not(ancestor::nav or ancestor::footer or ancestor::aside or ancestor::header[not(ancestor::main or ' +
  'ancestor::article)])]'
const TOP = `(${HEADLINES})[1]`

export const newsFrontPage = template({
  slug: 'news-front-page',
  name: 'Top headline of a news site',
  description:
    'Reports when the front page has another top headline: the first heading that links to an article, outside of ' +
    'menus, header and footer.',
  category: 'news',
  audience: 'both',
  example_url: null,
  config: {
    extract: {
      method: 'xpath',
      fields: { headline: TOP, link: `${TOP}//a/@href | ${TOP}/ancestor::a/@href` },
    },
    diff_predicate: { type: 'field_changes', field: 'headline' },
    schedule_interval_seconds: 900,
  },
})

/** All versions of RSS name it item, Atom names it entry. */
const NEWEST = '(//item | //entry)[1]'

export const feedNewItem = template({
  slug: 'feed-new-item',
  name: 'New item in a feed',
  description:
    'Reports when a feed, RSS or Atom, has another newest item, with its title and link. The newest is the first, ' +
    "as feeds have it; an edit of that item's title counts as well.",
  category: 'news',
  audience: 'both',
  example_url: null,
  config: {
    extract: {
      method: 'xpath',
      fields: {
        // An item needs a title or a description, not both.
        title: `${NEWEST}/title | ${NEWEST}[not(title)]/description`,
        // Atom's link is an attribute, and there may be several; the link of RSS is text.
        link: `${NEWEST}/link[@href][not(@rel) or @rel="alternate"]/@href | ${NEWEST}/link[not(@href)]`,
        id: `${NEWEST}/guid | ${NEWEST}/id`,
      },
    },
    diff_predicate: { type: 'any_field_changes' },
    schedule_interval_seconds: 900,
  },
})

export const sitemapNewUrls = template({
  slug: 'sitemap-new-urls',
  name: 'New addresses in a sitemap',
  description:
    'Reports when a sitemap, or an index of sitemaps, lists more addresses than before or ends with another one. ' +
    'Give the address of the sitemap.xml.',
  category: 'seo',
  audience: 'operator',
  example_url: null,
  config: {
    extract: {
      method: 'xpath',
      fields: { count: 'count(//url | //sitemap)', last: '(//url/loc | //sitemap/loc)[last()]' },
    },
    // One address removed and one added leaves the count the same. Most sitemaps grow at their end, so the last address
    // is watched too.
    diff_predicate: {
      type: 'composite',
      operator: 'OR',
      conditions: [
        { type: 'field_increases_by_absolute', field: 'count', threshold: 1 },
        { type: 'field_changes', field: 'last' },
      ],
    },
    schedule_interval_seconds: 3600,
  },
})

export const jobListings = template({
  slug: 'job-listings',
  name: 'Open positions of a company',
  description:
    "Reports when positions are added to or taken from a job board. Give the address of the board's public JSON " +
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
        { type: 'field_changes', field: 'titles' },
        { type: 'field_changes', field: 'postings' },
      ],
    },
    schedule_interval_seconds: 3600,
  },
})
