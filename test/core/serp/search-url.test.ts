import { describe, expect, test } from 'vitest'
import { searchUrl } from '../../../core/serp/search-url.ts'

const search = { keyword: 'best running shoes', location_code: 'us', language_code: 'en' }

describe('the address of a search', () => {
  test.each([
    [
      'google',
      'https://www.google.com/search?q=best+running+shoes&hl=en&gl=us&pws=0&nfpr=1&filter=0&safe=off&ie=UTF-8',
    ],
    ['bing', 'https://www.bing.com/search?q=best+running+shoes&mkt=en-US&setlang=en&cc=US&adlt=off'],
    ['yahoo', 'https://search.yahoo.com/search?p=best+running+shoes&ei=UTF-8&vl=lang_en&fl=1&vm=p'],
    ['duckduckgo', 'https://duckduckgo.com/?q=best+running+shoes&kl=us-en&kp=-2&k1=-1&kav=1&ia=web'],
    ['yandex', 'https://yandex.com/search/?text=best+running+shoes&lr=84&lang=en'],
  ] as const)('carries keyword, country and language on %s', (engine, url) => {
    expect(searchUrl({ ...search, engine })).toBe(url)
  })

  test('names the United Kingdom as each engine does', () => {
    const britain = { ...search, location_code: 'uk' }
    expect(searchUrl({ ...britain, engine: 'google' })).toContain('gl=gb')
    expect(searchUrl({ ...britain, engine: 'bing' })).toContain('mkt=en-GB')
    expect(searchUrl({ ...britain, engine: 'yahoo' })).toMatch(/^https:\/\/uk\.search\.yahoo\.com\//)
    expect(searchUrl({ ...britain, engine: 'duckduckgo' })).toContain('kl=uk-en')
  })

  test('asks DuckDuckGo for the nearest region that it has', () => {
    const region = (location_code: string, language_code: string) =>
      new URL(searchUrl({ ...search, engine: 'duckduckgo', location_code, language_code })).searchParams.get('kl')
    expect(region('ch', 'fr')).toBe('ch-fr')
    expect(region('ch', 'en')).toBe('ch-de')
    expect(region('jp', 'ja')).toBe('jp-jp')
    expect(region('is', 'is')).toBe('wt-wt')
  })

  test('goes to the host of a country where Yahoo and Yandex have one', () => {
    const host = (engine: 'yahoo' | 'yandex', location_code: string) =>
      new URL(searchUrl({ ...search, engine, location_code })).host
    expect(host('yahoo', 'de')).toBe('de.search.yahoo.com')
    expect(host('yahoo', 'jp')).toBe('search.yahoo.com')
    expect(host('yandex', 'ru')).toBe('yandex.ru')
    expect(host('yandex', 'tr')).toBe('yandex.com.tr')
    expect(host('yandex', 'br')).toBe('yandex.com')
  })

  test('encodes any keyword', () => {
    const keyword = 'é & "ö" #1 + 50%'
    const url = new URL(searchUrl({ ...search, engine: 'google', keyword }))
    expect(url.searchParams.get('q')).toBe(keyword)
    expect(url.hash).toBe('')
  })

  test.each([
    ['google', 'start', '20'],
    ['bing', 'first', '21'],
    ['yahoo', 'b', '15'],
    ['duckduckgo', 's', '20'],
    ['yandex', 'p', '2'],
  ] as const)('of a later page counts as %s does', (engine, name, value) => {
    expect(new URL(searchUrl({ ...search, engine }, 3)).searchParams.get(name)).toBe(value)
    expect(new URL(searchUrl({ ...search, engine })).searchParams.has(name)).toBe(false)
  })
})
