import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TEMPLATES } from '../../../core/templates/templates.ts'
import { extract } from '../../../runners/extract/extract.ts'
import type { Values } from '../../../schema/shape/json.ts'
import { describeIf } from '../../support/run/skip.ts'

const shared = process.env['TIDEMARK_SHARED']
const corpus = join(shared ?? '', 'corpus')

function read(slug: string, file: string, contentType: string | null): Values {
  const template = TEMPLATES.find((one) => one.slug === slug)
  if (!template) throw new Error(`no template ${slug}`)
  const page = { body: readFileSync(join(corpus, file)), contentType, url: 'https://example.com/' }
  const extraction = extract(page, template.config.extract)
  if (!extraction.ok) throw new Error(`${file}: ${extraction.fault.message}`)
  return extraction.values
}

const FIRST_RELEASE = 'https://github.com/github/hub/releases/tag/v2.12.8'
const RELEASES = {
  versions: expect.arrayContaining(['v2.12.8', 'v2.12.7']),
  titles: expect.arrayContaining(['hub 2.12.8']),
  links: expect.arrayContaining([FIRST_RELEASE]),
}

describeIf(shared !== undefined, 'set TIDEMARK_SHARED to the folder with other people’s answers')(
  'answers that others gave',
  () => {
    test.each([
      ['javascript-package-version', 'json/npm--send.json', { version: '0.17.1' }],
      ['javascript-package-version', 'json/npm--mime.json', { version: '2.5.2' }],
      ['python-package-version', 'json/pypi--azure-cli-monitor.json', { version: '0.1.7' }],
      ['repository-release', 'json/github--releases-list.json', RELEASES],
      ['status-page', 'json/statuspage--instructure-summary.json', { indicator: 'minor' }],
    ])('%s reads %s', (slug, file, fields) => {
      expect(read(slug, file, 'application/json')).toMatchObject(fields)
    })

    test.each([
      ['json/greenhouse--jobs.json', 'titles', 'links'],
      ['json/lever--postings-backstory.json', 'postings', 'posting_links'],
    ])('job-listings reads as many titles as addresses from %s', (file, titles, links) => {
      const values = read('job-listings', file, 'application/json')
      expect(values[titles]).toEqual([expect.any(String), expect.any(String), expect.any(String), expect.any(String)])
      expect(values[links]).toHaveLength(4)
    })

    test('sitemap-new-urls reads every address of a sitemap', () => {
      const { urls } = read('sitemap-new-urls', 'sitemaps/trafilatura--sitemap.xml', 'application/xml')
      expect(urls).toHaveLength(84)
      expect((urls as string[]).at(-1)).toBe('https://www.sitemaps.org/zh_TW/terms.html')
    })

    test('feed-new-item knows the items of every feed that has one, each by an id', () => {
      const feeds = readdirSync(join(corpus, 'feeds')).filter((name) => !name.endsWith('.json'))
      const without = feeds.filter((name) => {
        const values = read('feed-new-item', `feeds/${name}`, null)
        return (values['ids'] as string[]).length === 0
      })
      expect(feeds.length).toBeGreaterThan(40)
      for (const name of feeds.filter((each) => !without.includes(each)))
        expect(
          (read('feed-new-item', `feeds/${name}`, null)['ids'] as string[]).every((id) => id !== ''),
          name,
        ).toBe(true)
      // These have no item at all.
      expect(without).toEqual([
        'feedparser--http_i18n.xml',
        'feedparser--undeclared_namespace.xml',
        'feedparser--utf-16be-bom.xml',
        'feedparser--utf-16le-autodetect.xml',
        'feedparser--utf-8-bom.xml',
      ])
    })
  },
)
