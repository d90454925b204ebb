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
  expect(row?.split('|').map((cell) => cell.trim())).toEqual(expect.arrayContaining([taken, lost]))
  expect(report.filter((line) => line.endsWith(': no equivalent') && !line.includes('left out'))).toHaveLength(
    Number(lost),
  )
})
