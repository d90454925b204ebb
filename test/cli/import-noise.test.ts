import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { importInto } from './import-into.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

const imported = (tool: string, text: string) => importInto(folder.path, tool, text)

test('filters of lines behind a selection become treatments, in their order', async () => {
  const jobs = `name: Jobs
url: https://example.com/jobs
filter:
  - css: {selector: li, exclude: .ad, maxitems: 20}
  - html2text
  - grepi: sponsored
  - re.sub: {pattern: '(\\d+) views', repl: '\\1 $'}
  - grep: engineer
  - remove-duplicate-lines
  - sort
---
name: Whole
url: https://example.com/whole
filter:
  - keep_lines_containing: price
---
name: Odd
url: https://example.com/odd
filter:
  - sort: {reverse: true}
  - grep: '(?P<name>a)'
---
name: Before
url: https://example.com/before
filter:
  - re.sub: '[0-9]'
  - css: b
`
  const { monitors, report } = await imported('webchanges', jobs)
  expect(monitors.get('jobs')?.['extract_config']).toEqual({
    method: 'css',
    fields: { text: 'li[]' },
    ignore: { selectors: ['.ad'] },
    clean: {
      text: [
        { do: 'first', count: 20 },
        { do: 'drop_lines', pattern: 'sponsored' },
        { do: 'replace', pattern: String.raw`(\d+) views`, text: '$1 $$' },
        { do: 'keep_lines', pattern: 'engineer' },
        { do: 'unique' },
        { do: 'sort' },
      ],
    },
  })
  expect(monitors.get('whole')).toMatchObject({
    extract_config: { method: 'full_page', clean: { content_hash: [{ do: 'keep_lines', pattern: '(?i:price)' }] } },
  })
  expect(report.filter((line) => line.endsWith('no equivalent'))).toEqual([
    'Odd: the filter sort: no equivalent',
    'Odd: the filter grep: no equivalent',
    'Before: the filter css behind one of lines: no equivalent',
  ])
})

test('lines that are left out behind another filter of lines stay behind it', async () => {
  const job = (name: string, filters: string) => `name: ${name}\nurl: https://example.com/${name}\nfilter:\n${filters}`
  const behind = `  - grepi: before
  - re.sub: {pattern: 'Sale:', repl: ''}
  - delete_lines_containing: ad
  - grep: price
  - grepi: old`
  const jobs = [
    job('Whole', behind),
    job('Field', `  - css: li\n${behind}`),
    job('Odd', `  - sort\n  - grepi: '(?P<name>a)'`),
  ]
  const { monitors, report } = await imported('urlwatch', jobs.join('\n---\n'))
  const clean = [
    { do: 'replace', pattern: 'Sale:', text: '' },
    { do: 'drop_lines', pattern: '(?i:ad)' },
    { do: 'keep_lines', pattern: 'price' },
    { do: 'drop_lines', pattern: 'old' },
  ]
  expect(monitors.get('whole')).toMatchObject({
    extract_config: { method: 'full_page', ignore: { patterns: ['before'] }, clean: { content_hash: clean } },
  })
  expect(monitors.get('field')).toMatchObject({
    extract_config: { method: 'css', clean: { text: [{ do: 'drop_lines', pattern: 'before' }, ...clean] } },
  })
  expect(report.filter((line) => line.endsWith('no equivalent'))).toEqual(['Odd: the filter grepi: no equivalent'])
})

test('a watch that leaves out, sorts and tells only new lines keeps that', async () => {
  const watch = (title: string, more: object) => [
    `${title}-0d0c-4c5e-8a5b-0d4a3b2c1f00`,
    { url: 'https://example.com/', title, ...more },
  ]
  const settings = { application: { global_ignore_text: ['cookie'] } }
  const watching = Object.fromEntries([
    watch('list', {
      include_filters: ['.a'],
      subtractive_selectors: ['.ad'],
      ignore_text: ['/\\d+ views/'],
      extract_lines_containing: ['job', 'post'],
      check_unique_lines: true,
      remove_duplicate_lines: true,
      sort_text_alphabetically: true,
    }),
    watch('page', { check_unique_lines: true, sort_text_alphabetically: true, ignore_text: ['ad'] }),
    watch('data', { include_filters: ['json:$.a'], subtractive_selectors: ['.ad'] }),
  ]) as object
  const { monitors, report } = await imported('changedetection', JSON.stringify({ watching, settings }))
  expect(monitors.get('list')).toMatchObject({
    extract_config: {
      method: 'css',
      fields: { text: '.a[]' },
      ignore: { selectors: ['.ad'] },
      clean: {
        text: [
          { do: 'keep_lines', pattern: '(?:(?i:job))|(?:(?i:post))' },
          { do: 'drop_lines', pattern: String.raw`(?:(?i:cookie))|(?:\d+ views)` },
          { do: 'unique' },
          { do: 'sort' },
        ],
      },
    },
    diff_predicate: { type: 'list_gains_unseen_items', field: 'text' },
  })
  expect(monitors.get('page')).toMatchObject({
    extract_config: {
      method: 'full_page',
      ignore: { patterns: ['(?i:cookie)', '(?i:ad)'] },
      clean: { content_hash: [{ do: 'sort' }] },
    },
    diff_predicate: { type: 'any_field_changes' },
  })
  expect(report.filter((line) => line.endsWith('no equivalent'))).toEqual([
    'page: only lines that were never seen: no equivalent',
    'data: elements to leave out of a filter: no equivalent',
  ])
})
