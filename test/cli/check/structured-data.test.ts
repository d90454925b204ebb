import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configurationOf } from '../../../cli/check/configuration.ts'
import type { CheckOptions } from '../../../cli/check/options.ts'
import { runCheck } from '../../../cli/check/run-check.ts'
import { runOutline } from '../../../cli/check/run-outline.ts'
import { createPolicy } from '../../../egress/policy.ts'
import { html, openSite, type Site } from '../../support/network/site.ts'

const OPEN = createPolicy({ allowPrivateCidrs: ['127.0.0.0/8'], neverAllow: [] })
const KETTLE = {
  '@type': 'Product',
  name: 'Kettle',
  offers: { price: '19.90', availability: 'https://schema.org/InStock' },
}
const PAGE = `<!doctype html><script type="application/ld+json">${JSON.stringify(KETTLE)}</script><p>Kettle`

let folder: string
let site: Site
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-structured-'))
  await writeFile(join(folder, 'page.html'), PAGE)
  await writeFile(join(folder, 'answer.json'), '{"items":[{"id":7},{"id":8}]}')
  await writeFile(join(folder, 'feed.xml'), '<rss version="2.0"><channel><title>News</title></channel></rss>')
  site = await openSite({ otherwise: html(PAGE, { 'content-type': 'text/html; charset=utf-8' }) })
})
afterAll(async () => {
  await site[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

/** What `tidemark check` writes. */
async function check(target: string, options: CheckOptions) {
  const named = target.startsWith('http') ? target : join(folder, target)
  let out = ''
  let err = ''
  const run = options.outline ? runOutline : runCheck
  const isSuccess = await run(await configurationOf(process, [named], options, OPEN), OPEN, {
    io: process,
    form: options.json ? 'json' : 'table',
    out: (text) => void (out += text),
    err: (text) => void (err += text),
  })
  return { isSuccess, out, err }
}

describe('tidemark check --read-as structured_data', () => {
  test('reads a page by JSONPath, from a file and from an address', async () => {
    const options = { readAs: 'structured_data', jsonPath: ['price=$.product.price'], json: true }
    for (const target of ['page.html', site.url]) {
      const { isSuccess, out } = await check(target, options)
      expect(isSuccess, out).toBe(true)
      expect(JSON.parse(out)).toMatchObject({ fields: { price: '19.90' }, warnings: [] })
    }
  })

  test.each<[CheckOptions, string]>([
    [{ readAs: 'structured_data', css: ['a=b'] }, '--read-as structured_data is read by the method json_path alone'],
    [{ readAs: 'feed', jsonPath: ['a=$'] }, '--read-as must be one of "document", "structured_data"'],
    [{ readAs: 'document', css: ['a=b'], browser: true }, '--read-as document needs the file as it is sent'],
    [{ readAs: 'structured_data', monitor: 'x.yaml' }, '--read-as cannot be combined with --monitor'],
    [{ outline: true, css: ['a=b'] }, 'cannot be combined with --css'],
    [{ outline: true, watch: true }, 'cannot be combined with --watch'],
  ])('refuses %j', async (options, message) => {
    await expect(check('page.html', options)).rejects.toThrow(message)
  })
})

describe('tidemark check --outline', () => {
  test('shows what a page states with the rules that read it, and they do', async () => {
    for (const target of ['page.html', site.url]) {
      const { isSuccess, out } = await check(target, { outline: true })
      expect(isSuccess).toBe(true)
      expect(out).toContain('rules for --read-as structured_data --json-path')
      expect(out).toContain('  $.product.availability   InStock\n')
    }
    const { out } = await check('page.html', { outline: true, json: true })
    const outline = JSON.parse(out) as { read_as: string; nodes: { rule: string; value: string; parts: number }[] }
    const texts = outline.nodes.filter(({ parts, value }) => parts === 0 && value !== 'null' && !value.startsWith('0 '))
    expect(texts.length).toBeGreaterThan(8)
    const jsonPath = texts.map(({ rule }, at) => `f${at}=${rule}`)
    const read = await check('page.html', { readAs: outline.read_as, jsonPath, json: true })
    const { fields } = JSON.parse(read.out) as { fields: Record<string, unknown> }
    expect(Object.values(fields)).toEqual(texts.map(({ value }) => value))
  })

  test('shows JSON and XML as they are', async () => {
    expect((await check('answer.json', { outline: true })).out).toContain(
      'rules for --json-path\n\n  $   1 member\n  $.items   2 items\n  $.items[0]   1 member\n  $.items[0].id   7\n',
    )
    expect((await check('feed.xml', { outline: true })).out).toContain('  /rss/channel/title   News\n')
  })

  test('says what is wrong where there is nothing to show', async () => {
    const { isSuccess, out, err } = await check('missing.html', { outline: true })
    expect([isSuccess, out]).toEqual([false, ''])
    expect(err).toContain('there is no such file')
  })
})
