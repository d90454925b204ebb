import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { diffValues } from '../../../core/diff/diff-values.ts'
import { fires } from '../../../core/predicate/fires.ts'
import { TEMPLATES } from '../../../core/templates/templates.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { monitorIssues } from '../../../monitors/check/monitor-issues.ts'
import { extract } from '../../../runners/extract/extract.ts'
import { loadStructuredData } from '../../../runners/extract/structured-data/load.ts'
import { fieldNames } from '../../../schema/monitor/extract-config.ts'
import { MonitorCreate } from '../../../schema/monitor/monitor.ts'
import { Template } from '../../../schema/monitor/template.ts'
import type { Values } from '../../../schema/shape/json.ts'
import { checkerOf } from '../../../schema/validation/validate.ts'
import { ANSWERS, type SavedAnswer } from './answers.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures/templates')
const WALLS = createPolicy({ allowPrivateCidrs: [], neverAllow: [] })
const bySlug = TEMPLATES.map((template) => [template.slug, template] as const)

const templateOf = (slug: string): Template => {
  const found = TEMPLATES.find((template) => template.slug === slug)
  if (!found) throw new Error(`no template ${slug}`)
  return found
}
const extracted = ({ slug, file, contentType }: SavedAnswer, change: (text: string) => string = (text) => text) => {
  const body = Buffer.from(change(readFileSync(join(FIXTURES, file), 'utf8')))
  return extract({ body, contentType, url: 'https://example.com/' }, templateOf(slug).config.extract)
}
const read = (...answer: Parameters<typeof extracted>): Values => {
  const extraction = extracted(...answer)
  if (!extraction.ok) throw new Error(extraction.fault.message)
  return extraction.values
}
const firesBetween = (slug: string, before: Values, after: Values): boolean => {
  const { extract: config, diff_predicate: predicate } = templateOf(slug).config
  const diff = diffValues(before, after, fieldNames(config))
  return fires(predicate, { diff, before, after }, ({ pattern, text }) => new RegExp(pattern).test(text)) === true
}
const replaced = (from: string, to: string) => (text: string) => {
  expect(text).toContain(from)
  return text.replace(from, () => to)
}

beforeAll(loadStructuredData)

describe('the templates', () => {
  test('are fifteen, with slugs of their own, the four generic ones among them', () => {
    const slugs = TEMPLATES.map(({ slug }) => slug)
    expect(new Set(slugs).size).toBe(15)
    expect(slugs).toHaveLength(15)
    expect(TEMPLATES.filter(({ category }) => category === 'generic').map(({ slug }) => slug)).toEqual([
      'generic-css-selector',
      'generic-full-page',
      'generic-json-field',
      'generic-llm-prompt',
    ])
  })

  test('cover the kinds and the categories that the contract names', () => {
    const kinds = TEMPLATES.map(({ slug }) => slug).filter((slug) => !slug.startsWith('generic-'))
    expect(kinds).toEqual([
      'status-page',
      'crypto-price',
      'stock-price',
      'shop-product-price',
      'javascript-package-version',
      'python-package-version',
      'repository-release',
      'news-front-page',
      'feed-new-item',
      'sitemap-new-urls',
      'job-listings',
    ])
    const categories = new Set(TEMPLATES.map(({ category }) => category))
    for (const category of ['developer', 'crypto', 'ecommerce', 'news', 'status', 'generic'])
      expect(categories).toContain(category)
  })

  test.each(bySlug)('%s has the shape of a template and a slug that fits into an address', (slug, template) => {
    expect(checkerOf(Template).validate(template)).toEqual({ ok: true, value: template })
    expect(slug).toMatch(/^[a-z]+(-[a-z]+)*$/)
  })

  test.each(bySlug)('%s makes a monitor that every check of a saved one passes', (_, { name, example_url, config }) => {
    const body = {
      name,
      url: example_url ?? 'https://example.com/',
      schedule_interval_seconds: config.schedule_interval_seconds,
      extract_config: config.extract,
      diff_predicate: config.diff_predicate,
    }
    const checked = checkerOf(MonitorCreate).validate(body, { defaults: true })
    expect(checked).toMatchObject({ ok: true })
    expect(monitorIssues(body, [], WALLS)).toEqual([])
  })

  test.each(bySlug)('%s is in the documentation', (slug) => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/templates.md'), 'utf8')
    expect(page).toContain(`| \`${slug}\``)
  })

  test('are each tried on a saved answer, but for the one that needs a model', () => {
    const tried = new Set(ANSWERS.map(({ slug }) => slug))
    expect(TEMPLATES.map(({ slug }) => slug).filter((slug) => !tried.has(slug))).toEqual(['generic-llm-prompt'])
  })

  test('generic-llm-prompt asks for the fields of its schema, and fires when the model reads another value', () => {
    const { config } = templateOf('generic-llm-prompt')
    expect(fieldNames(config.extract)).toEqual(['headline', 'price', 'date'])
    const before = { headline: 'Kettles', price: '€ 49', date: null }
    expect(firesBetween('generic-llm-prompt', before, { ...before, price: '€ 39' })).toBe(true)
    expect(firesBetween('generic-llm-prompt', before, before)).toBe(false)
  })
})

describe('a sitemap with more addresses than a list keeps', () => {
  const sitemap = (count: number) => {
    const urls = Array.from({ length: count }, (_, at) => `<url><loc>https://shop.example.com/${at}</loc></url>`)
    const body = Buffer.from(`<?xml version="1.0"?><urlset>${urls.join('')}</urlset>`)
    const answer = { body, contentType: 'application/xml', url: 'https://shop.example.com/sitemap.xml' }
    const extraction = extract(answer, templateOf('sitemap-new-urls').config.extract)
    if (!extraction.ok) throw new Error(extraction.fault.message)
    return extraction.values
  }

  test('fires at an address that is behind those', () => {
    expect(firesBetween('sitemap-new-urls', sitemap(1_500), sitemap(1_501))).toBe(true)
    expect(firesBetween('sitemap-new-urls', sitemap(1_500), sitemap(1_500))).toBe(false)
  })
})

describe('a saved answer', () => {
  const titled = ANSWERS.map((answer) => [answer.slug, answer.file, answer] as const)
  test.each(titled)('%s reads its fields out of %s', (_, __, answer) => {
    expect(extracted(answer)).toMatchObject({ values: answer.fields, warnings: [] })
  })

  const changes = (kind: 'fires' | 'silent') =>
    ANSWERS.flatMap((answer) =>
      answer[kind].map((change) => [`${answer.slug} (${answer.file})`, change, answer] as const),
    )
  test.each(changes('fires'))('%s fires at %j', (_, [from, to], answer) => {
    expect(firesBetween(answer.slug, read(answer), read(answer, replaced(from, to)))).toBe(true)
  })
  test.each(changes('silent'))('%s is silent at %j', (_, [from, to], answer) => {
    expect(firesBetween(answer.slug, read(answer), read(answer, replaced(from, to)))).toBe(false)
  })
})
