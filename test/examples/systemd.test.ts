import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/process/temporary-folder.ts'

const ROOT = join(import.meta.dirname, '../..')
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
if (!hasSystemd) process.stdout.write('skipped: the units for systemd: systemd-analyze is not installed\n')

test.runIf(hasSystemd).each([
  ['tidemark.service', 'tidemark.service'],
  ['tidemark@.service', 'tidemark@api.service'],
])('systemd accepts the unit %s', async (file, name) => {
  await using folder = await temporaryFolder()
  const unit = await readFile(join(ROOT, 'examples/systemd', file), 'utf8')
  // The program has to exist where the unit says, so here it is that of this repository.
  const path = join(folder.path, name)
  await writeFile(path, unit.replaceAll('/opt/tidemark/tidemark', join(ROOT, 'tidemark')))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
  // Lines about other units of this machine are not about this one.
  expect(stderr.split('\n').filter((line) => line.includes('tidemark') && !line.includes('systemd-analyze'))).toEqual(
    [],
  )
  expect(status).toBe(0)
})
