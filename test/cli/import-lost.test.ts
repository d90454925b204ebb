import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { importInto } from './import-into.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

const SAVED = join(import.meta.dirname, 'saved')
const PAGE = join(import.meta.dirname, '../../docs/import.md')

test.each([
  ['changedetection', 'changedetection.json'],
  ['urlwatch', 'urlwatch.yaml'],
  ['webchanges', 'webchanges.yaml'],
])('the page says how many settings of a saved configuration of %s are lost', async (tool, file) => {
  const { report } = await importInto(folder.path, tool, await readFile(join(SAVED, file), 'utf8'))
  const [, taken, lost] = /^(\d+) settings taken over, (\d+) without an equivalent\.$/.exec(report.at(-2) ?? '') ?? []
  const row = (await readFile(PAGE, 'utf8')).split('\n').find((line) => line.includes(`saved/${file}`))
  const [, , ofPage, lostOfPage] = row?.split('|').map((cell) => cell.trim()) ?? []
  expect([ofPage, lostOfPage]).toEqual([taken, lost])
  expect(report.filter((line) => line.endsWith(': no equivalent') && !line.includes('left out'))).toHaveLength(
    Number(lost),
  )
})

// The address, two filters, a header, the browser, what is told, a tag and the pause: eight. `differ` is lost.
const COUNTED = `name: Shop
url: https://shop.example.com/
filter:
  - css: .offer
  - sort
headers: { Accept-Language: en }
use_browser: true
additions_only: true
tags: [lamps]
enabled: false
differ: deepdiff
`
const NEITHER = `---
name: Command
command: date
---
name: Broken
url: https://broken.example.com/
filter:
  - css: ':::'
differ: deepdiff
`

test('what was set is counted, and neither what each monitor has nor what is of one that is left out', async () => {
  const { report } = await importInto(folder.path, 'webchanges', COUNTED)
  expect(report.slice(-2)).toEqual([
    '8 settings taken over, 1 without an equivalent.',
    '1 monitor of 1 imported, 3 remarks.',
  ])
  const { report: both } = await importInto(folder.path, 'webchanges', COUNTED + NEITHER)
  expect(both.slice(-2)).toEqual([
    '8 settings taken over, 1 without an equivalent.',
    '1 monitor of 3 imported, 6 remarks, 2 left out.',
  ])
})
