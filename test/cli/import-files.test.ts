import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { importInto } from './import-into.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

test('jobs and watches that read the text of a file read it as a document, without a browser', async () => {
  const job = (name: string, more: string) => `name: ${name}\nurl: https://example.com/${name}\n${more}\n`
  const jobs = [
    job('Terms', 'filter: [pdf2text, {delete_lines_containing: Printed}]'),
    job('Dates', 'filter: ical2text'),
    job('Locked', 'filter: {pdf2text: {password: secret}}'),
    job('Page', 'filter: html2text'),
  ]
  const ofJobs = await importInto(folder.path, 'urlwatch', jobs.join('---\n'))
  expect(ofJobs.monitors.get('terms')).toMatchObject({
    extract_config: {
      method: 'full_page',
      read_as: 'document',
      ignore: { patterns: [expect.stringContaining('Printed')] },
    },
  })
  expect(ofJobs.monitors.get('dates')).toMatchObject({ extract_config: { read_as: 'document' } })
  expect(ofJobs.monitors.get('page')).not.toHaveProperty('extract_config.read_as')
  expect(ofJobs.report.filter((line) => line.includes('filter') || line.includes('password'))).toEqual([
    'Locked: a password of a file: no equivalent',
  ])

  const watch = (title: string, url: string) => [
    `${title}-0d0c-4c5e-8a5b-0d4a3b2c1f00`,
    { url, title, fetch_backend: 'html_webdriver' },
  ]
  const watching = Object.fromEntries([
    watch('file', 'https://example.com/terms.PDF?year=2026'),
    watch('page', 'https://example.com/terms.pdf/page'),
  ]) as object
  const { monitors } = await importInto(folder.path, 'changedetection', JSON.stringify({ watching }))
  expect(monitors.get('file')).toMatchObject({
    extract_config: { method: 'full_page', read_as: 'document' },
    fetch_mode: 'auto',
  })
  expect(monitors.get('page')).toMatchObject({ extract_config: { method: 'full_page' }, fetch_mode: 'browser' })
  expect(monitors.get('page')).not.toHaveProperty('extract_config.read_as')
})
