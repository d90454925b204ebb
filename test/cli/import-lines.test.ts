import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { importInto } from './import-into.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

const imported = (tool: string, text: string) => importInto(folder.path, tool, text)

test('jobs and watches that tell only what is added, or only what is removed, keep that', async () => {
  const job = (name: string, more: string) => `name: ${name}\nurl: https://example.com/${name}\n${more}\n`
  const jobs = [
    job('Added', 'additions_only: true\nfilter: css:li'),
    job('Removed', 'deletions_only: true\nfilter: xpath://li'),
    job('Whole', 'additions_only: true'),
  ]
  const ofJobs = await imported('webchanges', jobs.join('---\n'))
  expect(ofJobs.monitors.get('added')).toMatchObject({ diff_predicate: { type: 'lines_added', field: 'text' } })
  expect(ofJobs.monitors.get('removed')).toMatchObject({ diff_predicate: { type: 'lines_removed', field: 'text' } })
  const ofPage = { type: 'lines_added', field: 'content_hash' }
  expect(ofJobs.monitors.get('whole')).toMatchObject({ diff_predicate: ofPage })
  expect(ofJobs.report.filter((line) => line.includes('_only'))).toEqual([])

  const watch = (title: string, filters: readonly string[], more: object) => [
    `${title}-0d0c-4c5e-8a5b-0d4a3b2c1f00`,
    { url: 'https://example.com/', title, include_filters: filters, ...more },
  ]
  const watching = Object.fromEntries([
    watch('added', ['.a', '.b'], { filter_text_removed: false }),
    watch('gone', ['.a'], { filter_text_added: false, filter_text_replaced: false }),
    watch('replaced', ['.a'], { filter_text_replaced: false }),
    watch('page', [], { filter_text_removed: false }),
  ]) as object
  const ofWatches = await imported('changedetection', JSON.stringify({ watching }))
  expect(ofWatches.monitors.get('added')?.['diff_predicate']).toEqual({
    type: 'composite',
    operator: 'OR',
    conditions: [
      { type: 'lines_added', field: 'text_1' },
      { type: 'lines_added', field: 'text_2' },
    ],
  })
  expect(ofWatches.monitors.get('gone')).toMatchObject({ diff_predicate: { type: 'lines_removed', field: 'text' } })
  expect(ofWatches.monitors.get('replaced')).toMatchObject({ diff_predicate: { type: 'any_field_changes' } })
  expect(ofWatches.monitors.get('page')).toMatchObject({ diff_predicate: ofPage })
  expect(ofWatches.report.filter((line) => line.includes('no change for'))).toEqual([
    'gone: no change for text that is replaced: no equivalent',
    'replaced: no change for text that is replaced: no equivalent',
  ])
})
