import type { SerpEngine, SerpSearch } from '../../schema/serp/serp-search.ts'

/** The parameters of a search. */
type Search = Pick<SerpSearch, 'engine' | 'keyword' | 'location_code' | 'language_code'>

/** The address of one engine for a search, without the page. */
interface EngineAddress {
  readonly address: (search: Normal) => string
  readonly query: (search: Normal) => Readonly<Record<string, string>>
  /** The parameter of a later page, for when an engine offers no link to it. */
  readonly page: (page: number) => readonly [name: string, value: string]
}

interface Normal {
  readonly keyword: string
  /** Lower case; `gb` for the United Kingdom. */
  readonly country: string
  readonly language: string
}

/** Hosts of Yahoo by country, where it has one. */
const YAHOO_HOSTS = new Set(
  'gb de fr es it nl ca in br ar mx co cl pe ve au nz sg hk tw ph th id my vn ie at ch se dk fi no pl'.split(' '),
)

/** Regions of DuckDuckGo; there are no others. */
const DUCKDUCKGO_REGIONS =
  'us-en uk-en au-en ca-en ca-fr in-en ie-en nz-en za-en sg-en de-de at-de ch-de ch-fr ch-it fr-fr be-fr be-nl ' +
  'nl-nl es-es mx-es ar-es cl-es co-es pe-es br-pt pt-pt it-it se-sv dk-da no-no fi-fi pl-pl cz-cs sk-sk hu-hu ' +
  'ro-ro bg-bg gr-el tr-tr ru-ru ua-uk il-he jp-jp kr-kr cn-zh hk-tzh tw-tzh th-th vn-vi id-id my-ms ph-en'
const REGIONS = DUCKDUCKGO_REGIONS.split(' ')

const YANDEX_HOSTS: Readonly<Record<string, string>> = {
  ru: 'yandex.ru',
  by: 'yandex.by',
  kz: 'yandex.kz',
  uz: 'yandex.uz',
  tr: 'yandex.com.tr',
}

/** Yandex has its own numbers for regions. A country without one is asked without a region. */
const YANDEX_REGIONS: Readonly<Record<string, string>> = {
  ru: '225',
  by: '149',
  kz: '159',
  uz: '171',
  ua: '187',
  tr: '983',
  us: '84',
  gb: '102',
  de: '96',
  fr: '124',
  il: '181',
}

const ADDRESSES: Readonly<Record<SerpEngine, EngineAddress>> = {
  google: {
    address: () => 'https://www.google.com/search',
    query: ({ keyword, country, language }) => ({
      q: keyword,
      hl: language === 'zh' ? (country === 'tw' || country === 'hk' ? 'zh-TW' : 'zh-CN') : language,
      gl: country,
      // No personal results, no correction of the keyword, nothing left out, no filter.
      pws: '0',
      nfpr: '1',
      filter: '0',
      safe: 'off',
      ie: 'UTF-8',
    }),
    page: (page) => ['start', String(10 * (page - 1))],
  },
  bing: {
    address: () => 'https://www.bing.com/search',
    query: ({ keyword, country, language }) => ({
      q: keyword,
      mkt: `${language}-${country.toUpperCase()}`,
      setlang: language,
      cc: country.toUpperCase(),
      adlt: 'off',
    }),
    page: (page) => ['first', String(10 * (page - 1) + 1)],
  },
  yahoo: {
    address: ({ country }) => `https://${yahooHost(country)}/search`,
    query: ({ keyword, language }) => ({ p: keyword, ei: 'UTF-8', vl: `lang_${language}`, fl: '1', vm: 'p' }),
    page: (page) => ['b', String(7 * (page - 1) + 1)],
  },
  duckduckgo: {
    address: () => 'https://duckduckgo.com/',
    query: ({ keyword, country, language }) => ({
      q: keyword,
      kl: duckduckgoRegion(country, language),
      kp: '-2',
      k1: '-1',
      kav: '1',
      ia: 'web',
    }),
    page: (page) => ['s', String(10 * (page - 1))],
  },
  yandex: {
    address: ({ country }) => `https://${YANDEX_HOSTS[country] ?? 'yandex.com'}/search/`,
    query: ({ keyword, country, language }) => ({
      text: keyword,
      ...(YANDEX_REGIONS[country] !== undefined && { lr: YANDEX_REGIONS[country] }),
      lang: language,
    }),
    page: (page) => ['p', String(page - 1)],
  },
}

function yahooHost(country: string): string {
  if (!YAHOO_HOSTS.has(country)) return 'search.yahoo.com'
  return `${country === 'gb' ? 'uk' : country}.search.yahoo.com`
}

function duckduckgoRegion(country: string, language: string): string {
  const code = country === 'gb' ? 'uk' : country
  const regions = REGIONS.filter((region) => region.startsWith(`${code}-`))
  return regions.find((region) => region === `${code}-${language}`) ?? regions[0] ?? 'wt-wt'
}

/** Returns the address of a search at its engine. It is what a person would see, never that of a test's server. */
export function searchUrl(search: Search, page = 1): string {
  const { address, query, page: pageOf } = ADDRESSES[search.engine]
  const country = search.location_code.toLowerCase()
  const normal = {
    keyword: search.keyword,
    country: country === 'uk' ? 'gb' : country,
    language: search.language_code.toLowerCase(),
  }
  const url = new URL(address(normal))
  for (const [name, value] of Object.entries(query(normal))) url.searchParams.set(name, value)
  if (page > 1) url.searchParams.set(...pageOf(page))
  return url.href
}
