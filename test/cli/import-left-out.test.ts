import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runHere } from '../support/process/run-here.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'
import { importInto } from './import-into.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

const imported = (tool: string, text: string) => importInto(folder.path, tool, text)

test('what was left out is counted and listed', async () => {
  const jobs = 'name: Page\nurl: https://example.com/\n---\nname: Disk\ncommand: df -h\n'
  const { report } = await imported('urlwatch', jobs)
  expect(report).toContain('Disk: a command of the shell, so it is left out: no equivalent')
  expect(report.at(-1)).toBe('1 monitor of 2 imported, 3 remarks, 1 left out.')
  const watches = { watching: { a: { url: 'https://example.com/' }, b: { title: 'Empty' } } }
  const { report: second } = await imported('changedetection', JSON.stringify(watches))
  expect(second).toContain('watching.b: has no address, so it is left out')
  expect(second.at(-1)).toMatch(/^1 monitor of 2 imported, \d+ remarks?, 1 left out\.$/)
  const { report: third } = await imported('uptime-kuma', '{"monitorList":[7,{"type":"ping","name":"Host"}]}')
  expect(third).toEqual(expect.arrayContaining(['monitorList[0]: is no monitor, so it is left out']))
  expect(third.at(-1)).toBe('0 monitors of 2 imported, 3 remarks, 2 left out.')
})

const WATCH = '{"uuid":"6b1c4f0e-9d0c-4c5e-8a5b-0d4a3b2c1f00","url":"https://example.com/","title":"Page"}'
test.each([
  ['changedetection', 'urlwatch', 'name: Page\nurl: https://example.com/\nfilter: [html2text]\n'],
  ['changedetection', 'uptime-kuma', '{"monitorList":[]}'],
  ['urlwatch', 'changedetection', WATCH],
  ['webchanges', 'changedetection', '{"watching":{}}'],
  ['uptime-kuma', 'urlwatch', 'url: https://example.com/\n'],
])('import %s of a file of %s names that tool', async (tool, other, text) => {
  const path = join(folder.path, 'of-another')
  await writeFile(path, text)
  const { code, stdout, stderr } = await runHere(['import', tool, path])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(`is not what ${tool} writes, but of ${other}: ./tidemark import ${other}`)
})
