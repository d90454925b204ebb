import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ROOT_FILE_SYSTEMS } from '../../images/root-file-systems.ts'
import { buildProgram } from '../../tools/package/build-package.ts'
import { startShell } from '../support/process/cli-process.ts'
import { temporaryFolder } from '../support/process/temporary-folder.ts'

// It is bundled, and processes start.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const ROOT = join(import.meta.dirname, '../..')

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let program: string
beforeAll(async () => {
  folder = await temporaryFolder()
  program = join(folder.path, 'opt/tidemark')
  await mkdir(program, { recursive: true })
  await buildProgram(ROOT, program, { scope: ROOT_FILE_SYSTEMS['tidemark-runner'].scope, builtIn: [] })
})
afterAll(() => folder[Symbol.asyncDispose]())

test('the program of the runner image has our licence beside those of packages', async () => {
  expect(await readFile(join(program, 'LICENSE'), 'utf8')).toContain('Apache License')
  expect(await readFile(join(program, 'LICENSES.md'), 'utf8')).toContain('## parse5 ')
})

test.each(['serve', 'api', 'worker', 'operator', 'migrate', 'admin list-released', 'doctor', 'validate'])(
  'for %s it names the image that has its code, in one sentence',
  async (line) => {
    await using process_ = startShell(
      `exec "${process.execPath}" "${program}/bin/tidemark.js" ${line}`,
      { HOME: folder.path },
      folder.path,
    )
    expect([await process_.exited, process_.stdout]).toEqual([2, ''])
    expect(process_.stderr).toContain('this image has no code for this command: use the image tidemark-service')
    expect(process_.stderr).not.toMatch(/^\s+at |\n./m)
  },
)
