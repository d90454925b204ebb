import type { EngineTable } from '../engine-table.ts'

export const DUCKDUCKGO: EngineTable = {
  version: 3,
  links: [
    'article[data-testid="result"] a[data-testid="result-title-a"]',
    '#links .web-result a.result__a',
    '.results_links_deep a.result__a',
    'a.result-link',
  ],
  phoneLinks: [],
  loosePhoneLinks: [],
  blocks: ['article[data-testid="result"]', '.web-result', '.results_links_deep', 'tr'],
  isOneABlock: true,
  titles: ['h2'],
  snippets: ['[data-result="snippet"]', '.result__snippet', 'td.result-snippet'],
  breadcrumbs: ['a[data-testid="result-extras-url-link"]', '.result__url'],
  unread: ['.result__type', '.result__timestamp'],
  excluded: [
    'article[data-testid="ad"], li[data-layout="ad"]',
    'li[data-layout]:not([data-layout="organic"])',
    '#ads, .results--ads, .result--ad, tr.result-sponsored',
  ],
  refusals: ['form#challenge-form', 'form[action*="/anomaly.js"]', '.anomaly-modal__title'],
  consents: [],
  consent: { refuse: [], accept: [] },
  zeros: ['.result--no-result', '[data-testid="no-results-message"]', '.no-results'],
  isZeroSuspect: false,
  shells: ['link#deep_preload_link', 'script#deep_preload_script'],
  refusalUrl: /(?!)/,
  consentUrl: /(?!)/,
  nextLinks: [],
  fullPage: 8,
  nextButtons: ['button#more-results', 'a.result--more__btn', '.nav-link form input[type="submit"]'],
  regions: ['[data-testid="mainline"]', '#links', '#react-layout'],
  // The layouts without scripts, and those before 2023, have no such texts whatever the search.
  aiOverview: {
    blocks: ['[data-layout="wikinlp"]', '[data-react-module-id="wikinlp"]'],
    bodies: ['[data-testid^="duckassist-"]'],
    declined: /(?!)/,
    layouts: ['article[data-testid="result"]'],
  },
}
